/* Random programs. From a seed all ranks derive the same 20 to 60 actions on a set of communicators that grows and shrinks:
 * collectives, messages, splits, shrinks, revocations. Each rank makes its part in a way of its own: at once, as a request,
 * in one of several streams, in a group, by either half; and completes what it has begun when and how it likes. What must
 * come of it is known (inputs.h); buffers have guards. It cannot come to a standstill: whatever waits needs only what belongs
 * to earlier actions.
 *
 *   random SEED [COUNT] [threads N]    COUNT programs (1), from SEED on; a failure says which seed it was
 *   random kill SEED                   in the middle of it a rank kills itself. The others get errors that name it on all
 *                                      communicators that have it, go on with the others, shrink, and leave
 *
 * flags: -pthread
 * run: hcomm run -n 1 %p 1 4
 * run: hcomm run -n 2 %p 100 12
 * run: hcomm run -n 3 %p 200 12
 * run: hcomm run -n 4 %p 300 12
 * run: hcomm run -n 6 %p 400 10
 * run: %p 500 10 threads 4
 * run: tests/random.sh %p 1 15
 * slow: hcomm run -n 2 %p 20000 150
 * slow: hcomm run -n 3 %p 30000 150
 * slow: hcomm run -n 4 %p 40000 150
 * slow: hcomm run -n 5 %p 50000 150
 * slow: hcomm run -n 6 %p 60000 150
 * slow: %p 70000 125 threads 3
 * slow: %p 80000 125 threads 6
 * slow: tests/random.sh %p 1000 200
 * timeout: 120
 */
#define _GNU_SOURCE
#include "held.h"
#include "random_messages.h"
#include "ranks.h"

#include <signal.h>

enum { WARMING = 4711 };    /* the seed of the first program */
enum { MORE_THREADS = 16 }; /* that Go may start after it, for calls that the kernel keeps */

#define SEGMENT "memfd:hcomm (" /* the name of what the ranks of communicators share */

static int times = 1, kills, is_warm; /* is_warm: the first program is done, after which what is held is measured */
static uint64_t first_seed;

/* What the ranks of a seed in which one dies know. */
static __thread int victim, armed_at, dies_at, is_armed, by_thread, delay_us; /* victim is -1 if nobody dies */

/* ------------------------------------------------------------------------------------------------------- the watchdog */

/* What it sees of each rank of this process. */
static struct {
  volatile long *steps;
  const char *doing;
  struct comm *comms;
  struct call *calls;
} watched[RANKS];

static void tell_state(int i) {
  fprintf(stderr, "rank %d hangs: %s\n", i, watched[i].doing);
  for (int k = 0; k < COMMS; k++) {
    const struct comm *c = &watched[i].comms[k];
    if (!c->live) continue;
    fprintf(stderr, "  communicator %d, here rank %d%s, has ranks", k, c->me, c->doomed ? ", doomed" : "");
    for (int r = 0; r < c->size; r++) fprintf(stderr, " %d", c->who[r]);
    fprintf(stderr, "\n");
  }
  for (int k = 0; k < CALLS; k++)
    if (watched[i].calls[k].state != UNUSED)
      fprintf(stderr, "  %s: %s\n", watched[i].calls[k].state == UNDER_WAY ? "under way" : "kept", call_text(&watched[i].calls[k]));
}

static void *watchdog(void *unused) {
  long last[RANKS] = {0};
  double since = now();
  (void)unused;
  for (;;) {
    pause_ms(200);
    for (int i = 0; i < RANKS; i++)
      if (watched[i].steps && *watched[i].steps != last[i]) last[i] = *watched[i].steps, since = now();
    if (now() - since < slowly(40e3)) continue;
    for (int i = 0; i < RANKS; i++)
      if (watched[i].steps) tell_state(i);
    _exit(3);
  }
}

