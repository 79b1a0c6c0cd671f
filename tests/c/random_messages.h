/* random_messages.h: messages of random.c. Each receive is made in the order of the sends that it could match, so it is known
 * what it gets, whatever it asks for. */
#ifndef RANDOM_MESSAGES_H
#define RANDOM_MESSAGES_H

#include "random_comms.h"

enum { TAGS = 3, OWN_TAG = 1000 };

/* any_count is a number of elements of a type. */
static size_t any_count(const struct type *t) {
  static const size_t edges[] = {2239, 2240, 2241, 4096, 32768, 32769, 65537};
  switch (below(8)) {
  case 0: return 0;
  case 1: return 1;
  case 2: case 3: return (size_t)below(300) | 1;
  case 4: return edges[below(7)] / t->size;
  case 5: case 6: return (size_t)below(256 << 10) / t->size;
  default: return below(3) ? (size_t)below(5000) : (size_t)(300000 + below(900000)) / t->size;
  }
}

/* A message as all ranks know it. */
struct message {
  int at, from, to, mpi, tag, has_own_tag;
  const struct type *type;
  size_t count;
  uint64_t salt;
};

static struct message message_new(int at, int mpi) {
  struct message m = {.at = at, .mpi = mpi, .type = &types[below(TYPES)], .tag = below(TAGS)};
  m.count = any_count(m.type);
  m.salt = mix(seed * 1000003 + (uint64_t)++number);
  if ((m.has_own_tag = below(3) == 0)) m.tag = OWN_TAG + number;
  return m;
}

static struct call *message_call(enum what what, const struct message *m, enum way way) {
  struct call *k = call_new(what, m->at);
  size_t bytes = m->count * m->type->size;
  k->way = way, k->salt = m->salt, k->type = m->type, k->count = m->count, k->tag = m->tag;
  k->peer = what == SEND ? m->to : m->from;
  k->stream = mine(STREAMS);
  if (what == SEND) {
    k->send = piece_new(&k->memory[0], bytes, m->at);
    message_fill(k->send, bytes, m->salt);
    return k;
  }
  k->from = m->from, k->its_tag = m->tag;
  k->room = bytes + (m->mpi && mine(2) ? (size_t)mine(100) : 0);
  k->recv = piece_new(&k->memory[1], k->room, m->at);
  if (!m->mpi) return k;
  if (m->has_own_tag && mine(2)) k->peer = HCOMM_ANY_SOURCE;
  else if (mine(3) == 0) k->tag = HCOMM_ANY_TAG;
  return k;
}

/* act_message sends some from one rank to another, perhaps itself. */
static void act_message(int at) {
  struct comm *c = &comms[at];
  int from = below(c->size), to = below(c->size), mpi = c->mpi_only || below(2);
  for (int n = 1 + below(3); n > 0; n--) {
    struct message m = message_new(at, mpi);
    m.from = from, m.to = to;
    if (c->me == from) perform(message_call(SEND, &m, choose_way(at, mpi, !mpi)));
    if (c->me == to) perform(message_call(RECEIVE, &m, choose_way(at, mpi, !mpi)));
  }
}

/* sendrecv is HCOMM_Sendrecv. */
static void sendrecv(struct call *out, struct call *in) {
  group_flush();
  STEP("seed %llu, action %d, HCOMM_Sendrecv: %s", (unsigned long long)seed, action, call_text(out));
  int code = HCOMM_Sendrecv(out->send, (int)(out->count * out->type->size), HCOMM_BYTE, out->peer, out->tag, in->recv,
                            (int)in->room, HCOMM_BYTE, in->peer, in->tag, comms[in->comm].handle, &in->status);
  call_ended(out, code);
  call_ended(in, code);
}

/* act_exchange: some ranks pass a message on to the next, round a ring. None of the two calls may wait for the other. */
static void act_exchange(int at) {
  struct comm *c = &comms[at];
  int order[RANKS], n = 1 + below(c->size), mpi = c->mpi_only || below(2);
  struct message m[RANKS];
  for (int i = 0; i < c->size; i++) {
    int j = below(i + 1);
    order[i] = order[j], order[j] = i;
  }
  for (int i = 0; i < n; i++) {
    m[i] = message_new(at, mpi);
    m[i].from = order[i], m[i].to = order[(i + 1) % n];
  }
  for (int i = 0; i < n; i++) {
    if (c->me != order[i]) continue;
    const struct message *out = &m[i], *in = &m[(i + n - 1) % n];
    if (mpi && mine(2)) {
      sendrecv(message_call(SEND, out, MPI), message_call(RECEIVE, in, MPI));
      continue;
    }
    enum way a = mpi ? BEGUN : mine(2) ? GROUPED : STREAMED, b = a;
    if (a == GROUPED && to_group < 2) to_group = 2;
    if (a == GROUPED) a = mine(2) ? GROUPED : GROUPED_STREAMED, b = mine(2) ? GROUPED : GROUPED_STREAMED;
    struct call *send = message_call(SEND, out, a), *recv = message_call(RECEIVE, in, b);
    if (a == STREAMED && send->stream == recv->stream) recv->stream = (send->stream + 1) % STREAMS;
    if (grouped + 2 > GROUP) group_flush();
    perform(send);
    perform(recv);
  }
}

/* act_fan_in: all ranks send to one, which receives from whoever comes. If its receives do not ask for a tag, they are made
 * between two fences. */
static void act_fan_in(int at) {
  struct comm *c = &comms[at];
  int to = below(c->size), tag = OWN_TAG + ++number, wild = below(3) == 0;
  const struct type *t = &types[below(TYPES)];
  size_t count = any_count(t);
  if (c->me >= 0 && wild) fence(at);
  struct message m = {.at = at, .to = to, .mpi = 1, .tag = tag, .type = t, .count = count};
  uint64_t salt = mix(seed * 1000003 + (uint64_t)number);
  if (c->me >= 0) {
    m.from = c->me, m.salt = mix(salt + (uint64_t)c->me);
    enum way way = c->me == to || wild ? BEGUN : choose_way(at, 1, 0);
    perform(message_call(SEND, &m, way));
  }
  static __thread int of[CALLS]; /* for each under way, whose message has not come */
  int *unseen = c->me == to ? &of[number % CALLS] : NULL;
  if (unseen) *unseen = (1 << c->size) - 1;
  for (int i = 0; unseen && i < c->size; i++) {
    struct call *k = message_call(RECEIVE, &m, wild ? MPI : choose_way(at, 1, 0));
    k->peer = HCOMM_ANY_SOURCE, k->tag = wild ? HCOMM_ANY_TAG : tag, k->its_tag = tag;
    k->from_any = unseen;
    for (int r = 0; r < c->size; r++) k->salts[r] = mix(salt + (uint64_t)r);
    perform(k);
  }
  if (c->me >= 0 && wild) fence(at);
}

#endif
