/* Threads of one process in collectives of different communicators at once, blocking and not, beside messages; requests that
 * one thread begins and another waits for; and one communicator that goes from thread to thread.
 *
 *   threads THREADS ROUNDS
 *
 * flags: -pthread
 * run: 1 %p 3 50
 * run openmpi: 2 %p 3 200
 * run openmpi: 3 %p 2 100
 * run mpich: 2 %p 2 30
 * slow openmpi: 4 %p 4 1000
 * slow mpich: 2 %p 3 200
 * serves: allreduce bcast alltoall iallreduce igather
 */
#include "check.h"

#include <pthread.h>

enum { MOST_THREADS = 8, MOST_RANKS = 4, LONG = 5000 };

static int threads, rounds;
static pthread_barrier_t all;

struct thread {
  pthread_t id;
  int number;
  MPI_Comm comm, shared; /* its own, and one that all use in turns */
  MPI_Request handed[2]; /* begun by the thread before */
  int in[LONG], out[LONG];
};
static struct thread team[MOST_THREADS];

static int sum_of(int i) { return size * i + size * (size - 1) / 2; }

static void blocking(struct thread *t, int round) {
  int n = round % 10 ? 7 : LONG, word, gives[MOST_RANKS], gets[MOST_RANKS];
  for (int i = 0; i < n; i++) t->in[i] = rank + i + round;
  OK(MPI_Allreduce(t->in, t->out, n, MPI_INT, MPI_SUM, t->comm));
  for (int i = 0; i < n; i++) CHECK(t->out[i] == sum_of(i + round));
  word = rank == round % size ? t->number * 1000 + round : -1;
  OK(MPI_Bcast(&word, 1, MPI_INT, round % size, t->comm));
  CHECK(word == t->number * 1000 + round);
  for (int r = 0; r < size; r++) gives[r] = rank * 100 + r * 10 + t->number;
  OK(MPI_Alltoall(gives, 1, MPI_INT, gets, 1, MPI_INT, t->comm));
  for (int r = 0; r < size; r++) CHECK(gets[r] == r * 100 + rank * 10 + t->number);
}

/* beside has a message, a collective and a message under way together. */
static void beside(struct thread *t, int round) {
  int next = (rank + 1) % size, before = (rank + size - 1) % size, word = rank * 10 + t->number, got = -1, all_of[MOST_RANKS];
  static const int lengths[] = {1, 300, LONG};
  int n = lengths[round % 3];
  MPI_Request q[4];
  MPI_Status s[4];
  for (int i = 0; i < n; i++) t->in[i] = rank + i + t->number;
  OK(MPI_Irecv(&got, 1, MPI_INT, before, round, t->comm, &q[0]));
  OK(MPI_Iallreduce(t->in, t->out, n, MPI_INT, MPI_SUM, t->comm, &q[1]));
  OK(MPI_Isend(&word, 1, MPI_INT, next, round, t->comm, &q[2]));
  OK(MPI_Igather(&word, 1, MPI_INT, all_of, 1, MPI_INT, round % size, t->comm, &q[3]));
  if (round % 2) OK(MPI_Waitall(4, q, s));
  else
    for (int i = 0; i < 4; i++) OK(MPI_Wait(&q[3 - i], &s[3 - i]));
  CHECK(got == before * 10 + t->number && s[0].MPI_SOURCE == before && s[0].MPI_TAG == round);
  for (int i = 0; i < n; i++) CHECK(t->out[i] == sum_of(i + t->number));
  for (int r = 0; rank == round % size && r < size; r++) CHECK(all_of[r] == r * 10 + t->number);
}

/* new_comms come and go in all threads at once. */
static void new_comms(struct thread *t, int round) {
  int sum;
  MPI_Comm made;
  OK(MPI_Comm_dup(t->comm, &made));
  OK(MPI_Barrier(made));
  OK(MPI_Allreduce(&round, &sum, 1, MPI_INT, MPI_SUM, made));
  CHECK(sum == size * round);
  OK(MPI_Comm_free(&made));
}

/* handed_on: what each thread has begun, the next one waits for. */
static void handed_on(struct thread *t, int round) {
  struct thread *next = &team[(t->number + 1) % threads];
  int got = -1, word = round + t->number;
  t->in[0] = rank + round;
  OK(MPI_Iallreduce(t->in, t->out, 1, MPI_INT, MPI_SUM, t->comm, &next->handed[0]));
  OK(MPI_Irecv(&got, 1, MPI_INT, (rank + size - 1) % size, 5, t->comm, &next->handed[1]));
  OK(MPI_Send(&word, 1, MPI_INT, (rank + 1) % size, 5, t->comm));
  pthread_barrier_wait(&all);
  OK(MPI_Waitall(2, t->handed, MPI_STATUSES_IGNORE));
  pthread_barrier_wait(&all);
  CHECK(t->out[0] == sum_of(round) && got == word);
}

/* in_turns: the threads of all ranks use a communicator in the same order. */
static void in_turns(struct thread *t, int round) {
  for (int turn = 0; turn < threads; turn++) {
    int word = rank == 0 ? round + turn : -1;
    if (turn == t->number) {
      OK(MPI_Bcast(&word, 1, MPI_INT, 0, t->shared));
      CHECK(word == round + turn);
    }
    pthread_barrier_wait(&all);
  }
}

static void *run(void *thread) {
  struct thread *t = (struct thread *)thread;
  OK(MPI_Barrier(t->comm));
  for (int round = 0; round < rounds; round++) {
    TRYING("thread %d, round %d", t->number, round);
    blocking(t, round);
    beside(t, round);
    if (round % 8 == 0) new_comms(t, round);
    if (round % 4 == 0) handed_on(t, round);
    if (round % 4 == 0) in_turns(t, round);
  }
  return NULL;
}

int main(int argc, char **argv) {
  threads = argc > 1 ? atoi(argv[1]) : 3, rounds = argc > 2 ? atoi(argv[2]) : 100;
  begin_threads(MPI_THREAD_MULTIPLE);
  CHECK(size <= MOST_RANKS && threads <= MOST_THREADS && !pthread_barrier_init(&all, NULL, (unsigned)threads));
  MPI_Comm shared;
  OK(MPI_Comm_dup(WORLD, &shared));
  OK(MPI_Barrier(shared));
  for (int i = 0; i < threads; i++) {
    team[i].number = i, team[i].shared = shared;
    OK(MPI_Comm_dup(WORLD, &team[i].comm));
  }
  for (int i = 0; i < threads; i++) CHECK(!pthread_create(&team[i].id, NULL, run, &team[i]));
  for (int i = 0; i < threads; i++) {
    pthread_join(team[i].id, NULL);
    OK(MPI_Comm_free(&team[i].comm));
  }
  OK(MPI_Comm_free(&shared));
  end();
}
