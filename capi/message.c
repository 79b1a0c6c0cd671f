/* message.c: small messages from point to point in C. A message that fits an inbox entry is posted at once, if there is
 * room; one that is awaited is taken off the inbox, if it comes within about 20 us and is what the receive wants. All else
 * is left to Go, which then finds everything as it was: nothing here waits for a peer with something half done. */
#include "message.h"

#include <string.h>

#include "queue.h"

uint64_t world_handle;

/* is_memory says whether n bytes may be there; Go says what is wrong if not. */
static inline int is_memory(const void *p, uint64_t n) { return n == 0 || ((uintptr_t)p >= 4096 && (uintptr_t)p < 1ull << 56); }

static inline int is_peer(const struct shared *s, int64_t peer) {
  return peer >= 0 && peer < (int64_t)s->ranks && peer != (int64_t)s->rank;
}

static inline void post(struct shared *s, struct out_queue *q, const struct message *m) {
  struct entry *e = &q->ring[q->posted % RING_ENTRIES];
  uint32_t length = (uint32_t)m->bytes;
  if (length) memcpy(payload_of(e, length), m->buf, length);
  e->op = 0, e->count = length, e->signature = m->signature;
  e->length = length, e->kind = INLINE;
  publish(s, &e->flag, ++q->posted, q->bell);
  own(&q->ring[q->posted % RING_ENTRIES], length);
}

/* fits says whether a message is one for this receive and can be taken here. The peer may change what it has written. */
static inline int fits(struct entry *e, const struct message *want, struct arrived *got) {
  uint32_t length = __atomic_load_n(&e->length, __ATOMIC_RELAXED), kind = __atomic_load_n(&e->kind, __ATOMIC_RELAXED);
  got->bytes = length, got->signature = __atomic_load_n(&e->signature, __ATOMIC_RELAXED);
  return ((got->signature ^ want->signature) & want->mask) == 0 && length <= INLINE_BYTES && length <= want->bytes &&
         (!want->exact || length == want->bytes) && e->op == 0 && e->count == length &&
         (kind == INLINE || kind == STREAMED);
}

/* await waits a little for the message that a receive wants. */
static int await(struct shared *s, uint64_t handle, const struct message *want, struct arrived *got) {
  struct in_queue *q = in(s, (uint32_t)want->peer) + s->match;
  struct entry *e = head(q);
  struct patience w = {0};
  while (__atomic_load_n(&e->flag, __ATOMIC_ACQUIRE) != q->released + 1)
    if (!patient(s, handle, &w, 0)) return 0;
  if (!fits(e, want, got)) return 0;
  if (got->bytes) memcpy((void *)want->buf, payload_of(e, (uint32_t)got->bytes), got->bytes);
  q->released++;
  publish(s, q->ack, q->released, q->bell);
  return 1;
}

enum message_result small_message(uint64_t handle, const struct message *send, const struct message *receive,
                                  struct arrived *got) {
  if ((send && (send->bytes > INLINE_BYTES || !is_memory(send->buf, send->bytes))) ||
      (receive && !is_memory(receive->buf, receive->bytes)))
    return MESSAGE_NOT_TAKEN;
  struct shared *s = claim(handle);
  if (!s) return MESSAGE_NOT_TAKEN;
  enum message_result result = MESSAGE_NOT_TAKEN;
  struct out_queue *q = NULL;
  if (s->pending || (receive && !is_peer(s, receive->peer))) goto out;
  if (send) {
    if (!is_peer(s, send->peer) || !takes(q = out(s, (uint32_t)send->peer) + s->match)) goto out;
    post(s, q, send);
    result = receive ? MESSAGE_SENT : MESSAGE_DONE;
  }
  if (receive && await(s, handle, receive, got)) result = MESSAGE_DONE;
out:
  leave(s, handle);
  return result;
}
