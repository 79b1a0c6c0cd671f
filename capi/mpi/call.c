/* call.c: a collective: why it cannot be served, or how it can. What decides must be the same on all ranks: the
 * communicator, the collective, the bytes of a block, the operator and the kind of number; never how a rank describes
 * its buffers. An argument that is wrong is the host MPI's to refuse. */
#include <stdlib.h>
#include <string.h>

#include "layout.h"
#include "shim.h"

enum { MOST_MOVED = 1 << 30 }; /* bytes of a block that is not reduced */

static int is_root(const struct call *c, const struct comm *comm) { return c->root == comm->rank; }
static int wrong_root(const struct call *c, const struct comm *comm) { return c->root < 0 || c->root >= comm->size; }

/* One buffer is given twice, without MPI_IN_PLACE: MPICH refuses it, Open MPI in some calls. Where it does not, the call is
 * served: the other ranks cannot know of it. */
static int is_refused_alias(const struct call *c, const void *a, const void *b, size_t bytes) {
  if (a != b || !bytes) return 0;
  return abi.family != OPEN_MPI || c->collective == REDUCE || (c->collective == ALLREDUCE && c->recv_count > 1);
}

static enum why is_faster(const struct call *c, const struct plan *p) {
  const struct range *r = &p->comm->faster[c->collective][c->begun];
  return p->bytes < r->from || p->bytes >= r->below ? SLOWER : SERVED;
}

static enum why within_limits(const struct call *c, const struct plan *p) {
  return p->bytes < settings.min_bytes || p->bytes > settings.max_bytes ? OUT_OF_LIMITS : is_faster(c, p);
}

/* room is scratch for blocks; a request owns its own. */
static void *room(const struct call *c, struct plan *p, int which, size_t bytes) {
  if (!c->begun) return scratch(p->comm, which, bytes ? bytes : 1);
  return p->owned[which] = malloc(bytes ? bytes : 1);
}

/* ---- reductions ---- */

static enum why plan_numbers(const struct call *c, struct plan *p) {
  const struct element *e = element_of(c->recv_type);
  if (c->recv_count < 0 || c->recv_count > INT64_MAX / 64) return WRONG_ARGUMENT;
  if (!e) return narrowed(c->recv_type) == abi.datatype_null ? WRONG_ARGUMENT : NO_MATCH;
  int op = operator_of(c->op, e);
  if (op < 0) return is_predefined(c->op) ? NO_MATCH : USER_OPERATOR;
  p->op = (hcommRedOp_t)op;
  p->datatype = (hcommDataType_t)e->datatype;
  p->count = (size_t)c->recv_count * e->components;
  p->bytes = (size_t)c->recv_count * e->size;
  return SERVED;
}

static enum why plan_reduction(const struct call *c, struct plan *p) {
  struct comm *comm = p->comm;
  enum why why = plan_numbers(c, p);
  if (why != SERVED) return why;
  int in_place = c->send == abi.in_place, has_result = c->collective != REDUCE || is_root(c, comm);
  if (c->collective == REDUCE && (wrong_root(c, comm) || (in_place && !has_result))) return WRONG_ARGUMENT;
  if (has_result && c->recv == abi.in_place) return WRONG_ARGUMENT;
  p->send = in_place ? c->recv : c->send;
  p->recv = c->recv;
  if (p->bytes && (!p->send || (has_result && !p->recv))) return WRONG_ARGUMENT;
  if (has_result && !in_place && is_refused_alias(c, c->send, c->recv, p->bytes)) return WRONG_ARGUMENT;
  if ((why = within_limits(c, p)) != SERVED) return why;
  if (c->collective == REDUCE_SCATTER_BLOCK && p->send == c->recv && comm->rank) { /* in front, and all behind stays as it is */
    p->move_to = c->recv;
    if (!(p->recv = room(c, p, 0, p->bytes))) return WRONG_ARGUMENT;
  }
  return SERVED;
}

/* ---- data that move ---- */

/* What a rank sends and receives: so many blocks, which may be in place of each other. */
struct ends {
  struct layout send, recv;
  int sends, receives; /* blocks */
  int in_place;        /* the own block is where it is received (Scatter: sent) */
};

