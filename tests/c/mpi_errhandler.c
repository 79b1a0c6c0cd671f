/* Error handlers. Where one ends the process, its status, its line on standard error, and what the other ranks are told.
 *
 *   mpi_errhandler           runs jobs of the cases below, and reads what they print
 *   mpi_errhandler CASE      a rank of such a job: the last rank makes the mistake, the others wait for it
 *   mpi_errhandler returns   what is set is what is there, is inherited, and concerns one communicator
 *
 * run: %p
 * run: hcomm run -n 1 %p returns
 * run: hcomm run -n 3 %p returns
 * timeout: 120
 */
#include "check.h"

#include <sys/wait.h>

#define WORLD HCOMM_COMM_WORLD
#define SELF HCOMM_COMM_SELF

static int rank, size, x[4];

/* The mistakes. Each ends the process before it returns. */

static void argument(void) { HCOMM_Send(x, -1, HCOMM_INT, 0, 0, WORLD); }

static void bad_handle(void) { HCOMM_Barrier((HCOMM_Comm)0x103); }

static void bad_request(void) {
  HCOMM_Request q = (HCOMM_Request)0x4711;
  HCOMM_Wait(&q, HCOMM_STATUS_IGNORE);
}

static void inherited(void) {
  HCOMM_Comm dup;
  OK(HCOMM_Comm_dup(WORLD, &dup));
  OK(HCOMM_Comm_set_errhandler(WORLD, HCOMM_ERRORS_RETURN));
  HCOMM_Bcast(x, 1, HCOMM_INT, 77, dup);
}

static void aborts(void) {
  HCOMM_Comm dup;
  OK(HCOMM_Comm_dup(WORLD, &dup));
  OK(HCOMM_Comm_set_errhandler(dup, HCOMM_ERRORS_ABORT));
  HCOMM_Allreduce(x, x, 1, HCOMM_INT, HCOMM_SUM, dup);
}

static void truncated(void) {
  HCOMM_Request q[2];
  OK(HCOMM_Irecv(x, 1, HCOMM_INT, rank, 1, WORLD, &q[0]));
  OK(HCOMM_Isend(x, 2, HCOMM_INT, rank, 1, WORLD, &q[1]));
  HCOMM_Waitall(2, q, HCOMM_STATUSES_IGNORE);
}

static void under_way(void) {
  HCOMM_Request q;
  OK(HCOMM_Irecv(x, 1, HCOMM_INT, 0, 1, WORLD, &q));
  HCOMM_Finalize();
}

static void wrong_abort(void) { HCOMM_Abort(HCOMM_COMM_NULL, 3); }

static const struct {
  const char *name;
  void (*mistake)(void);
  int status;
  const char *line, *others, *on_dup; /* words of the line, and of what the others are told */
} cases[] = {
    {"argument", argument, HCOMM_ERR_COUNT,
     "hcomm: rank 1: HCOMM_Send: count is -1;(docs/errors/bad-argument.md) (HCOMM_ERR_COUNT);HCOMM_COMM_WORLD, HCOMM_ERRORS_ARE_FATAL",
     "aborted the communicator: HCOMM_Send: count is -1", NULL},
    {"bad_handle", bad_handle, HCOMM_ERR_COMM,
     "rank 1: HCOMM_Barrier: comm is 0x103;(HCOMM_ERR_COMM);HCOMM_COMM_SELF, HCOMM_ERRORS_ARE_FATAL",
     "aborted the communicator: HCOMM_Barrier: comm is 0x103", NULL},
    {"bad_request", bad_request, HCOMM_ERR_REQUEST, "HCOMM_Wait: request is 0x4711;(HCOMM_ERR_REQUEST);HCOMM_COMM_SELF",
     "aborted the communicator: HCOMM_Wait: request is 0x4711", NULL},
    {"inherited", inherited, HCOMM_ERR_ROOT, "HCOMM_Bcast: root is 77;(HCOMM_ERR_ROOT);communicator 0x;HCOMM_ERRORS_ARE_FATAL",
     "aborted the communicator: HCOMM_Bcast: root is 77", "aborted the communicator: HCOMM_Bcast: root is 77"},
    {"aborts", aborts, HCOMM_ERR_BUFFER, "HCOMM_Allreduce: sendbuf;(HCOMM_ERR_BUFFER);communicator 0x;HCOMM_ERRORS_ABORT",
     "rank 1 (host ;died", "aborted the communicator: HCOMM_Allreduce: sendbuf"},
    {"truncated", truncated, HCOMM_ERR_TRUNCATE, "HCOMM_Waitall (HCOMM_Irecv): ;(HCOMM_ERR_TRUNCATE);HCOMM_COMM_WORLD",
     "aborted the communicator: HCOMM_Waitall (HCOMM_Irecv): ", NULL},
    {"under_way", under_way, HCOMM_ERR_OTHER, "HCOMM_Finalize: 1 requests are under way;HCOMM_Irecv;HCOMM_Waitall;(HCOMM_ERR_OTHER)",
     "aborted the communicator: HCOMM_Finalize: 1 requests", NULL},
    {"wrong_abort", wrong_abort, HCOMM_ERR_COMM, "HCOMM_Abort: comm is 0x100;(HCOMM_ERR_COMM);HCOMM_COMM_SELF",
     "aborted the communicator: HCOMM_Abort", NULL},
};
enum { CASES = sizeof cases / sizeof *cases };

