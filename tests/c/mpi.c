/* The MPI-style half at work: every datatype with every operator it has, in place and not, with int and HCOMM_Count; the
 * broadcast; HCOMM_COMM_WORLD and HCOMM_COMM_SELF; the clock; HCOMM_Abort. The values of the constants are in
 * header_c99.c.
 *
 *   mpi          all but HCOMM_Abort
 *   mpi abort    the last rank aborts with status 7
 *
 * run: hcomm run -n 1 %p
 * run: hcomm run -n 2 %p
 * run: hcomm run -n 5 %p
 * run: tests/expect.sh 7 rank_0_was_told hcomm run -n 2 --no-kill %p abort
 * run: tests/expect.sh 7 rank_1_was_told hcomm run -n 3 --no-kill %p abort
 * run: tests/expect.sh 1 rank_0_was_told hcomm run -n 2 --no-kill %p abort 256
 * run: tests/expect.sh 3 rank_0_was_told hcomm run -n 2 --no-kill %p abort-self 3
 * timeout: 60
 */
#include "mpi_handles.h"
#include "oracle.h"

static int rank, size;

static const struct type *type_of(hcommDataType_t code) {
  for (int i = 0; i < TYPES; i++)
    if (types[i].code == code) return &types[i];
  FAIL("no type %d", (int)code);
}

/* Small numbers, so that floats are exact, and some zeros. */
static uint64_t input(const struct type *t, int r, size_t i) {
  uint64_t h = mix(i * 64 + (uint64_t)r);
  return t->kind == FLOATING ? encode(t, (double)(h % 7) - 3) : h % 3 ? narrow(t, h) : 0;
}

enum { MOST = 3000 };

static void allreduce(const struct type *t, HCOMM_Datatype datatype, HCOMM_Op op, hcommRedOp_t as, int count, int form,
                      HCOMM_Comm comm) {
  static char send[MOST * 8], recv[MOST * 8];
  int in_place = form & 1, first = comm == HCOMM_COMM_SELF ? rank : 0, last = comm == HCOMM_COMM_SELF ? rank : size - 1;
  char *in = in_place ? recv : send;
  TRYING("allreduce of %d %s with op %d, form %d", count, t->name, (int)as, form);
  memset(recv, 0xa5, sizeof recv);
  for (int i = 0; i < count; i++) store(t, in, (size_t)i, input(t, rank, (size_t)i));
  const void *from = in_place ? HCOMM_IN_PLACE : send;
  if (form & 2) OK(HCOMM_Allreduce_c(from, recv, count, datatype, op, comm));
  else OK(HCOMM_Allreduce(from, recv, count, datatype, op, comm));
  for (int i = 0; i < count; i++) {
    uint64_t got = load(t, recv, (size_t)i), want = input(t, first, (size_t)i);
    for (int r = first + 1; r <= last; r++) want = combine(t, as, want, input(t, r, (size_t)i));
    if (t->kind == FLOATING ? decode(t, got) != decode(t, want) : got != want)
      FAIL("element %d is %#llx, not %#llx", i, (unsigned long long)got, (unsigned long long)want);
  }
  CHECK((unsigned char)recv[(size_t)count * t->size] == 0xa5);
}

static void allreduces(void) {
  static const int counts[] = {1, 5, MOST - 1};
  for (size_t d = 0; d < sizeof datatypes / sizeof *datatypes; d++) {
    const struct type *t = type_of(datatypes[d].as);
    size_t number = t->kind == FLOATING ? 4 : sizeof operators / sizeof *operators;
    for (size_t o = 0; o < number; o++)
      for (size_t c = 0; c < sizeof counts / sizeof *counts; c++)
        for (int form = 0; form < 4; form++)
          allreduce(t, datatypes[d].handle, operators[o].handle, operators[o].as, counts[c], form,
                    (d + o + c) % 5 ? HCOMM_COMM_WORLD : HCOMM_COMM_SELF);
  }
}

