/* random_comms.h: communicators of random.c come and go. */
#ifndef RANDOM_COMMS_H
#define RANDOM_COMMS_H

#include "random_wait.h"

#include <pthread.h>

/* comms_left is how many more can be made; each that is doomed has another one after it, and after a death there is one more
 * at a time. */
static int comms_left(void) {
  int n = -1;
  for (int i = 0; i < COMMS; i++) n += comms[i].live ? -comms[i].doomed : 1;
  return n;
}

/* rank_of is a rank of the world as a rank of a communicator; -1 if it is not in it. */
static int rank_of(const struct comm *c, int who) {
  for (int r = 0; r < c->size; r++)
    if (c->who[r] == who) return r;
  return -1;
}

/* comm_new notes one of some ranks of the world; this rank's handle comes later. */
static int comm_new(const int *who, int n) {
  int at = 0;
  while (at < COMMS && comms[at].live) at++;
  CHECK(at < COMMS && n > 0 && n <= RANKS);
  struct comm *c = &comms[at];
  memset(c, 0, sizeof *c);
  c->live = 1, c->size = n;
  memcpy(c->who, who, (size_t)n * sizeof *who);
  c->me = rank_of(c, rank);
  return at;
}

/* comm_made is for a handle that this rank has got. */
static void comm_made(int at, HCOMM_Comm handle) {
  struct comm *c = &comms[at];
  int me, n;
  c->handle = handle;
  OK(HCOMM_Comm_set_errhandler(handle, HCOMM_ERRORS_RETURN));
  OK(HCOMM_Comm_rank(handle, &me));
  OK(HCOMM_Comm_size(handle, &n));
  if (me != c->me || n != c->size) FAIL("communicator %d: rank %d of %d, not %d of %d", at, me, n, c->me, c->size);
}

/* Ways to make one in the NCCL-style half. */
enum making { PLAIN, NAMED, GROUPED_MAKING, LATER, MAKINGS };

/* made_later waits for a communicator that is made meanwhile. */
static hcommResult_t made_later(hcommComm_t *comm, hcommResult_t begun) {
  hcommResult_t r = hcommInProgress;
  if (begun != hcommInProgress) return begun;
  while (r == hcommInProgress) {
    OK(hcommCommGetAsyncError(*comm, &r));
    if (r == hcommInProgress) pause_ms(0.2);
  }
  if (r != hcommSuccess) OK(hcommCommDestroy(*comm));
  return r;
}

static hcommConfig_t config_for(enum making how) {
  hcommConfig_t config = HCOMM_CONFIG_INITIALIZER;
  if (how == NAMED) config.name = "random";
  if (how == LATER) config.blocking = 0;
  return config;
}

/* split_or_dup calls one of them, in some way. */
static int split_or_dup(int at, int dup, int color, int key, HCOMM_Comm *made) {
  HCOMM_Comm c = comms[at].handle;
  enum making how = (enum making)mine(MAKINGS);
  hcommConfig_t config = config_for(how);
  hcommComm_t *out = (hcommComm_t *)made;
  if (comms[at].mpi_only || mine(2)) {
    if (dup) return HCOMM_Comm_dup(c, made);
    if (color >= 0 || mine(2)) return HCOMM_Comm_split(c, color < 0 ? HCOMM_UNDEFINED : color, key, made);
    return HCOMM_Comm_split_type(c, HCOMM_UNDEFINED, key, HCOMM_INFO_NULL, made);
  }
  hcommComm_t n = (hcommComm_t)c;
  if (how == GROUPED_MAKING) {
    OK(hcommGroupStart());
    OK(dup ? hcommCommDup(n, out) : hcommCommSplit(n, color, key, out, NULL));
    return (int)hcommGroupEnd();
  }
  if (dup) return (int)hcommCommDup(n, out);
  if (how == LATER && color >= 0) return (int)made_later(out, hcommCommSplit(n, color, key, out, &config));
  return (int)hcommCommSplit(n, color, key, out, how == NAMED ? &config : NULL);
}