static void watch(void) {
  watched[rank].doing = check_case, watched[rank].comms = comms, watched[rank].calls = calls;
  watched[rank].steps = &steps;
}

/* --------------------------------------------------------------------------------------------------------- the actions */

static void act_collective(int at) {
  struct comm *c = &comms[at];
  enum collective what = (enum collective)below(COLLECTIVES);
  const struct type *t;
  const struct op *op;
  do {
    t = &types[below(TYPES)];
    op = collectives[what].reduces ? &ops[below(ops_of(t))] : &ops[2];
  } while (c->mpi_only && !mpi_has(what, t, op));
  size_t count = what == BARRIER ? 0 : any_count(t);
  int root = below(c->size), in_place = below(4) == 0, turns = below(5) ? 1 : 2 + below(2);
  for (; turns > 0; turns--) {
    number++;
    if (c->me < 0) continue;
    struct call *k = call_new(COLLECTIVE, at);
    k->c = what, k->type = t, k->op = op, k->count = count, k->root = root;
    k->salt = mix(seed * 1000003 + (uint64_t)number);
    k->way = choose_way(at, mpi_has(what, t, op), 1);
    k->in_place = k->way <= PERSISTENT ? in_place : mine(4) == 0;
    k->stream = mine(STREAMS);
    give_buffers(k);
    while (k->way == PERSISTENT && turns > 1 && mine(4)) { /* the same request again */
      if (!persist(k)) break;
      turns--, number++;
      k->salt = mix(seed * 1000003 + (uint64_t)number);
      fill_collective(k);
    }
    if (k->state == READY) perform(k);
  }
}

/* has_victim says whether the rank that dies is in a communicator. */
static int has_victim(int at) { return victim >= 0 && rank_of(&comms[at], victim) >= 0; }

/* act_make_or_die makes communicators of one whose rank may die meanwhile. Either may fail, and what is made may have lost
 * ranks for which it did; but nobody waits for ever. */
static void act_make_or_die(int at) {
  struct comm *c = &comms[at];
  int color = below(2), x = 1;
  if (c->me < 0) return;
  HCOMM_Comm made = NULL;
  group_flush();
  STEP("seed %llu, action %d: communicator %d is split, though rank %d of the world dies", (unsigned long long)seed, action, at,
       victim);
  int code = split_or_dup(at, 0, (c->me + color) % 2, 0, &made);
  if (code) {
    must_be_doomed(at, code);
    return;
  }
  OK(HCOMM_Comm_set_errhandler(made, HCOMM_ERRORS_RETURN));
  code = HCOMM_Allreduce(HCOMM_IN_PLACE, &x, 1, HCOMM_INT, HCOMM_SUM, made);
  if (code == 0) CHECK(x == (c->size + 1 - (c->me % 2)) / 2);
  else CHECK(code == HCOMM_ERR_PROC_ABORTED);
  OK(HCOMM_Comm_free(&made));
}

static int any_comm(void) {
  int at;
  do at = below(COMMS);
  while (!comms[at].live);
  return at;
}

/* act does one action, as far as it is this rank's. A communicator whose end may come has calls only. */
static void act(void) {
  int at = any_comm(), what = below(100);
  struct comm *c = &comms[at];
  int lasts = !c->mpi_only && !c->doomed && at != 0;
  if (what < 52) act_collective(at);
  else if (what < 70) act_message(at);
  else if (what < 77) act_exchange(at);
  else if (what < 82) act_fan_in(at);
  else if (what < 89) {
    if (is_armed && has_victim(at)) act_make_or_die(at);
    else if (!c->doomed && comms_left() > 2) act_make(at);
  } else if (!lasts) return;
  else if (what < 93) act_destroy(at);
  else if (what < 96 && comms_left() > 0) act_shrink(at);
  else if (what >= 96 && comms_left() > 1 && !has_victim(at)) act_doom(at);
}

/* ------------------------------------------------------------------------------------------------------------ death */

