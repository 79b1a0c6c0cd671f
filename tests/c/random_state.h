/* random_state.h: what a rank of random.c knows: the communicators, the calls that are under way, the memory that they use,
 * and which errors are right. All of it belongs to a thread, which is a rank. */
#ifndef RANDOM_STATE_H
#define RANDOM_STATE_H

#include "inputs.h"
#include "mpi_handles.h"

#include <malloc.h>

enum { RANKS = 6, COMMS = 9, CALLS = 96, STREAMS = 3, GUARD = 64, GUARD_BYTE = 0xa5, PAGE = 4096 };

/* A communicator. What stands above handle is the same on all ranks, also on those that are not in it. */
struct comm {
  int live, size, who[RANKS]; /* the numbers that its ranks have in the world */
  int mpi_only;               /* HCOMM_COMM_WORLD */
  int doomed;                 /* from now on it may end at any time; then this is what the error says, ';' between */
  char culprit[96];
  int revoker, revoke_at; /* rank, and the action at which it revokes it; 0: it does not */
  HCOMM_Comm handle;
  int me; /* -1: not in it */
};

/* Memory for one buffer of a call, with guards around it. */
struct piece {
  char *base, *at;
  size_t bytes;
  int is_shared; /* from hcommMemAlloc */
  hcommComm_t comm;
  void *registered;
};

enum what { COLLECTIVE, SEND, RECEIVE };
enum way { MPI, BEGUN, PERSISTENT, AT_ONCE, STREAMED, GROUPED, GROUPED_STREAMED, WAYS };
static const char *const ways[WAYS] = {"made (MPI)", "begun", "persistent", "made", "in a stream", "in a group",
                                       "in a group, in a stream"};

struct call {
  enum { UNUSED, READY, UNDER_WAY, FORGOTTEN } state;
  enum what what;
  enum way way;
  int comm, size, me; /* comm is -1 once that one is destroyed */
  uint64_t salt;      /* makes its bytes */
  int stream;         /* of those that are put in one */
  HCOMM_Request request;
  enum collective c;
  const struct type *type;
  const struct op *op;
  size_t count;
  int root, in_place;
  int peer, tag;           /* as a receive asks for them */
  int from, its_tag;       /* what it must get; from is -1 if it may be any whose bit is set in *from_any */
  size_t room;             /* bytes of the receiver, which may be more */
  int *from_any;
  uint64_t salts[RANKS]; /* of what each may send */
  struct piece memory[2];
  char *send, *recv, *result; /* result: in recv, or where in place it is */
  HCOMM_Status status;
};

static __thread int rank, size, processes; /* in the world; processes: not threads */
static __thread uint64_t seed, plan, own;  /* the streams of random numbers: everyone's, and this rank's */
static __thread int action, number;        /* of the call: the same on all ranks */
static __thread struct comm comms[COMMS];
static __thread struct call calls[CALLS];
static __thread hcommStream_t streams[STREAMS];
static __thread struct inputs inputs;
static __thread volatile long steps; /* for the watchdog */

static int below(int n) { return (int)(next_random(&plan) % (uint64_t)n); }
static int mine(int n) { return (int)(next_random(&own) % (uint64_t)n); }

#define STEP(...) (steps++, TRYING(__VA_ARGS__))

/* -------------------------------------------------------------------------------------------------- which errors are right */

/* says is whether this thread's last error has all the words. */
static int says(const char *words) {
  const char *sentence = hcommGetLastError(NULL);
  while (*words) {
    char word[128];
    size_t n = strcspn(words, ";");
    snprintf(word, sizeof word, "%.*s", (int)n, words);
    if (!strstr(sentence, word)) return 0;
    words += n + (words[n] == ';');
  }
  return 1;
}

/* is_doomed says whether a communicator may be at its end. */
static int is_doomed(int comm) { return comm >= 0 && comms[comm].doomed; }

/* must_be_doomed fails unless a call on a communicator may have this error. */
static void must_be_doomed(int comm, int code) {
  if (!is_doomed(comm) || (code != hcommRemoteError && code != HCOMM_ERR_PROC_ABORTED) || !says(comms[comm].culprit))
    FAIL("error %d on communicator %d: %s", code, comm, hcommGetLastError(NULL));
}