/* join makes one by an id that its first rank brings to the others. */
static int join(int at, HCOMM_Comm *made) {
  struct comm *c = &comms[at];
  hcommUniqueId id;
  enum making how = (enum making)mine(MAKINGS);
  hcommConfig_t config = config_for(how);
  hcommComm_t *out = (hcommComm_t *)made;
  if (c->me == 0) OK(hcommGetUniqueId(&id));
  OK(HCOMM_Bcast(&id, sizeof id, HCOMM_BYTE, 0, c->handle));
  if (how != GROUPED_MAKING) return (int)made_later(out, hcommCommInitRankConfig(out, c->size, id, c->me, &config));
  OK(hcommGroupStart());
  OK(hcommCommInitRank(out, c->size, id, c->me));
  return (int)hcommGroupEnd();
}

/* members_of lists the ranks of a color, in the order of keys. */
static int members_of(const struct comm *c, const int *colors, const int *keys, int color, int *who) {
  int n = 0, ranks[RANKS];
  for (int r = 0; r < c->size; r++) {
    if (colors[r] != color) continue;
    int i = n++;
    for (; i > 0 && keys[ranks[i - 1]] > keys[r]; i--) ranks[i] = ranks[i - 1];
    ranks[i] = r;
  }
  for (int i = 0; i < n; i++) who[i] = c->who[ranks[i]];
  return n;
}

/* act_make makes one or two out of one. */
static void act_make(int at) {
  struct comm *c = &comms[at];
  int kind = below(3), colors[RANKS], keys[RANKS], who[RANKS], made[2] = {-1, -1}, apart = below(2);
  for (int r = 0; r < c->size; r++) {
    colors[r] = below(kind == 0 ? 7 : 1) == 6 ? -1 : kind == 0 && apart ? below(2) : 0;
    keys[r] = kind ? 0 : below(4) - 1;
  }
  for (int color = 0; color < 2; color++) {
    int n = members_of(c, colors, keys, color, who);
    if (n > 0) made[color] = comm_new(who, n);
  }
  if (c->me < 0) return;
  HCOMM_Comm handle = (HCOMM_Comm)&made;
  int color = colors[c->me];
  group_flush();
  STEP("seed %llu, action %d: communicator %d is %s, color %d, key %d", (unsigned long long)seed, action, at,
       kind == 0 ? "split" : kind == 1 ? "duplicated" : "made anew", color, keys[c->me]);
  OK(kind == 2 ? join(at, &handle) : split_or_dup(at, kind == 1, color, keys[c->me], &handle));
  if (color >= 0) comm_made(made[color], handle);
  else CHECK(handle == NULL || handle == HCOMM_COMM_NULL);
}

/* leave destroys this rank's handle; nothing of it is under way but what is in streams or forgotten. */
static void leave(int at) {
  struct comm *c = &comms[at];
  STEP("seed %llu, action %d: communicator %d is destroyed", (unsigned long long)seed, action, at);
  if (mine(2)) OK(hcommCommDestroy((hcommComm_t)c->handle));
  else OK(HCOMM_Comm_free(&c->handle));
  for (int i = 0; i < CALLS; i++) {
    if (calls[i].state == UNUSED || calls[i].comm != at) continue;
    calls[i].comm = -1;
    if (calls[i].state == FORGOTTEN) call_end(&calls[i]);
  }
}

static void act_destroy(int at) {
  struct comm *c = &comms[at];
  int finalize = below(4) == 0;
  if (c->me >= 0) {
    group_flush();
    if (finalize && mine(2)) OK(hcommCommFinalize((hcommComm_t)c->handle));
    else if (finalize) {
      OK(hcommGroupStart());
      OK(hcommCommFinalize((hcommComm_t)c->handle));
      OK(hcommGroupEnd());
    }
    finish_requests(at);
    leave(at);
  }
  c->live = 0;
}