static void *die_from_thread(void *after_us) {
  pause_ms((double)(intptr_t)after_us * 1e-3);
  kill(getpid(), SIGKILL);
  return NULL;
}

static void die(void) {
  pthread_t id;
  if (!by_thread) kill(getpid(), SIGKILL);
  CHECK(!pthread_create(&id, NULL, die_from_thread, (void *)(intptr_t)delay_us));
  by_thread = 0;
}

/* doom has a communicator end with the victim. */
static void doom(int at) {
  struct comm *c = &comms[at];
  if (!c->live || !has_victim(at)) return;
  c->doomed = 1;
  snprintf(c->culprit, sizeof c->culprit, "rank %d (host ;) died", rank_of(c, victim));
}

/* arm: from now on the victim may die. All ranks come here before it does. */
static void arm(void) {
  is_armed = 1;
  for (int i = 0; i < COMMS; i++) doom(i);
  fence(0);
}

static void draw_death(int actions) {
  int a = below(size), b = below(actions), c = below(actions), thread = below(2), us = below(20000);
  is_armed = 0, victim = -1;
  if (!kills || !is_warm) return;
  victim = a, armed_at = b < c ? b : c, dies_at = b < c ? c : b, by_thread = thread, delay_us = us;
}

/* after_death: the survivors are told of it, shrink and go on. */
static void after_death(int at) {
  int out[RANKS] = {0};
  struct comm *c = &comms[at];
  if (!c->live || !has_victim(at) || c->me < 0) return;
  group_flush();
  is_ended(at);
  finish_all();
  if (c->mpi_only) return;
  out[rank_of(c, victim)] = 1;
  int made = shrink(at, out), x = 1;
  OK(hcommAllReduce(&x, &x, 1, hcommInt32, hcommSum, (hcommComm_t)comms[made].handle, NULL));
  CHECK(x == c->size - 1);
  leave(made);
  comms[made].live = 0;
}

/* ------------------------------------------------------------------------------------------------------- a program */

static void revocations(int all) {
  for (int i = 0; i < COMMS; i++)
    if (comms[i].live && comms[i].revoke_at && (all || comms[i].revoke_at <= action)) act_revoke(i);
}

static void close_all(void) {
  for (int i = 0; i < COMMS; i++) {
    if (!comms[i].live) continue;
    if (comms[i].me >= 0 && !comms[i].mpi_only) leave(i);
    comms[i].live = 0;
  }
}

/* open_world gives all ranks a new communicator, and HCOMM_COMM_WORLD, where that has them all. */
static void open_world(hcommComm_t all) {
  int who[RANKS];
  for (int i = 0; i < size; i++) who[i] = i;
  memset(comms, 0, sizeof comms);
  int at = comm_new(who, size);
  HCOMM_Comm handle = (HCOMM_Comm)all;
  if (processes) OK(HCOMM_Comm_dup(HCOMM_COMM_WORLD, &handle));
  comm_made(at, handle);
  if (!processes) return;
  at = comm_new(who, size);
  comm_made(at, HCOMM_COMM_WORLD);
  comms[at].mpi_only = 1;
}

static void program(uint64_t which, hcommComm_t all) {
  seed = which, plan = mix(which), own = mix(which + ((uint64_t)rank + 1) * 77777), number = 0, action = -1;
  STEP("seed %llu", (unsigned long long)seed);
  int segments_before = mappings(NULL, SIZE_MAX, SEGMENT);
  open_world(all);
  for (int s = 0; s < STREAMS; s++) OK(hcommStreamCreate(&streams[s]));
  int actions = 20 + below(41);
  draw_death(actions);
  for (action = 0; action < actions; action++) {
    maybe_wait();
    if (victim >= 0 && action == armed_at) arm();
    if (victim == rank && action == dies_at) die();
    if (is_armed) for (int i = 0; i < COMMS; i++) doom(i);
    revocations(0);
    act();
  }
  if (victim == rank)
    for (die();;) pause();
  revocations(1);
  finish_all();
  for (int i = 0; i < COMMS; i++) after_death(i);
  close_all();
  for (int s = 0; s < STREAMS; s++) OK(hcommStreamDestroy(streams[s]));
  if (calls_left() != CALLS) FAIL("%d calls are left", CALLS - calls_left());
  int segments_after = mappings(NULL, SIZE_MAX, SEGMENT);
  if (processes && segments_after != segments_before) FAIL("%d segments, then %d", segments_before, segments_after);
}

