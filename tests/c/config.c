/* hcommConfig_t: its rules, what its fields do, and communicators that are made while the program goes on.
 *
 * run: hcomm run -n 1 %p
 * run: hcomm run -n 2 %p
 * run: hcomm run -n 4 %p
 * timeout: 60
 */
#include "held.h"

static hcommComm_t job;
static int rank, size;

static void works(hcommComm_t comm) {
  int32_t a = rank + 1, b = 0;
  OK(hcommAllReduce(&a, &b, 1, hcommInt32, hcommSum, comm, NULL));
  CHECK(b == size * (size + 1) / 2);
}

/* A fresh id that all ranks of the job have. */
static hcommUniqueId shared_id(void) {
  hcommUniqueId id;
  if (rank == 0) OK(hcommGetUniqueId(&id));
  OK(hcommBroadcast(&id, &id, sizeof id, hcommInt8, 0, job, NULL));
  return id;
}

static hcommResult_t state(hcommComm_t comm) {
  hcommResult_t r = hcommUnhandledCudaError;
  OK(hcommCommGetAsyncError(comm, &r));
  return r;
}

static hcommResult_t settled(hcommComm_t comm) {
  double since = now();
  while (state(comm) == hcommInProgress)
    if (now() - since > slowly(20000)) FAIL("it is never made");
  return state(comm);
}

/* Each way to break a rule is refused, by every call that takes a config, with words about it. */
static void refused(hcommConfig_t config, const char *words) {
  hcommUniqueId id;
  hcommComm_t made = job, alone;
  TRYING("%s", words);
  OK(hcommGetUniqueId(&id));
  FAILS(hcommInvalidArgument, words, hcommCommInitRankConfig(&made, 1, id, 0, &config));
  CHECK(!made);
  OK(hcommCommInitAll(&alone, 1, NULL));
  FAILS(hcommInvalidArgument, words, hcommCommSplit(alone, 0, 0, &made, &config));
  FAILS(hcommInvalidArgument, words, hcommCommShrink(alone, NULL, 0, &made, &config, HCOMM_SHRINK_DEFAULT));
  CHECK(!made);
  OK(hcommCommDestroy(alone));
}

#define REFUSED(words, change)                        \
  do {                                                \
    hcommConfig_t config = HCOMM_CONFIG_INITIALIZER;  \
    change;                                           \
    refused(config, words);                           \
  } while (0)

static void rules(void) {
  char long_name[129];
  hcommUniqueId id;
  hcommComm_t made;
  memset(long_name, 'n', 128), long_name[128] = 0;
  REFUSED("config->magic is 0;HCOMM_CONFIG_INITIALIZER", config.magic = 0);
  REFUSED("config->magic is 0", memset(&config, 0, sizeof config));
  REFUSED("config->size is 0", config.size = 0);
  REFUSED("config->size is 15;16 to 40", config.size = 15);
  REFUSED("config->size is 41;16 to 40", config.size = 41);
  REFUSED("config->size is 18446744073709551615", config.size = SIZE_MAX);
  REFUSED("config->version is 299", config.version = 299);
  REFUSED("config->version is 20000", config.version = 20000);
  REFUSED("config->blocking is 2;0 or 1", config.blocking = 2);
  REFUSED("config->blocking is -1", config.blocking = -1);
  REFUSED("config->timeout_ms is -1;0, which is never", config.timeout_ms = -1);
  REFUSED("config->deterministic is 7;0 or 1", config.deterministic = 7);
  REFUSED("config->lanes is 2;1: this version", config.lanes = 2);
  REFUSED("config->lanes is 0", config.lanes = 0);
  REFUSED("config->name;127", config.name = long_name);
  REFUSED("config->name is ;control", config.name = "two\nlines");
  REFUSED("config->name is 0x7", config.name = (const char *)7);
  TRYING("a config that is no address");
  OK(hcommGetUniqueId(&id));
  FAILS(hcommInvalidArgument, "config is 0x10", hcommCommInitRankConfig(&made, 1, id, 0, (hcommConfig_t *)16));
}

