/* Messages from point to point, in both halves: order, tags, wildcards, all sizes at which their way changes, both kinds
 * of memory, to oneself, to and from nobody, probes, and messages that are too long.
 *
 * run: hcomm run -n 1 %p
 * run: hcomm run -n 2 %p
 * run: hcomm run -n 3 %p
 * run: hcomm run -n 5 %p
 * timeout: 60
 */
#include "check.h"

enum { MOST = (1 << 20) + 3, GUARD = 64, GUARD_BYTE = 0xa5 };
#define WORLD HCOMM_COMM_WORLD

static int rank, size;
static const int sizes[] = {0, 1, 24, 25, 2240, 2241, 32768, 32769, MOST};
enum { SIZES = sizeof sizes / sizeof *sizes };

/* Two of each kind of memory, with guards on both sides. */
static unsigned char *memory[4];

static void fill(unsigned char *x, int n, int from, int number) {
  for (int i = 0; i < n; i++) x[i] = (unsigned char)(i * 7 + (i >> 8) + from * 31 + number * 17);
  memset(x + n, GUARD_BYTE, GUARD);
}

static void verify(const unsigned char *x, int n, int from, int number) {
  for (int i = 0; i < n; i++)
    if (x[i] != (unsigned char)(i * 7 + (i >> 8) + from * 31 + number * 17)) FAIL("byte %d of %d is wrong", i, n);
  for (int i = 0; i < GUARD; i++)
    if (x[n + i] != GUARD_BYTE || x[-1 - i] != GUARD_BYTE) FAIL("a byte %d outside of %d was written", i + 1, n);
}

static unsigned char *cleared(int which, int n) {
  memset(memory[which], 0, (size_t)n);
  memset(memory[which] + n, GUARD_BYTE, GUARD);
  return memory[which];
}

static void told(const HCOMM_Status *s, int source, int tag, int n) {
  int count = -1;
  HCOMM_Count long_count = -1;
  OK(HCOMM_Get_count(s, HCOMM_BYTE, &count));
  OK(HCOMM_Get_count_c(s, HCOMM_BYTE, &long_count));
  if (s->HCOMM_SOURCE != source || s->HCOMM_TAG != tag || count != n || long_count != n)
    FAIL("the status tells of %d bytes from %d with tag %d, not %d from %d with %d", count, s->HCOMM_SOURCE, s->HCOMM_TAG,
         n, source, tag);
}

/* Every size around the ring, from and to each kind of memory, by Sendrecv and by a Recv that is early or late. */
static void around(void) {
  int to = (rank + 1) % size, from = (rank + size - 1) % size;
  HCOMM_Status s;
  for (int i = 0; i < SIZES; i++)
    for (int form = 0; form < 16; form++) {
      int n = sizes[i], late = form & 4, out = form >> 1 & 1, in = form & 1;
      unsigned char *x = memory[out], *y = cleared(2 + in, n);
      TRYING("%d bytes around the ring, form %d", n, form);
      fill(x, n, rank, form);
      if (form < 8) {
        OK(HCOMM_Sendrecv(x, n, HCOMM_BYTE, to, i, y, n, HCOMM_BYTE, from, i, WORLD, &s));
      } else if (rank == 0) {
        if (late) pause_ms(1);
        OK(HCOMM_Send(x, n, HCOMM_BYTE, to, i, WORLD));
        OK(HCOMM_Recv(y, n, HCOMM_BYTE, from, i, WORLD, &s));
      } else {
        if (!late) pause_ms(1);
        OK(HCOMM_Recv_c(y, n, HCOMM_BYTE, form & 1 ? from : HCOMM_ANY_SOURCE, form & 2 ? i : HCOMM_ANY_TAG, WORLD, &s));
        OK(HCOMM_Send_c(x, n, HCOMM_BYTE, to, i, WORLD));
      }
      told(&s, from, i, n);
      verify(y, n, from, form);
    }
}

