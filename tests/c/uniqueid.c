/* hcommCommInitRank: an id that rank 0 makes and brings to the others in a file, for ranks that are processes, threads, or
 * threads of several processes; and ids that are none.
 *
 *   uniqueid [per-process N]    N ranks in each process of hcomm run
 *
 * flags: -pthread
 * run: hcomm run -n 1 %p
 * run: hcomm run -n 4 %p
 * run: hcomm run -n 1 %p per-process 5
 * run: hcomm run -n 3 %p per-process 2
 * timeout: 60
 */
#include "ranks.h"

enum { MOST_THREADS = 8, ROUNDS = 10 };

static int process, processes, threads = 1;
static hcommUniqueId id;

/* bring writes the id of a round in process 0 and reads it in the others; the launcher's pid names the file. */
static void bring(int round) {
  char path[512], hidden[520];
  const char *folder = getenv("TMPDIR");
  snprintf(path, sizeof path, "%s/hcomm-uniqueid-%d-%d", folder ? folder : "/tmp", (int)getppid(), round);
  snprintf(hidden, sizeof hidden, "%s.new", path);
  if (process == 0) {
    OK(hcommGetUniqueId(&id));
    FILE *f = fopen(hidden, "wb");
    CHECK(f && fwrite(&id, sizeof id, 1, f) == 1 && !fclose(f) && !rename(hidden, path));
    return;
  }
  for (double start = now();; pause_ms(1)) {
    FILE *f = fopen(path, "rb");
    if (!f && now() - start > 10000) FAIL("rank 0 wrote no %s", path);
    if (!f) continue;
    CHECK(fread(&id, sizeof id, 1, f) == 1 && !fclose(f));
    return;
  }
}

static void take_away(int round) {
  char path[512];
  const char *folder = getenv("TMPDIR");
  snprintf(path, sizeof path, "%s/hcomm-uniqueid-%d-%d", folder ? folder : "/tmp", (int)getppid(), round);
  if (process == 0) CHECK(!unlink(path));
}

static void *rank_of_round(void *thread) {
  int rank = process * threads + (int)(intptr_t)thread, size = processes * threads, n;
  hcommComm_t comm = NULL;
  static char big[MOST_THREADS][100000];
  check_rank = rank;
  TRYING("rank %d of %d", rank, size);
  if ((rank & 1) == 0) pause_ms(3); /* in any order */
  OK(hcommCommInitRank(&comm, size, id, rank));
  OK(hcommCommUserRank(comm, &n));
  CHECK(comm && n == rank);
  OK(hcommCommCount(comm, &n));
  CHECK(n == size);
  int64_t sum = rank;
  OK(hcommAllReduce(&sum, &sum, 1, hcommInt64, hcommSum, comm, NULL));
  CHECK(sum == size * (size - 1) / 2);
  char *x = big[(intptr_t)thread];
  memset(x, 1, sizeof big[0]);
  OK(hcommAllReduce(x, x, sizeof big[0], hcommInt8, hcommSum, comm, NULL));
  for (size_t i = 0; i < sizeof big[0]; i++) CHECK(x[i] == size);
  if (rank == size - 1) memset(x, 7, sizeof big[0]);
  OK(hcommBroadcast(x, x, sizeof big[0], hcommChar, size - 1, comm, NULL));
  for (size_t i = 0; i < sizeof big[0]; i++) CHECK(x[i] == 7);
  OK(hcommBarrier(comm, NULL));
  OK(hcommCommDestroy(comm));
  return NULL;
}

static void no_ids(void) {
  hcommUniqueId other, again;
  hcommComm_t comm = (hcommComm_t)4711;
  uint64_t random = 1;
  TRYING("ids that are none");
  OK(hcommGetUniqueId(&other));
  OK(hcommGetUniqueId(&again));
  CHECK(memcmp(&other, &again, sizeof other));
  memset(&again, 0, sizeof again);
  FAILS(hcommInvalidArgument, "id is not from hcommGetUniqueId", hcommCommInitRank(&comm, 2, again, 1));
  CHECK(!comm);
  FAILS(hcommInvalidArgument, "id is not from hcommGetUniqueId", hcommCommInitRank(&comm, 1, again, 0));
  for (int k = 0; k < 100; k++) {
    for (size_t i = 0; i < sizeof again; i++) again.internal[i] = (char)next_random(&random);
    FAILS(hcommInvalidArgument, "id is not from hcommGetUniqueId", hcommCommInitRank(&comm, 2, again, k % 2));
  }
  for (size_t byte = 0; byte < sizeof other; byte++) { /* one that was damaged on its way */
    again = other;
    again.internal[byte] = (char)(again.internal[byte] + 1);
    TRYING("an id whose byte %zu is wrong", byte);
    FAILS(hcommInvalidArgument, "id is not from hcommGetUniqueId", hcommCommInitRank(&comm, 2, again, 1));
  }
}

int main(int argc, char **argv) {
  pthread_t ids[MOST_THREADS];
  process = check_rank = atoi(getenv("HCOMM_RANK"));
  processes = atoi(getenv("HCOMM_SIZE"));
  if (argc > 2) threads = atoi(argv[2]);
  CHECK(threads >= 1 && threads <= MOST_THREADS);
  setenv("HCOMM_INIT_TIMEOUT", "20", 1);
  for (int round = 0; round < ROUNDS; round++) {
    bring(round);
    for (int i = 0; i < threads; i++) CHECK(!pthread_create(&ids[i], NULL, rank_of_round, (void *)(intptr_t)i));
    for (int i = 0; i < threads; i++) pthread_join(ids[i], NULL);
    take_away(round);
  }
  setenv("HCOMM_INIT_TIMEOUT", "1", 1);
  no_ids();
  return 0;
}