/* With each field as it may be; and a struct that is shorter, as an older header has it, behind which nothing is read. */
static void accepted(void) {
  for (int i = 0; i < 8; i++) {
    hcommConfig_t config = HCOMM_CONFIG_INITIALIZER;
    hcommComm_t made;
    switch (i) {
    case 1: config.blocking = 1; break;
    case 2: config.timeout_ms = 0; break;
    case 3: config.deterministic = 1; break;
    case 4: config.lanes = 1; break;
    case 5: config.name = "the name"; break;
    case 6: config.size = offsetof(hcommConfig_t, lanes), config.lanes = 99, config.name = (const char *)7; break;
    case 7: config.size = offsetof(hcommConfig_t, blocking), config.blocking = 99; break;
    }
    TRYING("a config, case %d", i);
    OK(hcommCommInitRankConfig(&made, size, shared_id(), rank, &config));
    works(made);
    OK(hcommCommDestroy(made));
  }
  hcommComm_t made;
  OK(hcommCommInitRankConfig(&made, size, shared_id(), rank, NULL));
  works(made);
  OK(hcommCommDestroy(made));
}

static void timeout_and_deterministic(void) {
  hcommConfig_t config = HCOMM_CONFIG_INITIALIZER;
  hcommComm_t made;
  float x = 1;
  if (size == 1) return;
  TRYING("a time-out of 200 ms");
  config.timeout_ms = (int)slowly(200);
  config.name = "hasty";
  OK(hcommCommInitRankConfig(&made, size, shared_id(), rank, &config));
  OK(hcommBarrier(job, NULL)); /* or another rank may be later than rank 0 */
  if (rank) FAILS(hcommTimeout, "rank 0", hcommBarrier(made, NULL));
  OK(hcommBarrier(job, NULL));
  CHECK(state(made) == hcommTimeout);
  FAILS(hcommTimeout, "rank 0", hcommAllReduce(&x, &x, 1, hcommFloat32, hcommSum, made, NULL));
  OK(hcommCommDestroy(made));
  TRYING("another deterministic on rank 0");
  config.timeout_ms = HCOMM_CONFIG_UNDEF_INT;
  config.deterministic = rank == 0;
  FAILS(hcommMismatch, "HCOMM_DETERMINISTIC", hcommCommInitRankConfig(&made, size, shared_id(), rank, &config));
  CHECK(!made);
}

/* What every call but two says of a communicator that is not there. */
static void not_there(hcommComm_t comm, hcommResult_t code, const char *words) {
  int n = -1;
  float x = 1;
  hcommComm_t made;
  FAILS(code, words, hcommCommCount(comm, &n));
  FAILS(code, words, hcommCommUserRank(comm, &n));
  FAILS(code, words, hcommAllReduce(&x, &x, 1, hcommFloat32, hcommSum, comm, NULL));
  FAILS(code, words, hcommBarrier(comm, NULL));
  FAILS(code, words, hcommSend(&x, 1, hcommFloat32, 0, comm, NULL));
  FAILS(code, words, hcommCommDup(comm, &made));
  FAILS(code, words, hcommCommSplit(comm, 0, 0, &made, NULL));
  FAILS(code, words, hcommCommShrink(comm, NULL, 0, &made, NULL, 0));
  FAILS(code, words, hcommCommFinalize(comm));
  FAILS(code, words, hcommCommRevoke(comm, 0));
  CHECK(n == -1);
}

static void in_progress(void) {
  hcommConfig_t config = HCOMM_CONFIG_INITIALIZER;
  hcommComm_t made, half, alone;
  hcommUniqueId id = shared_id();
  config.blocking = 0;
  TRYING("a communicator that is being made");
  if (rank == size - 1) OK(hcommBarrier(job, NULL)); /* the last one comes when the others have seen that it is missing */
  CHECK(hcommCommInitRankConfig(&made, size, id, rank, &config) == hcommInProgress && made);
  if (rank < size - 1) {
    CHECK(state(made) == hcommInProgress);
    not_there(made, hcommInvalidUsage, "still being made;hcommCommGetAsyncError");
    FAILS(hcommInvalidUsage, "still being made", hcommCommDestroy(made));
    OK(hcommBarrier(job, NULL));
  }
  CHECK(settled(made) == hcommSuccess);
  works(made);
  TRYING("a split that goes on");
  hcommResult_t r = hcommCommSplit(made, rank == 0 ? HCOMM_SPLIT_NOCOLOR : 1, 0, &half, &config);
  CHECK(r == (rank == 0 ? hcommSuccess : hcommInProgress) && !half == (rank == 0));
  if (half) {
    CHECK(settled(half) == hcommSuccess);
    OK(hcommBarrier(half, NULL));
    OK(hcommCommDestroy(half));
  }
  works(made);
  OK(hcommCommDestroy(made));

  TRYING("a group that goes on");
  int32_t a = 1, b = 0;
  OK(hcommGetUniqueId(&id));
  OK(hcommCommInitAll(&alone, 1, NULL));
  OK(hcommGroupStart());
  OK(hcommCommInitRankConfig(&made, 1, id, 0, &config));
  CHECK(!made);
  OK(hcommAllReduce(&a, &b, 1, hcommInt32, hcommSum, alone, NULL));
  CHECK(hcommGroupEnd() == hcommInProgress && made && b == 1);
  CHECK(settled(made) == hcommSuccess);
  OK(hcommCommDestroy(made));
  OK(hcommCommDestroy(alone));
}