/* has says whether a text has all the words, which ';' separates. */
static int has(const char *text, const char *words) {
  char copy[256];
  snprintf(copy, sizeof copy, "%s", words);
  for (char *w = strtok(copy, ";"); w; w = strtok(NULL, ";"))
    if (!strstr(text, w)) return 0;
  return 1;
}

static void as_rank(int number) {
  HCOMM_Comm dup;
  if (rank == size - 1) {
    OK(HCOMM_Barrier(WORLD));
    cases[number].mistake();
    FAIL("%s did not end the process", cases[number].name);
  }
  errors_return();
  int on_dup = GATE(HCOMM_ERR_PROC_ABORTED, HCOMM_Barrier(WORLD)) && cases[number].on_dup &&
               GATE(HCOMM_ERR_PROC_ABORTED, HCOMM_Comm_dup(WORLD, &dup)); /* which gets its handler from here */
  if (on_dup) FAILS(HCOMM_ERR_PROC_ABORTED, cases[number].on_dup, HCOMM_Barrier(dup));
  FAILS(HCOMM_ERR_PROC_ABORTED, cases[number].others, HCOMM_Barrier(WORLD));
  OK(HCOMM_Finalize());
  printf("rank %d was told\n", rank);
}

static void as_job(const char *program, int number) {
  char command[1024], output[8192];
  TRYING("%s", cases[number].name);
  snprintf(command, sizeof command, "hcomm run -n 2 --no-kill '%s' %s 2>&1", program, cases[number].name);
  FILE *f = popen(command, "r");
  CHECK(f);
  output[fread(output, 1, sizeof output - 1, f)] = 0;
  int status = pclose(f);
  if (!WIFEXITED(status) || WEXITSTATUS(status) != cases[number].status || !has(output, cases[number].line) ||
      !strstr(output, "rank 0 was told"))
    FAIL("status %d, not %d, or not the words '%s': %s", WEXITSTATUS(status), cases[number].status, cases[number].line, output);
  printf("%s", output);
}

static void returns(void) {
  HCOMM_Comm dup, half;
  HCOMM_Errhandler h = NULL;
  TRYING("what is set is there");
  OK(HCOMM_Comm_get_errhandler(WORLD, &h));
  CHECK(h == HCOMM_ERRORS_ARE_FATAL);
  OK(HCOMM_Comm_get_errhandler(SELF, &h));
  CHECK(h == HCOMM_ERRORS_ARE_FATAL);
  OK(HCOMM_Comm_set_errhandler(SELF, HCOMM_ERRORS_RETURN));
  OK(HCOMM_Comm_set_errhandler(WORLD, HCOMM_ERRORS_ABORT));
  OK(HCOMM_Comm_get_errhandler(WORLD, &h));
  CHECK(h == HCOMM_ERRORS_ABORT);
  OK(HCOMM_Comm_set_errhandler(WORLD, HCOMM_ERRORS_RETURN));
  TRYING("it is inherited, and then its own");
  OK(HCOMM_Comm_dup(WORLD, &dup));
  OK(HCOMM_Comm_set_errhandler(WORLD, HCOMM_ERRORS_ARE_FATAL));
  OK(HCOMM_Comm_get_errhandler(dup, &h));
  CHECK(h == HCOMM_ERRORS_RETURN);
  FAILS(HCOMM_ERR_COUNT, "HCOMM_Bcast: count is -1", HCOMM_Bcast(x, -1, HCOMM_INT, 0, dup));
  OK(HCOMM_Comm_split(dup, rank % 2, 0, &half));
  OK(HCOMM_Comm_get_errhandler(half, &h));
  CHECK(h == HCOMM_ERRORS_RETURN);
  TRYING("what is wrong");
  OK(HCOMM_Comm_set_errhandler(WORLD, HCOMM_ERRORS_RETURN));
  FAILS(HCOMM_ERR_ERRHANDLER, "errhandler is 0x140", HCOMM_Comm_set_errhandler(dup, (HCOMM_Errhandler)0x140));
  FAILS(HCOMM_ERR_ERRHANDLER, "errhandler is 0x0", HCOMM_Comm_set_errhandler(dup, NULL));
  FAILS(HCOMM_ERR_COMM, "comm is 0x100", HCOMM_Comm_set_errhandler(HCOMM_COMM_NULL, HCOMM_ERRORS_RETURN));
  FAILS(HCOMM_ERR_COMM, "comm is 0x100", HCOMM_Comm_get_errhandler(HCOMM_COMM_NULL, &h));
  FAILS(HCOMM_ERR_ARG, "errhandler is NULL", HCOMM_Comm_get_errhandler(dup, NULL));
  OK(HCOMM_Comm_free(&half));
  OK(HCOMM_Comm_free(&dup));
  OK(HCOMM_Barrier(WORLD));
  TRYING("the NCCL-style half always returns");
  OK(HCOMM_Comm_dup(WORLD, &dup));
  OK(HCOMM_Comm_set_errhandler(dup, HCOMM_ERRORS_ARE_FATAL));
  FAILS(hcommInvalidArgument, "root is 99", hcommBroadcast(x, x, 1, hcommInt32, 99, (hcommComm_t)dup, NULL));
  OK(HCOMM_Finalize());
}