/* shrink makes a communicator without some ranks, which do not call; -1 if nobody of it is left. */
static int shrink(int at, const int *out) {
  struct comm *c = &comms[at];
  int who[RANKS], list[RANKS], n = 0, excluded = 0;
  for (int r = 0; r < c->size; r++) {
    if (!out[r]) who[n++] = c->who[r];
    if (!out[r]) continue;
    int i = mine(excluded + 1);
    list[excluded++] = list[i];
    list[i] = r;
  }
  int made = comm_new(who, n);
  if (c->me < 0 || out[c->me]) return made;
  finish_all();
  STEP("seed %llu, action %d: communicator %d is shrunk by %d to %d", (unsigned long long)seed, action, at, excluded, made);
  hcommComm_t handle = NULL;
  enum making how = (enum making)mine(MAKINGS);
  hcommConfig_t config = config_for(how);
  int flags = c->doomed && mine(2) ? HCOMM_SHRINK_ABORT : HCOMM_SHRINK_DEFAULT;
  hcommResult_t r;
  do { /* sends whose requests were freed may be under way */
    if (how == GROUPED_MAKING) {
      OK(hcommGroupStart());
      OK(hcommCommShrink((hcommComm_t)c->handle, excluded ? list : NULL, excluded, &handle, NULL, flags));
      r = hcommGroupEnd();
    } else {
      r = hcommCommShrink((hcommComm_t)c->handle, list, excluded, &handle, mine(2) || how == LATER ? &config : NULL, flags);
      r = made_later(&handle, r);
    }
  } while (r == hcommInvalidUsage && says("are under way"));
  if (r != hcommSuccess) FAIL("hcommCommShrink: %d: %s", r, hcommGetLastError(NULL));
  comm_made(made, (HCOMM_Comm)handle);
  return made;
}

static void act_shrink(int at) {
  int out[RANKS] = {0}, kept = below(comms[at].size);
  for (int r = 0; r < comms[at].size; r++) out[r] = r != kept && below(4) == 0;
  shrink(at, out);
}

/* fence lets this rank go on when all ranks of a communicator have come here; they call it at once. */
static void fence(int at) {
  struct comm *c = &comms[at];
  group_flush();
  STEP("seed %llu, action %d: a fence on communicator %d", (unsigned long long)seed, action, at);
  int code = c->mpi_only || mine(2) ? HCOMM_Barrier(c->handle) : (int)hcommBarrier((hcommComm_t)c->handle, NULL);
  if (code) must_be_doomed(at, code);
}

/* act_doom has a rank revoke a communicator some actions later. */
static void act_doom(int at) {
  struct comm *c = &comms[at];
  c->revoker = below(c->size), c->revoke_at = action + 1 + below(6), c->doomed = 1;
  snprintf(c->culprit, sizeof c->culprit, "rank %d (host ;revoked the communicator", c->revoker);
  if (c->me >= 0) fence(at);
}

static void *revoke_from_thread(void *comm) {
  OK(hcommCommRevoke(comm, 0));
  return NULL;
}

static void revoke_it(hcommComm_t comm) {
  pthread_t id;
  if (mine(2)) {
    OK(hcommCommRevoke(comm, 0));
    return;
  }
  CHECK(!pthread_create(&id, NULL, revoke_from_thread, comm));
  if (mine(2)) finish_all();
  CHECK(!pthread_join(id, NULL));
}

/* is_ended verifies that calls on a doomed communicator end with its error. */
static void is_ended(int at) {
  struct comm *c = &comms[at];
  hcommComm_t handle = (hcommComm_t)c->handle;
  int x = 0;
  STEP("seed %llu, action %d: communicator %d is at its end", (unsigned long long)seed, action, at);
  for (int turn = 0; turn < 2; turn++) {
    int mpi = c->mpi_only || mine(2), n = mix(seed + (uint64_t)(action + turn)) % 2 ? 1 : 2001; /* the same on all ranks */
    int32_t sum[2001];
    memset(sum, 0, sizeof sum);
    int code = mpi ? HCOMM_Allreduce(HCOMM_IN_PLACE, sum, n, HCOMM_INT32_T, HCOMM_SUM, c->handle)
                   : (int)hcommAllReduce(sum, sum, (size_t)n, hcommInt32, hcommSum, handle, NULL);
    if (code == 0) FAIL("communicator %d is not at its end", at);
    must_be_doomed(at, code);
  }
  if (c->mpi_only) return;
  hcommResult_t r;
  OK(hcommCommGetAsyncError(handle, &r));
  must_be_doomed(at, (int)r);
  OK(hcommCommUserRank(handle, &x));
  CHECK(x == c->me);
}

/* act_revoke revokes a communicator; the ranks make another of it, without some of them. */
static void act_revoke(int at) {
  struct comm *c = &comms[at];
  if (c->me == c->revoker) {
    group_flush();
    revoke_it((hcommComm_t)c->handle);
  }
  if (c->me >= 0) {
    group_flush();
    is_ended(at);
    finish_all();
  }
  act_shrink(at);
  if (c->me >= 0) leave(at);
  c->live = 0;
}

#endif