/* Tags that are received in another order than they were sent in, and wildcards that take what was sent first. */
static void crossing(void) {
  enum { N = 40 };
  int x[N], y = -1;
  HCOMM_Status s;
  TRYING("tags that cross");
  for (int i = 0; i < N; i++) x[i] = i + 100 * rank;
  OK(HCOMM_Barrier(WORLD));
  if (rank == 0 && size > 1) {
    for (int i = 0; i < N; i++) OK(HCOMM_Send(&x[i], 1, HCOMM_INT, 1, i % 4, WORLD));
    fill(memory[0], 50000, 0, 1);
    OK(HCOMM_Send(memory[0], 50000, HCOMM_CHAR, 1, HCOMM_TAG_UB, WORLD));
  } else if (rank == 1) {
    OK(HCOMM_Recv(cleared(2, 50000), 50000, HCOMM_CHAR, 0, HCOMM_TAG_UB, WORLD, &s));
    told(&s, 0, HCOMM_TAG_UB, 50000);
    verify(memory[2], 50000, 0, 1);
    for (int tag = 3; tag > 0; tag--)
      for (int i = tag; i < N / 2; i += 4) {
        OK(HCOMM_Recv(&y, 1, HCOMM_INT, i % 3 ? 0 : HCOMM_ANY_SOURCE, tag, WORLD, &s));
        if (y != i) FAIL("with tag %d came message %d, not %d", tag, y, i);
      }
    for (int i = 0; i < N; i++) {
      if (i % 4 && i < N / 2) continue;
      OK(HCOMM_Recv(&y, 1, HCOMM_INT, 0, HCOMM_ANY_TAG, WORLD, &s));
      if (y != i) FAIL("with any tag came message %d, not %d", y, i);
      told(&s, 0, i % 4, 4);
    }
  }
  TRYING("wildcards");
  OK(HCOMM_Barrier(WORLD));
  if (rank) {
    for (int i = 0; i < N; i++) OK(HCOMM_Send(&x[i], 1, HCOMM_INT, 0, rank, WORLD));
  } else {
    int next[64] = {0};
    for (int i = 0; i < N * (size - 1); i++) {
      OK(HCOMM_Recv(&y, 1, HCOMM_INT, HCOMM_ANY_SOURCE, HCOMM_ANY_TAG, WORLD, &s));
      if (y != next[s.HCOMM_SOURCE] + 100 * s.HCOMM_SOURCE) FAIL("from %d came %d", s.HCOMM_SOURCE, y);
      told(&s, s.HCOMM_SOURCE, s.HCOMM_SOURCE, 4);
      next[s.HCOMM_SOURCE]++;
    }
  }
}

static void to_self(HCOMM_Comm comm, int me) {
  HCOMM_Status s;
  for (int i = 0; i < SIZES; i++) {
    int n = sizes[i];
    TRYING("%d bytes to itself", n);
    fill(memory[0], n, rank, i);
    OK(HCOMM_Sendrecv(memory[0], n, HCOMM_BYTE, me, 5, cleared(2, n), n, HCOMM_BYTE, me, HCOMM_ANY_TAG, comm, &s));
    told(&s, me, 5, n);
    verify(memory[2], n, rank, i);
    OK(HCOMM_Send(memory[0], n, HCOMM_BYTE, me, 7, comm));
    fill(memory[1], n, rank, i + 1);
    OK(HCOMM_Send(memory[1], n, HCOMM_BYTE, me, 8, comm));
    OK(HCOMM_Recv(cleared(2, n), n, HCOMM_BYTE, me, 8, comm, &s));
    verify(memory[2], n, rank, i + 1);
    /* the message that was kept comes before the one of this call */
    OK(HCOMM_Sendrecv(memory[1], n, HCOMM_BYTE, me, 7, cleared(2, n), n, HCOMM_BYTE, me, 7, comm, &s));
    verify(memory[2], n, rank, i);
    OK(HCOMM_Recv(cleared(2, n), n, HCOMM_BYTE, me, 7, comm, HCOMM_STATUS_IGNORE));
    verify(memory[2], n, rank, i + 1);
  }
}

