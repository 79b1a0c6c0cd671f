/* setup.c: how a communicator comes to be served. All its ranks come here after the same blocking collective, and use the
 * host MPI's own collectives to agree. */
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "shim.h"

struct offer {
  hcommUniqueId id;
  int version; /* 0 if there is no library */
  int sharing; /* how many ranks a processor has */
};

static int version_of_library(void) {
  int version = 0;
  return load_library() || lib.GetVersion(&version) != hcommSuccess ? 0 : version;
}

static void make_offer(struct comm *c, struct offer *o) {
  memset(o, 0, sizeof *o);
  o->version = version_of_library();
  if (o->version && lib.GetUniqueId(&o->id) != hcommSuccess) o->version = 0;
  long processors = sysconf(_SC_NPROCESSORS_ONLN);
  o->sharing = processors < 1 ? 1 : (int)((c->size + processors - 1) / processors);
}

/* all_can is 1 if it is so on all ranks. Otherwise the first rank that cannot says why; the job goes on without. */
static int all_can(struct comm *c, const char *trouble) {
  int mine = trouble ? c->rank : INT_MAX, first = -1;
  if (host.Allreduce(&mine, &first, 1, abi.int32, abi.min, c->handle) != MPI_OK) return 0;
  if (first == c->rank)
    warn("hcomm cannot serve a communicator of %d ranks, %s works alone: %s", c->size, abi.name, trouble);
  return first == INT_MAX;
}

/* join makes the communicator, and lets the host MPI go on meanwhile: others may still be in its collective. */
static const char *join(struct comm *c, const struct offer *o) {
  hcommConfig_t config = HCOMM_CONFIG_INITIALIZER;
  config.blocking = 0;
  config.timeout_ms = 0;
  hcommResult_t state = lib.CommInitRankConfig(&c->hcomm, c->size, o->id, c->rank, &config);
  while (state == hcommInProgress) {
    progress(NULL);
    usleep(20);
    hcommResult_t result = lib.CommGetAsyncError(c->hcomm, &state);
    if (result != hcommSuccess) state = result;
  }
  return state == hcommSuccess ? NULL : lib.GetLastError(NULL);
}

void set_up(struct comm *c) {
  struct offer offer;
  char trouble[1024] = "";
  in_call++;
  if (c->rank == 0) make_offer(c, &offer);
  c->why = NOT_STARTED;
  if (host.Bcast(&offer, sizeof offer, abi.byte, 0, c->handle) != MPI_OK) goto done;
  const char *reason = load_library();
  if (!reason && version_of_library() != offer.version) {
    snprintf(trouble, sizeof trouble, "this rank's libhcomm.so is of version %d, rank 0's of %d (0: none)",
             version_of_library(), offer.version);
    reason = trouble;
  }
  if (!all_can(c, reason)) goto done;
  if ((reason = join(c, &offer))) snprintf(trouble, sizeof trouble, "%s", reason);
  if (all_can(c, reason ? trouble : NULL)) {
    find_faster(c, offer.sharing);
    c->why = SERVED;
  } else if (c->hcomm) {
    if (reason) lib.CommDestroy(c->hcomm);
    else lib.CommAbort(c->hcomm);
    c->hcomm = NULL;
  }
done:
  in_call--;
}