/* some_doomed fails unless an error may be one of some communicator. */
static void some_doomed(hcommResult_t code) {
  for (int i = 0; i < COMMS; i++)
    if (code == hcommRemoteError && comms[i].live && comms[i].doomed && says(comms[i].culprit)) return;
  FAIL("error %d: %s", (int)code, hcommGetLastError(NULL));
}

/* ------------------------------------------------------------------------------------------------------------ memory */

static char *piece_new(struct piece *p, size_t bytes, int comm) {
  int kind = mine(6);
  size_t shift = (size_t)mine(3) * (size_t)mine(64), all = bytes + 2 * GUARD + shift;
  memset(p, 0, sizeof *p);
  p->bytes = bytes;
  if (kind == 0) {
    void *x = NULL;
    OK(hcommMemAlloc(&x, all));
    p->base = x, p->is_shared = 1;
  } else if (kind == 1) {
    CHECK(!posix_memalign((void **)&p->base, PAGE, all));
  } else {
    CHECK(p->base = malloc(all));
  }
  memset(p->base, GUARD_BYTE, all);
  if (kind == 1 && !comms[comm].mpi_only) {
    p->comm = (hcommComm_t)comms[comm].handle;
    OK(hcommCommRegister(p->comm, p->base, all, &p->registered));
  }
  return p->at = p->base + GUARD + shift;
}

static void piece_end(struct piece *p) {
  if (!p->base) return;
  for (int i = 0; i < GUARD; i++)
    if ((unsigned char)p->at[-1 - i] != GUARD_BYTE || (unsigned char)p->at[p->bytes + (size_t)i] != GUARD_BYTE)
      FAIL("a byte %d outside a buffer of %zu bytes was written", i + 1, p->bytes);
  if (p->registered) OK(hcommCommDeregister(p->comm, p->registered));
  if (p->is_shared) OK(hcommMemFree(p->base));
  else free(p->base);
  p->base = NULL;
}

/* ------------------------------------------------------------------------------------------------------------- calls */

static struct call *call_new(enum what what, int comm) {
  for (int i = 0; i < CALLS; i++) {
    struct call *k = &calls[i];
    if (k->state != UNUSED) continue;
    memset(k, 0, sizeof *k);
    k->state = READY, k->what = what, k->comm = comm, k->size = comms[comm].size, k->me = comms[comm].me;
    k->request = HCOMM_REQUEST_NULL, k->stream = -1;
    return k;
  }
  FAIL("too many calls are under way");
}

static int calls_left(void) {
  int n = 0;
  for (int i = 0; i < CALLS; i++) n += calls[i].state == UNUSED;
  return n;
}

/* call_end lets go of a call's memory. */
static void call_end(struct call *k) {
  piece_end(&k->memory[0]);
  piece_end(&k->memory[1]);
  k->state = UNUSED;
}

static const char *call_text(const struct call *k) {
  static __thread char text[200];
  const char *way = ways[k->way];
  if (k->what == COLLECTIVE)
    snprintf(text, sizeof text, "communicator %d: %s of %zu %s with %s, root %d%s, %s", k->comm, collectives[k->c].name,
             k->count, k->type->name, k->op->name, k->root, k->in_place ? ", in place" : "", way);
  else
    snprintf(text, sizeof text, "communicator %d: %s %d, tag %d, %zu %s, %s", k->comm,
             k->what == SEND ? "a message to" : "a message from", k->peer, k->tag, k->count, k->type->name, way);
  return text;
}

/* The bytes of a message. */
static void message_fill(char *p, size_t bytes, uint64_t salt) {
  for (size_t i = 0; i < bytes; i++) p[i] = (char)((salt >> (i % 8 * 8)) ^ (i >> 3));
}

static void message_verify(const char *p, size_t bytes, uint64_t salt) {
  for (size_t i = 0; i < bytes; i++)
    if (p[i] != (char)((salt >> (i % 8 * 8)) ^ (i >> 3))) FAIL("byte %zu of %zu of a message is wrong", i, bytes);
}

#endif