static enum why find_ends(const struct call *c, struct plan *p, struct ends *e) {
  struct comm *comm = p->comm;
  int root = c->collective == BCAST || c->collective == GATHER || c->collective == SCATTER ? is_root(c, comm) : 1;
  int fans_out = c->collective == SCATTER || c->collective == ALLTOALL;
  int fans_in = c->collective == GATHER || c->collective == ALLGATHER || c->collective == ALLTOALL;
  const void *marked = c->collective == SCATTER ? c->recv : c->send, *other = c->collective == SCATTER ? c->send : c->recv;
  enum why why;
  if ((c->collective == BCAST || c->collective == GATHER || c->collective == SCATTER) && wrong_root(c, comm)) return WRONG_ARGUMENT;
  *e = (struct ends){.in_place = c->collective != BCAST && marked == abi.in_place};
  if (e->in_place && !root) return WRONG_ARGUMENT;
  if (other == abi.in_place && (root || c->collective == BCAST)) return WRONG_ARGUMENT;
  e->sends = c->collective == BCAST ? 0 : c->collective == SCATTER ? (root ? comm->size : 0) : fans_out ? comm->size : 1;
  e->receives = c->collective == GATHER ? (root ? comm->size : 0) : fans_in ? comm->size : 1;
  if (e->in_place && c->collective != SCATTER) e->sends = 0;
  if (e->in_place && c->collective == SCATTER) e->receives = 0;
  if (e->sends && (why = describe(&e->send, c->send_type, c->send_count)) != SERVED) return why;
  if (e->receives && (why = describe(&e->recv, c->recv_type, c->recv_count)) != SERVED) return why;
  const struct layout *one = e->receives ? &e->recv : &e->send;
  p->bytes = (size_t)(one->count * one->size);
  if (e->sends && e->receives && e->send.count * e->send.size != e->recv.count * e->recv.size)
    return c->collective == GATHER || c->collective == SCATTER ? UNEQUAL : WRONG_ARGUMENT;
  return p->bytes > MOST_MOVED ? TOO_LONG : SERVED;
}

/* place_send finds the bytes that are sent, packed if need be. */
static enum why place_send(const struct call *c, struct plan *p, const struct ends *e) {
  if (!e->sends) return SERVED;
  p->send = c->send;
  if (!e->send.has_gaps) return p->bytes && !c->send ? WRONG_ARGUMENT : SERVED;
  void *packed = room(c, p, 0, (size_t)e->sends * p->bytes);
  p->send = packed;
  if (!packed) return NO_MEMORY;
  return pack(&e->send, e->sends, c->send, packed, c->comm) ? SERVED : WRONG_ARGUMENT;
}

static int keep_type(struct plan *p) {
  uint64_t kept;
  if (host.Type_dup(p->unpack_as.type, &kept) != MPI_OK) return 0;
  p->kept_type = p->unpack_as.type = load_handle(&kept, 0);
  return 1;
}

/* place_recv finds where the bytes are received, to be unpacked if need be. */
static enum why place_recv(const struct call *c, struct plan *p, const struct ends *e) {
  if (!e->receives) return SERVED;
  p->recv = c->recv;
  if (!e->recv.has_gaps) return p->bytes && !c->recv ? WRONG_ARGUMENT : SERVED;
  p->recv = p->unpack_from = room(c, p, 1, (size_t)e->receives * p->bytes);
  p->unpack_blocks = e->receives;
  p->unpack_as = e->recv;
  if (!p->recv) return NO_MEMORY;
  if (c->begun && !keep_type(p)) return WRONG_ARGUMENT;
  if (c->collective == BCAST) {
    if (is_root(c, p->comm)) p->unpack_blocks = 0;
    return !is_root(c, p->comm) || pack(&e->recv, 1, c->recv, p->recv, c->comm) ? SERVED : WRONG_ARGUMENT;
  }
  if (!e->in_place) return SERVED;
  if (c->collective == ALLTOALL) return pack(&e->recv, e->receives, c->recv, p->recv, c->comm) ? SERVED : WRONG_ARGUMENT;
  int64_t before = p->comm->rank * e->recv.count; /* elements */
  return pack(&e->recv, 1, (char *)c->recv + before * e->recv.extent, (char *)p->recv + (size_t)p->comm->rank * p->bytes, c->comm)
             ? SERVED : WRONG_ARGUMENT;
}