static void nobody(void) {
  HCOMM_Status s = {0, 0, 4711, {0}};
  int x = 1, flag = 0;
  TRYING("HCOMM_PROC_NULL");
  OK(HCOMM_Send(&x, 1, HCOMM_INT, HCOMM_PROC_NULL, 3, WORLD));
  OK(HCOMM_Recv(&x, 1, HCOMM_INT, HCOMM_PROC_NULL, 3, WORLD, &s));
  told(&s, HCOMM_PROC_NULL, HCOMM_ANY_TAG, 0);
  memset(&s, 0, 8);
  OK(HCOMM_Probe(HCOMM_PROC_NULL, HCOMM_ANY_TAG, WORLD, &s));
  told(&s, HCOMM_PROC_NULL, HCOMM_ANY_TAG, 0);
  memset(&s, 0, 8);
  OK(HCOMM_Iprobe(HCOMM_PROC_NULL, HCOMM_ANY_TAG, WORLD, &flag, &s));
  told(&s, HCOMM_PROC_NULL, HCOMM_ANY_TAG, 0);
  CHECK(flag == 1);
  memset(&s, 0, 8);
  OK(HCOMM_Sendrecv(&x, 1, HCOMM_INT, HCOMM_PROC_NULL, 3, &flag, 1, HCOMM_INT, HCOMM_PROC_NULL, 3, WORLD, &s));
  told(&s, HCOMM_PROC_NULL, HCOMM_ANY_TAG, 0);
  CHECK(x == 1 && flag == 1 && s.HCOMM_ERROR == 4711);
  /* a line instead of a ring: the ends have nobody on one side */
  int up = rank + 1 < size ? rank + 1 : HCOMM_PROC_NULL, down = rank ? rank - 1 : HCOMM_PROC_NULL, got = -1;
  OK(HCOMM_Sendrecv(&rank, 1, HCOMM_INT, up, 0, &got, 1, HCOMM_INT, down, 0, WORLD, &s));
  CHECK(got == rank - 1);
}

static void probes(void) {
  HCOMM_Status s, other;
  int flag = 4711, count;
  HCOMM_Count long_count;
  double x[9] = {0};
  OK(HCOMM_Barrier(WORLD));
  TRYING("HCOMM_Iprobe of nothing");
  memset(&s, 0x11, sizeof s);
  other = s;
  OK(HCOMM_Iprobe(rank, 3, WORLD, &flag, &s));
  CHECK(flag == 0 && !memcmp(&s, &other, sizeof s));
  OK(HCOMM_Iprobe(HCOMM_ANY_SOURCE, 77, WORLD, &flag, HCOMM_STATUS_IGNORE));
  CHECK(flag == 0);
  TRYING("probes");
  OK(HCOMM_Barrier(WORLD));
  int to = (rank + 1) % size, from = (rank + size - 1) % size;
  if (size > 1 && rank % 2) pause_ms(2);
  OK(HCOMM_Send(x, 9, HCOMM_DOUBLE, to, 1, WORLD));
  OK(HCOMM_Send(x, 7, HCOMM_CHAR, to, 2, WORLD));
  OK(HCOMM_Probe(from, 2, WORLD, &s));
  told(&s, from, 2, 7);
  OK(HCOMM_Get_count(&s, HCOMM_SHORT, &count));
  OK(HCOMM_Get_count_c(&s, HCOMM_DOUBLE, &long_count));
  CHECK(count == HCOMM_UNDEFINED && long_count == HCOMM_UNDEFINED);
  OK(HCOMM_Iprobe(HCOMM_ANY_SOURCE, HCOMM_ANY_TAG, WORLD, &flag, &other));
  CHECK(flag == 1);
  told(&other, from, 1, 72);
  OK(HCOMM_Get_count(&other, HCOMM_DOUBLE, &count));
  OK(HCOMM_Get_count_c(&other, HCOMM_INT, &long_count));
  CHECK(count == 9 && long_count == 18);
  OK(HCOMM_Recv(x, 9, HCOMM_DOUBLE, s.HCOMM_SOURCE, 2, WORLD, &other));
  told(&other, from, 2, 7);
  OK(HCOMM_Recv(x, 9, HCOMM_DOUBLE, from, 1, WORLD, HCOMM_STATUS_IGNORE));
  TRYING("probes of long messages");
  OK(HCOMM_Barrier(WORLD));
  if (size > 1 && rank == 0) OK(HCOMM_Send(memory[0], 70000, HCOMM_BYTE, 1, 4, WORLD));
  if (rank == 1) {
    for (flag = 0; !flag;) OK(HCOMM_Iprobe(HCOMM_ANY_SOURCE, 4, WORLD, &flag, &s));
    told(&s, 0, 4, 70000);
    OK(HCOMM_Probe(0, 4, WORLD, &other));
    CHECK(!memcmp(&s, &other, sizeof(int[2])));
    OK(HCOMM_Recv(memory[2], 70000, HCOMM_BYTE, 0, 4, WORLD, &s));
  }
}

