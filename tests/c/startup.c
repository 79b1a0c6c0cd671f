/* Errors of starting: variables that are wrong, ranks that do not come, come twice, or contradict each other. Each says
 * which variable, or which rank, and leaves nothing behind.
 *
 * flags: -pthread
 * run: %p
 * timeout: 60
 */
#include "held.h"
#include "ranks.h"

#include <arpa/inet.h>
#include <linux/membarrier.h>
#include <sys/socket.h>
#include <sys/syscall.h>

static const char *const variables[] = {
    "HCOMM_RANK", "HCOMM_SIZE", "HCOMM_ROOT", "HCOMM_PORT", "HCOMM_SECRET", "HCOMM_SPIN", "HCOMM_SIMD", "HCOMM_SLOTS",
    "HCOMM_SLOT_BYTES", "RANK", "WORLD_SIZE", "MASTER_ADDR", "MASTER_PORT", "SLURM_PROCID", "SLURM_NTASKS", "SLURM_JOB_ID",
    "SLURM_STEP_ID", "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", "PMI_RANK", "PMI_SIZE",
};

/* environment sets exactly these variables: NAME=VALUE NAME=VALUE ... */
static void environment(const char *settings) {
  char text[512], *rest = text;
  for (size_t i = 0; i < sizeof variables / sizeof *variables; i++) unsetenv(variables[i]);
  snprintf(text, sizeof text, "%s", settings);
  for (char *one; (one = strsep(&rest, " "));) {
    char *value = strchr(one, '=');
    if (!value) continue;
    *value++ = 0;
    setenv(one, value, 1);
  }
  TRYING("%s", settings);
}

static void refused(const char *settings, const char *words) {
  hcommComm_t comm = (hcommComm_t)4711;
  environment(settings);
  FAILS(hcommInvalidArgument, words, hcommCommInitEnv(&comm));
  CHECK(!comm);
}

static void wrong_variables(void) {
  refused("", "HCOMM_RANK;HCOMM_SIZE;hcomm run");
  refused("HCOMM_RANK=0", "HCOMM_SIZE is not set");
  refused("HCOMM_SIZE=2", "HCOMM_RANK is not set");
  refused("HCOMM_RANK=x HCOMM_SIZE=2", "HCOMM_RANK=x");
  refused("HCOMM_RANK=1x HCOMM_SIZE=2", "HCOMM_RANK=1x");
  refused("HCOMM_RANK=-1 HCOMM_SIZE=2", "HCOMM_RANK=-1");
  refused("HCOMM_RANK=99999999999999999999 HCOMM_SIZE=2", "HCOMM_RANK=99999999999999999999");
  refused("HCOMM_RANK=2 HCOMM_SIZE=2", "HCOMM_RANK=2;HCOMM_SIZE=2");
  refused("HCOMM_RANK=0 HCOMM_SIZE=0", "HCOMM_SIZE=0");
  refused("HCOMM_RANK=0 HCOMM_SIZE=4097", "HCOMM_SIZE=4097;4096");
  refused("HCOMM_RANK=0 HCOMM_SIZE=two", "HCOMM_SIZE=two");
  refused("HCOMM_RANK=0 HCOMM_SIZE=2", "HCOMM_ROOT");
  refused("HCOMM_RANK=0 HCOMM_SIZE=2 HCOMM_ROOT=nowhere", "HCOMM_ROOT;nowhere");
  refused("HCOMM_RANK=0 HCOMM_SIZE=2 HCOMM_ROOT=127.0.0.1:port", "HCOMM_ROOT;\"port\";1 to 65535");
  refused("HCOMM_RANK=0 HCOMM_SIZE=2 HCOMM_ROOT=127.0.0.1:99999", "HCOMM_ROOT;99999;1 to 65535");
  refused("HCOMM_RANK=0 HCOMM_SIZE=2 HCOMM_ROOT=127.0.0.1:0", "HCOMM_ROOT;\"0\";1 to 65535");
  refused("HCOMM_RANK=0 HCOMM_SIZE=1 HCOMM_SLOTS=0", "HCOMM_SLOTS=0;1 to 64");
  refused("HCOMM_RANK=0 HCOMM_SIZE=1 HCOMM_SLOT_BYTES=5000", "HCOMM_SLOT_BYTES=5000;multiple of 4096");
  refused("HCOMM_RANK=0 HCOMM_SIZE=1 HCOMM_SPIN=soon", "HCOMM_SPIN=soon");
  refused("HCOMM_RANK=0 HCOMM_SIZE=1 HCOMM_SIMD=sse", "HCOMM_SIMD=sse");
  refused("RANK=0 WORLD_SIZE=2 MASTER_ADDR=127.0.0.1 MASTER_PORT=x", "MASTER_PORT;\"x\";1 to 65535");
  refused("RANK=7 WORLD_SIZE=2 MASTER_ADDR=127.0.0.1 MASTER_PORT=29500", "RANK=7");
  refused("RANK=0 WORLD_SIZE=2 MASTER_ADDR=127.0.0.1 MASTER_PORT=29500 HCOMM_PORT=0", "HCOMM_PORT;\"0\";1 to 65535");
  refused("RANK=0 WORLD_SIZE=2 MASTER_ADDR=127.0.0.1 MASTER_PORT=29500 HCOMM_PORT=29500", "HCOMM_PORT=29500;MASTER_PORT");
  refused("OMPI_COMM_WORLD_RANK=3 OMPI_COMM_WORLD_SIZE=3", "OMPI_COMM_WORLD_RANK=3;OMPI_COMM_WORLD_SIZE=3");
  setenv("HCOMM_INIT_TIMEOUT", "long", 1);
  refused("HCOMM_RANK=0 HCOMM_SIZE=1", "HCOMM_INIT_TIMEOUT=long;seconds");
  setenv("HCOMM_INIT_TIMEOUT", "2", 1);
}

