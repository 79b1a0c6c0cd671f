/* random_calls.h: the ways in which a rank of random.c makes its part of a call, and what must have come of it. */
#ifndef RANDOM_CALLS_H
#define RANDOM_CALLS_H

#include "random_state.h"

/* mpi_type is a handle for the type, one of several; HCOMM_DATATYPE_NULL if there is none. */
static HCOMM_Datatype mpi_type(const struct type *t, uint64_t which) {
  const int n = sizeof datatypes / sizeof *datatypes;
  for (int i = 0; i < n; i++) {
    const struct datatype *d = &datatypes[(i + (int)(which % (uint64_t)n)) % n];
    if (d->as == t->code) return d->handle;
  }
  return HCOMM_DATATYPE_NULL;
}

static HCOMM_Op mpi_op(const struct op *op) {
  for (size_t i = 0; i < sizeof operators / sizeof *operators; i++)
    if (operators[i].as == op->code) return operators[i].handle;
  return HCOMM_OP_NULL;
}

/* mpi_has says whether the MPI-style half has such a collective. */
static int mpi_has(enum collective c, const struct type *t, const struct op *op) {
  return mpi_type(t, 0) != HCOMM_DATATYPE_NULL && (!collectives[c].reduces || mpi_op(op) != HCOMM_OP_NULL);
}