static int is_refused(const struct call *c, const struct plan *p, const struct ends *e) {
  size_t own = (size_t)p->comm->rank * p->bytes;
  if (c->collective == BCAST || !e->sends || !e->receives || e->send.has_gaps || e->recv.has_gaps) return 0;
  const char *send = (const char *)c->send + (c->collective == SCATTER ? own : 0);
  const char *recv = (const char *)c->recv + (c->collective == GATHER || c->collective == ALLGATHER ? own : 0);
  return is_refused_alias(c, send, recv, p->bytes);
}

static enum why plan_movement(const struct call *c, struct plan *p) {
  struct ends e;
  enum why why = find_ends(c, p, &e);
  if (why == SERVED) why = within_limits(c, p);
  if (why != SERVED) return why;
  p->count = p->bytes;
  p->datatype = hcommUint8;
  if (is_refused(c, p, &e)) return WRONG_ARGUMENT;
  if ((why = place_send(c, p, &e)) != SERVED || (why = place_recv(c, p, &e)) != SERVED) return why;
  size_t own = (size_t)p->comm->rank * p->bytes;
  if (c->collective == BCAST || (e.in_place && c->collective == ALLTOALL)) p->send = p->recv;
  else if (e.in_place && c->collective == SCATTER) p->recv = (char *)p->send + own;
  else if (e.in_place) p->send = (char *)p->recv + own;
  return SERVED;
}

enum why make_plan(const struct call *c, struct plan *p) {
  *p = (struct plan){.comm = comm_of(c->comm)};
  if (!p->comm) return WRONG_ARGUMENT;
  if (p->comm->why != SERVED) return p->comm->why;
  if (!(settings.collectives & 1u << c->collective)) return SWITCHED_OFF;
  if (c->collective == BARRIER) return is_faster(c, p);
  if (c->collective == ALLREDUCE || c->collective == REDUCE || c->collective == REDUCE_SCATTER_BLOCK) return plan_reduction(c, p);
  enum why why = plan_movement(c, p);
  if (UNLIKELY(why != SERVED)) drop_plan(p);
  return why;
}

void drop_plan(struct plan *p) {
  uint64_t kept;
  free(p->owned[0]);
  free(p->owned[1]);
  p->owned[0] = p->owned[1] = NULL;
  if (!p->kept_type) return;
  store_handle(&kept, p->kept_type);
  host.Type_free(&kept);
  p->kept_type = 0;
}

int finish_plan(const struct call *c, struct plan *p) {
  int all = 1;
  if (p->unpack_from && p->unpack_blocks) all = unpack(&p->unpack_as, p->unpack_blocks, p->unpack_from, c->recv, c->comm);
  if (p->move_to) memmove(p->move_to, p->recv, p->bytes);
  drop_plan(p);
  return all;
}

hcommResult_t run_plan(const struct call *c, const struct plan *p, hcommStream_t stream) {
  hcommComm_t comm = p->comm->hcomm;
  switch (c->collective) {
    case ALLREDUCE: return lib.AllReduce(p->send, p->recv, p->count, p->datatype, p->op, comm, stream);
    case REDUCE: return lib.Reduce(p->send, p->recv, p->count, p->datatype, p->op, c->root, comm, stream);
    case BCAST: return lib.Broadcast(p->send, p->recv, p->count, p->datatype, c->root, comm, stream);
    case ALLGATHER: return lib.AllGather(p->send, p->recv, p->count, p->datatype, comm, stream);
    case ALLTOALL: return lib.AlltoAll(p->send, p->recv, p->count, p->datatype, comm, stream);
    case REDUCE_SCATTER_BLOCK: return lib.ReduceScatter(p->send, p->recv, p->count, p->datatype, p->op, comm, stream);
    case GATHER: return lib.Gather(p->send, p->recv, p->count, p->datatype, c->root, comm, stream);
    case SCATTER: return lib.Scatter(p->send, p->recv, p->count, p->datatype, c->root, comm, stream);
    default: return lib.Barrier(comm, stream);
  }
}