/* A job of one needs no meeting point. */
static void alone(void) {
  hcommComm_t comm;
  float x = 3;
  int n;
  environment("HCOMM_RANK=0 HCOMM_SIZE=1");
  OK(hcommCommInitEnv(&comm));
  OK(hcommAllReduce(&x, &x, 1, hcommFloat32, hcommSum, comm, NULL));
  CHECK(x == 3);
  OK(hcommCommCount(comm, &n));
  CHECK(n == 1);
  OK(hcommCommDestroy(comm));
}

/* Threads that join with these numbers. */
struct joining {
  hcommUniqueId id;
  int size, rank, want;
  const char *words;
};

static void *join(void *joining) {
  struct joining *j = joining;
  hcommComm_t comm = (hcommComm_t)4711;
  check_rank = j->rank;
  TRYING("rank %d of %d", j->rank, j->size);
  FAILS(j->want, j->words, hcommCommInitRank(&comm, j->size, j->id, j->rank));
  CHECK(!comm);
  return NULL;
}

static void join_all(struct joining *all, int n) {
  pthread_t ids[8];
  hcommUniqueId id;
  OK(hcommGetUniqueId(&id));
  for (int i = 0; i < n; i++) {
    all[i].id = id;
    CHECK(!pthread_create(&ids[i], NULL, join, &all[i]));
  }
  for (int i = 0; i < n; i++) pthread_join(ids[i], NULL);
}

static void ranks_that_do_not_fit(void) {
  const int late = hcommTimeout, disagree = hcommMismatch;
  setenv("HCOMM_INIT_TIMEOUT", "1", 1);
  TRYING("ranks 1 and 3 do not come");
  double start = now();
  join_all((struct joining[]){{.size = 4, .rank = 0, .want = late, .words = "2 of 4;missing: rank 1, 3"},
                              {.size = 4, .rank = 2, .want = late, .words = "2 of 4;missing: rank 1, 3"}}, 2);
  double took = now() - start;
  if (took < 900 || took > slowly(5000)) FAIL("it took %.0f ms, not a second", took);
  TRYING("rank 0 does not come");
  join_all((struct joining[]){{.size = 2, .rank = 1, .want = late, .words = "rank 0"}}, 1);
  setenv("HCOMM_INIT_TIMEOUT", "10", 1);
  start = now();
  TRYING("two ranks have one number");
  join_all((struct joining[]){{.size = 4, .rank = 0, .want = disagree, .words = "rank 1;two;pid"},
                              {.size = 4, .rank = 1, .want = disagree, .words = "rank 1;two;pid"},
                              {.size = 4, .rank = 1, .want = disagree, .words = "rank 1;two;pid"}}, 3);
  TRYING("ranks have different sizes");
  join_all((struct joining[]){{.size = 3, .rank = 0, .want = disagree, .words = "3;4"},
                              {.size = 4, .rank = 1, .want = disagree, .words = "3;4"}}, 2);
  took = now() - start;
  if (took > slowly(5000)) FAIL("contradictions were found after %.0f ms only", took);
}

/* A root that listens and says nothing. */
static void silent_root(void) {
  struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  socklen_t length = sizeof at;
  int fd = socket(AF_INET, SOCK_STREAM, 0);
  char settings[128];
  hcommComm_t comm = (hcommComm_t)4711;
  CHECK(fd >= 0 && !bind(fd, (struct sockaddr *)&at, sizeof at) && !listen(fd, 8));
  CHECK(!getsockname(fd, (struct sockaddr *)&at, &length));
  setenv("HCOMM_INIT_TIMEOUT", "1", 1);
  snprintf(settings, sizeof settings, "HCOMM_RANK=1 HCOMM_SIZE=2 HCOMM_ROOT=127.0.0.1:%d", ntohs(at.sin_port));
  environment(settings);
  char words[64];
  snprintf(words, sizeof words, "127.0.0.1:%d", ntohs(at.sin_port));
  double start = now();
  FAILS(hcommTimeout, words, hcommCommInitEnv(&comm));
  double took = now() - start;
  if (took < 900 || took > slowly(5000)) FAIL("it took %.0f ms, not a second", took);
  CHECK(!comm);
  close(fd);
}

enum { GET_REGISTRATIONS = 1 << 9 }; /* of membarrier, since Linux 6.3 */

/* What takes the kernel 8 ms in a process with threads was done before there were any. */
static void registered_early(void) {
  TRYING("membarrier");
  long have = syscall(SYS_membarrier, GET_REGISTRATIONS, 0, 0);
  if (have >= 0) CHECK(have & MEMBARRIER_CMD_REGISTER_GLOBAL_EXPEDITED);
}

int main(void) {
  registered_early();
  setenv("HCOMM_INIT_TIMEOUT", "2", 1);
  alone();
  ranks_that_do_not_fit();
  int before = descriptors();
  wrong_variables();
  ranks_that_do_not_fit();
  silent_root();
  alone();
  TRYING("descriptors");
  if (descriptors() != before) FAIL("%d descriptors, and %d before", descriptors(), before);
  return 0;
}
