/* ranks.h: one test body for ranks that are processes of hcomm run and for ranks that are threads ("threads N" among the
 * arguments). */
#ifndef RANKS_H
#define RANKS_H

#include "check.h"

#include <pthread.h>

struct job;

struct rank {
  int number, size;
  hcommComm_t comm;
  struct job *job; /* NULL for a process */
};

/* The ranks that are threads of this process. */
struct job {
  int size;
  void (*body)(struct rank *);
  hcommComm_t *comms;
  pthread_barrier_t all;
};

/* rank_open gives each rank a new communicator. */
static inline void rank_open(struct rank *me) {
  int number, size;
  if (!me->job) {
    OK(hcommCommInitEnv(&me->comm));
    OK(hcommCommUserRank(me->comm, &me->number));
    OK(hcommCommCount(me->comm, &me->size));
    check_rank = me->number;
    return;
  }
  if (me->number == 0) OK(hcommCommInitAll(me->job->comms, me->size, NULL));
  pthread_barrier_wait(&me->job->all);
  me->comm = me->job->comms[me->number];
  OK(hcommCommUserRank(me->comm, &number));
  OK(hcommCommCount(me->comm, &size));
  CHECK(number == me->number && size == me->size);
  pthread_barrier_wait(&me->job->all);
}

static inline void rank_close(struct rank *me) { OK(hcommCommDestroy(me->comm)); }

/* rank_gate lets all ranks go on together, of which one will abort. */
static inline void rank_gate(struct rank *me, int aborter) {
  int left = GATE(hcommRemoteError, hcommBarrier(me->comm, NULL));
  CHECK(left || me->number != aborter);
}

/* all_same says whether all ranks have this number. */
static inline int all_same(const struct rank *me, uint64_t number) {
  uint64_t both[2] = {number, ~number};
  OK(hcommAllReduce(both, both, 2, hcommUint64, hcommMax, me->comm, NULL));
  return both[0] == ~both[1];
}

static inline void *rank_thread(void *rank) {
  struct rank *me = rank;
  check_rank = me->number;
  me->job->body(me);
  return NULL;
}

/* ranks_wanted takes "threads N" out of the arguments; 0 if it is not there. */
static inline int ranks_wanted(int *argc, char **argv) {
  for (int i = 1; i + 1 < *argc; i++) {
    if (strcmp(argv[i], "threads")) continue;
    int n = atoi(argv[i + 1]);
    CHECK(n > 0);
    for (*argc -= 2; i < *argc; i++) argv[i] = argv[i + 2];
    return n;
  }
  return 0;
}

/* ranks_run runs the body as this process's rank, or as that many threads. */
static inline void ranks_run(int threads, void (*body)(struct rank *)) {
  if (!threads) {
    struct rank me = {0, 0, NULL, NULL};
    body(&me);
    return;
  }
  struct job job = {threads, body, calloc((size_t)threads, sizeof(hcommComm_t)), {{0}}};
  struct rank *ranks = calloc((size_t)threads, sizeof *ranks);
  pthread_t *ids = calloc((size_t)threads, sizeof *ids);
  CHECK(job.comms && ranks && ids && !pthread_barrier_init(&job.all, NULL, (unsigned)threads));
  for (int i = 0; i < threads; i++) {
    ranks[i] = (struct rank){i, threads, NULL, &job};
    CHECK(!pthread_create(&ids[i], NULL, rank_thread, &ranks[i]));
  }
  for (int i = 0; i < threads; i++) pthread_join(ids[i], NULL);
  free(job.comms), free(ranks), free(ids);
  pthread_barrier_destroy(&job.all);
}

#endif
