/* worth.c: when a communicator is worth being served. That costs the first one 5 ms, and each further one 1.5; with ranks that
 * take turns on processors 20 and 4. So what serving it would have saved must come to about as much first: then a program
 * pays at most twice what it would have paid had it known. Only what all ranks know may count, and no clock, for a sum may
 * have other last bits once it is served. */
#include "shim.h"

/* A call of few bytes saves about 0.4 us, one of this many more as much again. */
enum { EACH = 2048 };

/* So many such calls pay for it. Where ranks share processors hcomm saves less of each; but MPICH's wait without giving way,
 * and a single call takes them milliseconds. */
enum { FEWEST = 8, PAY = 2000, PAY_SHARED = 20000 };

static uint64_t price(const struct comm *c) {
  if (sharing(c) < 2) return PAY;
  return abi.of_mpich ? FEWEST : PAY_SHARED;
}

/* would_be_served leaves out what is passed on anyway. */
static int would_be_served(const struct comm *c, const struct call *call, uint64_t bytes) {
  const struct range *r = &c->faster[call->collective][0];
  if (!(settings.collectives & 1u << call->collective) || bytes < r->from || bytes >= r->below) return 0;
  if (call->collective == BARRIER) return 1;
  if (bytes < settings.min_bytes || bytes > settings.max_bytes) return 0;
  if (call->collective != ALLREDUCE && call->collective != REDUCE && call->collective != REDUCE_SCATTER_BLOCK) return 1;
  const struct element *e = element_of(call->recv_type);
  return e && operator_of(call->op, e) >= 0;
}

int is_worth(struct comm *c, const struct call *call) {
  c->calls++;
  if (settings.after) return c->calls >= settings.after;
  uint64_t bytes = block_of(call);
  if (would_be_served(c, call, bytes)) c->saved += 1 + bytes / EACH;
  return c->calls >= FEWEST && c->saved >= price(c);
}