static void in_vain(void) {
  hcommConfig_t config = HCOMM_CONFIG_INITIALIZER;
  hcommComm_t made;
  hcommUniqueId id;
  config.blocking = 0;
  TRYING("a communicator that cannot be made");
  OK(hcommGetUniqueId(&id));
  setenv("HCOMM_INIT_TIMEOUT", "0.2", 1);
  CHECK(hcommCommInitRankConfig(&made, 2, id, 0, &config) == hcommInProgress);
  unsetenv("HCOMM_INIT_TIMEOUT"); /* what counts is what was set at the call */
  CHECK(settled(made) == hcommTimeout);
  CHECK(strstr(hcommGetLastError(NULL), "could not be made") && strstr(hcommGetLastError(NULL), "rank 1"));
  not_there(made, hcommTimeout, "could not be made;rank 1");
  OK(hcommCommDestroy(made));
  FAILS(hcommInvalidArgument, "comm is 0x", hcommCommDestroy(made));
  FAILS(hcommInvalidArgument, "nranks is 0", hcommCommInitRankConfig(&made, 0, id, 0, &config));
  CHECK(!made);
  TRYING("a communicator that is aborted while it is made");
  int before = descriptors();
  for (int i = 0; i < 50; i++) {
    hcommResult_t r;
    OK(hcommGetUniqueId(&id));
    CHECK(hcommCommInitRankConfig(&made, 2, id, i % 2, &config) == hcommInProgress);
    if (i % 3 == 0) pause_ms(1);
    OK(hcommCommAbort(made));
    FAILS(hcommInvalidArgument, "comm is 0x", hcommCommGetAsyncError(made, &r));
    FAILS(hcommInvalidArgument, "comm is 0x", hcommCommAbort(made));
  }
  double since = now();
  while (descriptors() > before) {
    if (now() - since > slowly(10000)) FAIL("%d descriptors, %d before", descriptors(), before);
    pause_ms(5);
  }
}

int main(void) {
  hcommResult_t r;
  OK(hcommCommInitEnv(&job));
  OK(hcommCommUserRank(job, &rank));
  OK(hcommCommCount(job, &size));
  check_rank = rank;
  rules();
  accepted();
  timeout_and_deterministic();
  in_progress();
  in_vain();
  TRYING("hcommCommGetFailedRanks");
  int failed[1], count = 1;
  OK(hcommCommGetFailedRanks(job, failed, &count));
  CHECK(count == 0);
  FAILS(hcommInvalidArgument, "comm is NULL", hcommCommGetFailedRanks(NULL, failed, &count));
  FAILS(hcommInvalidArgument, "count is NULL", hcommCommGetFailedRanks(job, failed, NULL));
  FAILS(hcommInvalidArgument, "count is -1", hcommCommGetFailedRanks(job, failed, (count = -1, &count)));
  FAILS(hcommInvalidArgument, "ranks is NULL", hcommCommGetFailedRanks(job, NULL, (count = 1, &count)));
  TRYING("hcommCommGetAsyncError");
  FAILS(hcommInvalidArgument, "comm is NULL", hcommCommGetAsyncError(NULL, &r));
  FAILS(hcommInvalidArgument, "asyncError is NULL", hcommCommGetAsyncError(job, NULL));
  CHECK(state(job) == hcommSuccess);
  works(job);
  OK(hcommCommDestroy(job));
  return 0;
}