static void strings(void) {
  static const struct { int class; const char *words; } known[] = {
      {HCOMM_SUCCESS, "HCOMM_SUCCESS: no error"}, {HCOMM_ERR_BUFFER, "HCOMM_ERR_BUFFER: "}, {HCOMM_ERR_COUNT, "HCOMM_ERR_COUNT: "},
      {HCOMM_ERR_TYPE, "HCOMM_ERR_TYPE: "}, {HCOMM_ERR_TAG, "HCOMM_ERR_TAG: "}, {HCOMM_ERR_COMM, "HCOMM_ERR_COMM: "},
      {HCOMM_ERR_RANK, "HCOMM_ERR_RANK: "}, {HCOMM_ERR_REQUEST, "HCOMM_ERR_REQUEST: "}, {HCOMM_ERR_ROOT, "HCOMM_ERR_ROOT: "},
      {HCOMM_ERR_OP, "HCOMM_ERR_OP: "}, {HCOMM_ERR_ARG, "HCOMM_ERR_ARG: "}, {HCOMM_ERR_TRUNCATE, "HCOMM_ERR_TRUNCATE: "},
      {HCOMM_ERR_OTHER, "HCOMM_ERR_OTHER: "}, {HCOMM_ERR_INTERN, "HCOMM_ERR_INTERN: "}, {HCOMM_ERR_PENDING, "HCOMM_ERR_PENDING: "},
      {HCOMM_ERR_IN_STATUS, "HCOMM_ERR_IN_STATUS: "}, {HCOMM_ERR_INFO, "HCOMM_ERR_INFO: "}, {HCOMM_ERR_NO_MEM, "HCOMM_ERR_NO_MEM: "},
      {HCOMM_ERR_PROC_ABORTED, "HCOMM_ERR_PROC_ABORTED: "}, {HCOMM_ERR_ERRHANDLER, "HCOMM_ERR_ERRHANDLER: "},
      {HCOMM_ERR_MISMATCH, "HCOMM_ERR_MISMATCH: "}, {HCOMM_ERR_TIMEOUT, "HCOMM_ERR_TIMEOUT: "},
  };
  char text[HCOMM_MAX_ERROR_STRING];
  int n;
  for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
    TRYING("error class %d", known[i].class);
    OK(HCOMM_Error_class(known[i].class, &n));
    CHECK(n == known[i].class);
    OK(HCOMM_Error_string(known[i].class, text, &n));
    CHECK(n == (int)strlen(text) && !strncmp(text, known[i].words, strlen(known[i].words)));
  }
  FAILS(HCOMM_ERR_ARG, "HCOMM_Error_string: errorcode is 4711", HCOMM_Error_string(4711, text, &n));
  FAILS(HCOMM_ERR_ARG, "HCOMM_Error_string: string is NULL", HCOMM_Error_string(0, NULL, &n));
  FAILS(HCOMM_ERR_ARG, "HCOMM_Error_string: resultlen is NULL", HCOMM_Error_string(0, text, NULL));
  FAILS(HCOMM_ERR_ARG, "HCOMM_Error_class: errorcode is -1", HCOMM_Error_class(-1, &n));
  FAILS(HCOMM_ERR_ARG, "HCOMM_Error_class: errorclass is NULL", HCOMM_Error_class(0, NULL));
}

int main(int argc, char **argv) {
  strings(); /* at any time */
  if (argc == 1) {
    for (int i = 0; i < CASES; i++) as_job(argv[0], i);
    return 0;
  }
  OK(HCOMM_Init(&argc, &argv));
  OK(HCOMM_Comm_rank(WORLD, &rank));
  OK(HCOMM_Comm_size(WORLD, &size));
  check_rank = rank;
  if (!strcmp(argv[1], "returns")) {
    returns();
    strings();
    return 0;
  }
  for (int i = 0; i < CASES; i++)
    if (!strcmp(argv[1], cases[i].name)) as_rank(i);
  return 0;
}