/* ------------------------------------------------------------------------------------------------------------ main */

static struct held measure(void) {
  malloc_trim(0);
  struct held h = held();
  h.resident += 16384; /* Go's heap grows with the programs, up to some point */
#ifdef __SANITIZE_ADDRESS__ /* it keeps what is freed for a while */
  h.mappings = INT_MAX / 2, h.resident = h.addresses = LONG_MAX / 2;
#endif
  return h;
}

/* no_more_descriptors waits while there are more than before: somebody may be asking with hcomm status. */
static void no_more_descriptors(struct held before) {
  for (int turn = 0; turn < 100 && held().descriptors > before.descriptors; turn++) pause_ms(20);
}

static void as_process(void) {
  OK(HCOMM_Init(NULL, NULL));
  OK(HCOMM_Comm_rank(HCOMM_COMM_WORLD, &rank));
  OK(HCOMM_Comm_size(HCOMM_COMM_WORLD, &size));
  errors_return();
  check_rank = rank, processes = 1;
  CHECK(size <= RANKS);
  watch();
  inputs_open(&inputs, size);
  program(WARMING, NULL);
  is_warm = 1;
  struct held before = measure();
  for (int i = 0; i < times; i++) program(first_seed + (uint64_t)i, NULL);
  no_more_descriptors(before);
  STEP("the end, after seed %llu", (unsigned long long)seed);
  malloc_trim(0);
  has_not_grown(before, MORE_THREADS, 0);
  inputs_close(&inputs);
  OK(HCOMM_Finalize());
  if (kills) printf("rank %d went on\n", rank);
}

static void as_thread(struct rank *me) {
  struct held before = {0};
  rank = me->number, size = me->size;
  CHECK(size <= RANKS);
  watch();
  inputs_open(&inputs, size);
  for (int i = -1; i < times; i++) {
    rank_open(me);
    program(i < 0 ? WARMING : first_seed + (uint64_t)i, me->comm);
    pthread_barrier_wait(&me->job->all);
    if (i < 0 && rank == 0) before = measure();
    if (i == times - 1 && rank == 0) no_more_descriptors(before);
    pthread_barrier_wait(&me->job->all);
  }
  STEP("the end, after seed %llu", (unsigned long long)seed);
  malloc_trim(0);
  if (rank == 0) has_not_grown(before, MORE_THREADS, 0);
  pthread_barrier_wait(&me->job->all);
  inputs_close(&inputs);
}

int main(int argc, char **argv) {
  int threads = ranks_wanted(&argc, argv), arg = 1;
  pthread_t id;
  if (arg < argc && !strcmp(argv[arg], "kill")) kills = 1, arg++;
  first_seed = arg < argc ? strtoull(argv[arg++], NULL, 0) : 1;
  if (arg < argc) times = atoi(argv[arg]);
  mallopt(M_TRIM_THRESHOLD, 128 << 10); /* what is freed is given back, or leaks would not be seen */
  CHECK(!pthread_create(&id, NULL, watchdog, NULL));
  if (!threads) {
    as_process();
    return 0;
  }
  setenv("HCOMM_RANK", "0", 1);
  setenv("HCOMM_SIZE", "1", 1);
  OK(HCOMM_Init(NULL, NULL));
  errors_return();
  ranks_run(threads, as_thread);
  OK(HCOMM_Finalize());
  return 0;
}