static void broadcasts(void) {
  static char buffer[MOST * 8];
  for (size_t d = 0; d < sizeof datatypes / sizeof *datatypes; d++) {
    size_t bytes = 1000 * type_of(datatypes[d].as)->size;
    for (int root = 0; root < size; root++) {
      TRYING("broadcast of datatype %zu from %d", d, root);
      for (size_t i = 0; i < sizeof buffer; i++) buffer[i] = (char)mix(i + (size_t)rank * 1000);
      if (d % 2) OK(HCOMM_Bcast(buffer, 1000, datatypes[d].handle, root, HCOMM_COMM_WORLD));
      else OK(HCOMM_Bcast_c(buffer, 1000, datatypes[d].handle, root, HCOMM_COMM_WORLD));
      for (size_t i = 0; i < sizeof buffer; i++)
        CHECK(buffer[i] == (char)mix(i + (size_t)(i < bytes ? root : rank) * 1000));
    }
  }
  OK(HCOMM_Bcast(buffer, 10, HCOMM_INT, 0, HCOMM_COMM_SELF));
}

static void others(void) {
  int n = -1;
  TRYING("ranks and sizes");
  OK(HCOMM_Comm_rank(HCOMM_COMM_SELF, &n));
  CHECK(n == 0);
  OK(HCOMM_Comm_size(HCOMM_COMM_SELF, &n));
  CHECK(n == 1);
  CHECK(rank == atoi(getenv("HCOMM_RANK")) && size == atoi(getenv("HCOMM_SIZE")));
  TRYING("HCOMM_Wtime");
  double a = HCOMM_Wtime();
  pause_ms(20);
  double b = HCOMM_Wtime();
  CHECK(b - a >= 0.020 && b - a < 10);
  for (int i = 0; i < 1000; i++, a = b) CHECK((b = HCOMM_Wtime()) >= a);
  TRYING("HCOMM_Barrier");
  OK(HCOMM_Barrier(HCOMM_COMM_SELF));
  if (rank == size - 1) pause_ms(20);
  double times[2] = {now()};
  OK(HCOMM_Barrier(HCOMM_COMM_WORLD));
  times[1] = -now();
  OK(HCOMM_Allreduce(HCOMM_IN_PLACE, times, 2, HCOMM_DOUBLE, HCOMM_MAX, HCOMM_COMM_WORLD));
  CHECK(times[0] <= -times[1]);
}

static void abort_all(HCOMM_Comm comm, int status) {
  int x = 1, class, left = GATE(HCOMM_ERR_PROC_ABORTED, HCOMM_Barrier(HCOMM_COMM_WORLD));
  if (rank == size - 1) {
    CHECK(left);
    printf("aborting\n"), fflush(stdout);
    pause_ms(20);
    FAIL("HCOMM_Abort returned %d", HCOMM_Abort(comm, status));
  }
  class = HCOMM_Allreduce(HCOMM_IN_PLACE, &x, 1, HCOMM_INT, HCOMM_SUM, HCOMM_COMM_WORLD);
  char words[32];
  snprintf(words, sizeof words, "rank %d (host ", size - 1);
  FAILS(HCOMM_ERR_PROC_ABORTED, words, class);
  if (comm == HCOMM_COMM_WORLD) CHECK(strstr(hcommGetLastError(NULL), "aborted"));
  char first[1024];
  snprintf(first, sizeof first, "%s", strchr(hcommGetLastError(NULL), ':'));
  FAILS(HCOMM_ERR_PROC_ABORTED, first, HCOMM_Barrier(HCOMM_COMM_WORLD));
  OK(HCOMM_Comm_size(HCOMM_COMM_WORLD, &x));
  OK(HCOMM_Allreduce(HCOMM_IN_PLACE, &x, 1, HCOMM_INT, HCOMM_SUM, HCOMM_COMM_SELF));
  CHECK(x == size);
  OK(HCOMM_Finalize());
  printf("rank %d was told: %s\n", rank, first);
}

int main(int argc, char **argv) {
  OK(HCOMM_Init(&argc, &argv));
  errors_return();
  OK(HCOMM_Comm_rank(HCOMM_COMM_WORLD, &rank));
  OK(HCOMM_Comm_size(HCOMM_COMM_WORLD, &size));
  check_rank = rank;
  if (argc > 1) {
    abort_all(strcmp(argv[1], "abort") ? HCOMM_COMM_SELF : HCOMM_COMM_WORLD, argc > 2 ? atoi(argv[2]) : 7);
    return 0;
  }
  others();
  allreduces();
  broadcasts();
  TRYING("HCOMM_Finalize");
  OK(HCOMM_Finalize());
  return 0;
}