/* A message that is too long is an error of its receiver alone. */
static void too_long(void) {
  char words[128];
  HCOMM_Status s;
  for (int i = 1; i < SIZES; i++)
    for (int kept = 0; kept < 2; kept++) {
      int n = sizes[i];
      TRYING("%d bytes, one too many, %s", n, kept ? "kept" : "awaited");
      OK(HCOMM_Barrier(WORLD));
      if (size > 1 && rank == 0) {
        for (int k = 0; k < 2; k++) {
          fill(memory[k], n, 0, k);
          OK(HCOMM_Send(memory[k], n, HCOMM_BYTE, 1, 40 + k, WORLD));
        }
      } else if (rank == 1) {
        fill(memory[2], n - 1, 7, 7);
        snprintf(words, sizeof words, "from rank 0 with tag 40 has %d bytes;the buffer %d;", n, n - 1);
        if (kept) OK(HCOMM_Probe(0, 40, WORLD, &s));
        FAILS(HCOMM_ERR_TRUNCATE, words, HCOMM_Recv(memory[2], n - 1, HCOMM_BYTE, 0, 40, WORLD, &s));
        verify(memory[2], n - 1, 7, 7);
        told(&s, 0, 40, n);
        OK(HCOMM_Recv(cleared(2, n), n, HCOMM_BYTE, 0, HCOMM_ANY_TAG, WORLD, &s));
        told(&s, 0, 41, n);
        verify(memory[2], n, 0, 1);
      }
    }
  TRYING("a Sendrecv with a message that is too long");
  int x[4] = {1, 2, 3, 4}, y[4] = {0}, to = (rank + 1) % size, from = (rank + size - 1) % size;
  if (rank == 0) FAILS(HCOMM_ERR_TRUNCATE, "16 bytes;the buffer 12;", HCOMM_Sendrecv(x, 4, HCOMM_INT, to, 1, y, 3, HCOMM_INT, from, 1, WORLD, &s));
  else OK(HCOMM_Sendrecv(x, 4, HCOMM_INT, to, 1, y, 4, HCOMM_INT, from, 1, WORLD, &s));
  CHECK(y[3] == (rank ? 4 : 0));
}

/* The NCCL-style half: in order, apart from messages with tags, and between all types. */
static void typed(void) {
  static const hcommDataType_t types[] = {hcommInt8, hcommFloat64, hcommBfloat16, hcommInt32};
  static const size_t widths[] = {1, 8, 2, 4};
  hcommComm_t comm;
  int32_t x = 0, y = 0;
  OK(hcommCommInitEnv(&comm));
  int to = (rank + 1) % size, from = (rank + size - 1) % size;
  for (int i = 0; i < SIZES; i++) {
    int t = i % 4, n = (int)((size_t)sizes[i] / widths[t] * widths[t]);
    size_t count = (size_t)n / widths[t];
    TRYING("%zu elements of type %d around the ring", count, (int)types[t]);
    fill(memory[0], n, rank, i);
    cleared(2, n);
    if (rank == 0) OK(hcommSend(memory[0], count, types[t], to, comm, NULL));
    OK(hcommRecv(memory[2], count, types[t], from, comm, NULL));
    if (rank) OK(hcommSend(memory[0], count, types[t], to, comm, NULL));
    verify(memory[2], n, from, i);
  }
  TRYING("many that wait");
  for (int i = 0; i < 100; i++, x = i) OK(hcommSend(&x, 1, hcommInt32, to, comm, NULL));
  OK(hcommBarrier(comm, NULL));
  for (int i = 0; i < 100; i++) {
    OK(hcommRecv(&y, 1, hcommInt32, from, comm, NULL));
    CHECK(y == i);
  }
  OK(hcommSend(NULL, 0, hcommFloat32, to, comm, NULL));
  OK(hcommRecv(NULL, 0, hcommFloat32, from, comm, NULL));
  OK(hcommCommDestroy(comm));
}

int main(int argc, char **argv) {
  OK(HCOMM_Init(&argc, &argv));
  errors_return();
  OK(HCOMM_Comm_rank(WORLD, &rank));
  OK(HCOMM_Comm_size(WORLD, &size));
  check_rank = rank;
  for (int i = 0; i < 4; i++) {
    void *p = NULL;
    if (i % 2) OK(hcommMemAlloc(&p, MOST + 2 * GUARD));
    else p = malloc(MOST + 2 * GUARD);
    CHECK(p);
    memset(p, GUARD_BYTE, MOST + 2 * GUARD);
    memory[i] = (unsigned char *)p + GUARD;
  }
  around();
  crossing();
  to_self(WORLD, rank);
  to_self(HCOMM_COMM_SELF, 0);
  nobody();
  probes();
  too_long();
  typed();
  TRYING("HCOMM_Finalize");
  OK(HCOMM_Finalize());
  return 0;
}