/* A call by its names when it is made or made ready, and when it is begun. */
#define FORMS(name, begun, ...)                                               \
  (k->way == MPI     ? HCOMM_##name(__VA_ARGS__)                              \
   : k->way == BEGUN ? HCOMM_I##begun(__VA_ARGS__, q)                         \
                     : HCOMM_##name##_init(__VA_ARGS__, HCOMM_INFO_NULL, q))

static int mpi_collective(struct call *k) {
  HCOMM_Comm c = comms[k->comm].handle;
  HCOMM_Datatype t = mpi_type(k->type, k->salt + (uint64_t)rank);
  HCOMM_Op op = mpi_op(k->op);
  HCOMM_Request *q = &k->request;
  int n = (int)k->count, root = k->root, here = k->me == root;
  const void *send = k->in_place ? HCOMM_IN_PLACE : k->send;
  switch (k->c) {
  case ALLREDUCE: return FORMS(Allreduce, allreduce, send, k->recv, n, t, op, c);
  case REDUCE: return FORMS(Reduce, reduce, send, k->recv, n, t, op, root, c);
  case REDUCESCATTER:
    return FORMS(Reduce_scatter_block, reduce_scatter_block, send, k->in_place ? k->send : k->recv, n, t, op, c);
  case BROADCAST: return FORMS(Bcast, bcast, here ? k->send : k->recv, n, t, root, c);
  case ALLGATHER: return FORMS(Allgather, allgather, send, n, t, k->recv, n, t, c);
  case ALLTOALL: return FORMS(Alltoall, alltoall, send, n, t, k->recv, n, t, c);
  case GATHER: return FORMS(Gather, gather, send, n, t, k->recv, n, t, root, c);
  case SCATTER: return FORMS(Scatter, scatter, k->send, n, t, k->in_place ? HCOMM_IN_PLACE : k->recv, n, t, root, c);
  default: return FORMS(Barrier, barrier, c);
  }
}

static int mpi_message(struct call *k) {
  HCOMM_Comm c = comms[k->comm].handle;
  HCOMM_Request *q = &k->request;
  HCOMM_Datatype t = k->what == SEND ? mpi_type(k->type, k->salt) : HCOMM_BYTE;
  int n = k->what == RECEIVE ? (int)k->room : (int)k->count;
  if (t == HCOMM_DATATYPE_NULL) t = HCOMM_BYTE, n *= (int)k->type->size;
  if (k->what == RECEIVE && k->way == MPI) return HCOMM_Recv(k->recv, n, t, k->peer, k->tag, c, &k->status);
  if (k->what == RECEIVE && k->way == BEGUN) return HCOMM_Irecv(k->recv, n, t, k->peer, k->tag, c, q);
  if (k->what == RECEIVE) return HCOMM_Recv_init(k->recv, n, t, k->peer, k->tag, c, q);
  if (k->way == MPI) return HCOMM_Send(k->send, n, t, k->peer, k->tag, c);
  if (k->way == BEGUN) return HCOMM_Isend(k->send, n, t, k->peer, k->tag, c, q);
  return HCOMM_Send_init(k->send, n, t, k->peer, k->tag, c, q);
}

static int mpi_call(struct call *k) { return k->what == COLLECTIVE ? mpi_collective(k) : mpi_message(k); }

static hcommResult_t nccl_call(struct call *k, hcommStream_t stream) {
  hcommComm_t c = (hcommComm_t)comms[k->comm].handle;
  if (k->what == SEND) return hcommSend(k->send, k->count, k->type->code, k->peer, c, stream);
  if (k->what == RECEIVE) return hcommRecv(k->recv, k->count, k->type->code, k->peer, c, stream);
  return make_call_in(k->c, k->send, k->recv, k->count, k->type->code, k->op->code, k->root, c, stream);
}

/* ------------------------------------------------------------------------------------------- what goes in and comes out */

static void know_inputs(const struct call *k) {
  inputs_set(&inputs, k->type, k->op, k->size, k->count * (size_t)k->size, k->salt);
}

static void fill_collective(struct call *k) {
  struct shape shape = shape_of(k->c, k->me, k->root, k->size);
  know_inputs(k);
  inputs_make_one(&inputs, k->me);
  if (shape.send) fill(k->type, k->send, inputs.of[k->me], 0, (size_t)shape.send * k->count);
}

/* give_buffers makes a collective's buffers; in place they are one. */
static void give_buffers(struct call *k) {
  struct shape shape = shape_of(k->c, k->me, k->root, k->size);
  size_t block = k->count * k->type->size, sent = (size_t)shape.send * block, received = (size_t)shape.recv * block;
  if (k->c == BROADCAST && k->me == k->root && k->way <= PERSISTENT) k->in_place = 1; /* HCOMM_Bcast has one buffer */
  if (!shape.send || !shape.recv) k->in_place = 0;
  if (k->in_place) {
    size_t at = (size_t)block_in_place(shape, k->me) * block;
    char *all = piece_new(&k->memory[0], sent > received ? sent : received, k->comm);
    k->send = all + (sent < received ? at : 0);
    k->recv = all + (received < sent ? at : 0);
    k->result = k->c == REDUCESCATTER && k->way <= PERSISTENT ? all : k->recv;
  } else {
    if (shape.send) k->send = piece_new(&k->memory[0], sent, k->comm);
    if (shape.recv) k->result = k->recv = piece_new(&k->memory[1], received, k->comm);
  }
  fill_collective(k);
}

static void verify_collective(struct call *k) {
  struct shape shape = shape_of(k->c, k->me, k->root, k->size);
  size_t block = k->count * k->type->size;
  know_inputs(k);
  inputs_make(&inputs);
  if (shape.recv) verify(&inputs, k->me, k->c, k->result, k->count, k->root);
  if (k->in_place && k->c == REDUCESCATTER && k->result != k->recv) return; /* MPI's leaves the rest undefined */
  for (int q = 0; q < shape.send; q++)
    if (!k->in_place || (shape.send > shape.recv && q != k->me))
      compare(&inputs, k->send + (size_t)q * block, inputs.of[k->me], (size_t)q * k->count, k->count, 0, "the input");
}

/* verify_receive looks at a message, and at what its status tells. */
static void verify_receive(struct call *k) {
  size_t bytes = k->count * k->type->size;
  uint64_t salt = k->salt;
  int got;
  if (k->way <= PERSISTENT) {
    int from = k->status.HCOMM_SOURCE;
    OK(HCOMM_Get_count(&k->status, HCOMM_BYTE, &got));
    if (k->from_any && from >= 0 && from < k->size && *k->from_any >> from & 1) {
      *k->from_any &= ~(1 << from);
      salt = k->salts[from];
    } else if (k->from_any || from != k->from) {
      FAIL("%s: it came from %d, not %d", call_text(k), from, k->from);
    }
    if (k->status.HCOMM_TAG != k->its_tag || (size_t)got != bytes)
      FAIL("%s: %d bytes came with tag %d, not %zu with tag %d", call_text(k), got, k->status.HCOMM_TAG, bytes, k->its_tag);
  }
  message_verify(k->recv, bytes, salt);
}

/* call_done verifies a call that has succeeded. */
static void call_verify(struct call *k) {
  if (k->what == COLLECTIVE) verify_collective(k);
  else if (k->what == RECEIVE) verify_receive(k);
  else message_verify(k->send, k->count * k->type->size, k->salt);
}

static void call_done(struct call *k) {
  STEP("seed %llu, action %d, done: %s", (unsigned long long)seed, action, call_text(k));
  call_verify(k);
  call_end(k);
}

/* call_ended is for one that has returned with a code. */
static void call_ended(struct call *k, int code) {
  if (code == 0) {
    call_done(k);
    return;
  }
  must_be_doomed(k->comm, code);
  call_end(k);
}

/* ------------------------------------------------------------------------------------------------- streams and groups */

/* stream_done ends the calls of a stream in which nothing is under way; if one of them has failed, nobody knows about the
 * others on doomed communicators. */
static void stream_done(int stream, int has_failed) {
  for (int i = 0; i < CALLS; i++) {
    struct call *k = &calls[i];
    if (k->state != UNDER_WAY || k->stream != stream || k->request != HCOMM_REQUEST_NULL) continue;
    if (has_failed && is_doomed(k->comm)) call_end(k);
    else call_done(k);
  }
}

/* stream_sync says whether a call in the stream had failed. */
static int stream_sync(int stream) {
  STEP("seed %llu, action %d: hcommStreamSynchronize of stream %d", (unsigned long long)seed, action, stream);
  hcommResult_t r = hcommStreamSynchronize(streams[stream]);
  if (r != hcommSuccess) some_doomed(r);
  stream_done(stream, r != hcommSuccess);
  return r != hcommSuccess;
}

/* stream_put puts a call in its stream, which may have the error of an earlier one. */
static void stream_put(struct call *k) {
  for (;;) {
    hcommResult_t r = nccl_call(k, streams[k->stream]);
    if (r == hcommSuccess) {
      k->state = UNDER_WAY;
      return;
    }
    some_doomed(r);
    if (stream_sync(k->stream)) continue;
    must_be_doomed(k->comm, r); /* it is this call's own */
    call_end(k);
    return;
  }
}

enum { GROUP = 16 };
static __thread struct call *group[GROUP];
static __thread int grouped, to_group; /* how many are kept, and how many more are to be */

/* group_try makes the calls of the group; 0 if the error of an earlier call in a stream has kept it from doing so. */
static int group_try(void) {
  int kept = 1;
  OK(hcommGroupStart());
  for (int i = 0; i < grouped; i++) {
    struct call *k = group[i];
    hcommResult_t r = nccl_call(k, k->way == GROUPED_STREAMED ? streams[k->stream] : NULL);
    if (r == hcommSuccess) continue;
    some_doomed(r);
    kept = 0;
  }
  hcommResult_t r = hcommGroupEnd();
  if (!kept && r == hcommSuccess) FAIL("hcommGroupEnd succeeds, though a call of the group has failed");
  if (r != hcommSuccess) some_doomed(r);
  for (int i = 0; i < grouped && kept; i++) {
    struct call *k = group[i];
    if (r != hcommSuccess && is_doomed(k->comm)) {
      if (k->way == GROUPED_STREAMED) stream_sync(k->stream);
      call_end(k);
    } else if (k->way == GROUPED_STREAMED) {
      k->state = UNDER_WAY;
    } else {
      call_done(k);
    }
  }
  return kept;
}

static void group_flush(void) {
  if (!grouped) return;
  STEP("seed %llu, action %d: a group of %d, the first is %s", (unsigned long long)seed, action, grouped, call_text(group[0]));
  while (!group_try())
    for (int s = 0; s < STREAMS; s++) stream_sync(s);
  grouped = to_group = 0;
}

static void group_add(struct call *k) {
  group[grouped++] = k;
  if (to_group > 0) to_group--;
  if (grouped == GROUP) group_flush();
}

/* -------------------------------------------------------------------------------------------------------- one call */

/* choose_way says how this rank makes its part. */
static enum way choose_way(int comm, int mpi, int nccl) {
  if (comms[comm].mpi_only) nccl = 0;
  if (nccl && !to_group && !grouped && mine(10) == 0) to_group = 2 + mine(5);
  if (nccl && to_group) return mine(3) ? GROUPED : GROUPED_STREAMED;
  if (mpi && (!nccl || mine(2))) return mine(3) == 0 ? MPI : mine(4) ? BEGUN : PERSISTENT;
  return mine(2) ? AT_ONCE : STREAMED;
}

/* persist starts a persistent request and completes it, to be started again; 0 if it has failed, and the call is no more. */
static int persist(struct call *k) {
  group_flush();
  STEP("seed %llu, action %d, %s", (unsigned long long)seed, action, call_text(k));
  if (k->request == HCOMM_REQUEST_NULL) OK(mpi_call(k));
  int code = HCOMM_Start(&k->request);
  if (!code) code = HCOMM_Wait(&k->request, &k->status);
  if (!code) {
    call_verify(k);
    return 1;
  }
  OK(HCOMM_Request_free(&k->request));
  call_ended(k, code);
  return 0;
}

/* perform makes a call, whose buffers are ready. */
static void perform(struct call *k) {
  if (k->way != GROUPED && k->way != GROUPED_STREAMED) group_flush();
  STEP("seed %llu, action %d, %s", (unsigned long long)seed, action, call_text(k));
  int code;
  switch (k->way) {
  case MPI: call_ended(k, mpi_call(k)); return;
  case AT_ONCE: call_ended(k, (int)nccl_call(k, NULL)); return;
  case STREAMED: stream_put(k); return;
  case BEGUN: code = mpi_call(k); break;
  case PERSISTENT:
    if (k->request == HCOMM_REQUEST_NULL) OK(mpi_call(k));
    code = HCOMM_Start(&k->request);
    if (code) OK(HCOMM_Request_free(&k->request));
    break;
  default: group_add(k); return;
  }
  if (code) {
    call_ended(k, code);
    return;
  }
  k->state = UNDER_WAY;
  if (k->way != BEGUN || k->what != SEND || comms[k->comm].mpi_only || mine(8)) return;
  OK(HCOMM_Request_free(&k->request)); /* it goes on; its buffer stays as long as the communicator */
  k->state = FORGOTTEN;
}

#endif
