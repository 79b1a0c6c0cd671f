/* setup.c: how a communicator comes to be served. All its ranks come here after the same blocking collective, and agree by
 * one collective of the host MPI's, and at the end by one of hcomm's. */
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "shim.h"

/* What each rank says, of which all get the bits that any has set: the version that all have has none in common with what it
 * lacks. */
struct offer {
  hcommUniqueId id;      /* rank 0's, the others' are 0 */
  int64_t first_version; /* the same */
  int64_t version, lacks;
  int64_t trouble;
};

enum { WORDS = sizeof(struct offer) / sizeof(int64_t) };
_Static_assert(sizeof(struct offer) == WORDS * sizeof(int64_t), "an offer is reduced word by word");

/* make_offer returns why this rank cannot have the communicator served, NULL if it can. */
static const char *make_offer(struct comm *c, struct offer *o) {
  int version = 0;
  memset(o, 0, sizeof *o);
  const char *trouble = load_library();
  if (!trouble && lib.GetVersion(&version) == hcommSuccess && c->rank == 0 && lib.GetUniqueId(&o->id) != hcommSuccess)
    trouble = lib.GetLastError(NULL);
  o->first_version = c->rank == 0 ? version : 0;
  o->version = version;
  o->lacks = ~o->version;
  o->trouble = trouble != NULL;
  return trouble;
}

/* give_up has the first rank that has had trouble say why; the job goes on without. */
static void give_up(struct comm *c, const char *trouble) {
  int mine = trouble ? c->rank : INT_MAX, first = -1;
  if (host.Allreduce(&mine, &first, 1, abi.int32, abi.min, c->handle) == MPI_OK && first == c->rank)
    warn("hcomm cannot serve a communicator of %d ranks, %s works alone: %s", c->size, abi.name, trouble);
}

/* join makes the communicator, and lets the host MPI go on meanwhile: others may still be in its collective. */
static hcommResult_t join(struct comm *c, const struct offer *all) {
  hcommConfig_t config = HCOMM_CONFIG_INITIALIZER;
  config.blocking = 0;
  config.timeout_ms = 0;
  hcommResult_t state = lib.CommInitRankConfig(&c->hcomm, c->size, all->id, c->rank, &config);
  while (state == hcommInProgress) {
    progress(NULL);
    usleep(50);
    hcommResult_t result = lib.CommGetAsyncError(c->hcomm, &state);
    if (result != hcommSuccess) state = result;
  }
  return state;
}

/* open_comm returns why it failed. It does so on all ranks or on none: a barrier is complete when all have joined, and who
 * has not leaves. */
static const char *open_comm(struct comm *c, const struct offer *all, char *trouble, size_t room) {
  hcommResult_t joined = join(c, all);
  if (joined == hcommSuccess && lib.Barrier(c->hcomm, NULL) == hcommSuccess) return NULL;
  snprintf(trouble, room, "%s", lib.GetLastError(NULL));
  if (joined == hcommSuccess) lib.CommAbort(c->hcomm);
  else if (c->hcomm) lib.CommDestroy(c->hcomm);
  c->hcomm = NULL;
  return trouble;
}

void set_up(struct comm *c) {
  struct offer mine, all;
  char text[1024] = "";
  in_call++;
  c->why = NOT_STARTED;
  const char *trouble = make_offer(c, &mine);
  if (host.Allreduce(&mine, &all, WORDS, abi.int64, abi.bor, c->handle) != MPI_OK) goto done;
  if (!trouble && mine.version != all.first_version) {
    snprintf(text, sizeof text, "this rank's libhcomm.so is of version %lld, rank 0's of %lld", (long long)mine.version,
             (long long)all.first_version);
    trouble = text;
  }
  if (!all.trouble && !(all.version & all.lacks) && !(trouble = open_comm(c, &all, text, sizeof text)))
    c->why = SERVED;
  else
    give_up(c, trouble);
done:
  in_call--;
}
