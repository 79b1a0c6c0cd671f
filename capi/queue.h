/* queue.h: what the paths in C have in common: the claim on a communicator, its queues, and waiting a little. */
#ifndef HCOMM_QUEUE_H
#define HCOMM_QUEUE_H

#include "small.h"

#include <limits.h>
#include <linux/futex.h>
#include <sched.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "_cgo_export.h"

enum { IDLE, IN_CALL };
enum { INLINE = 0, STREAMED = 3 }; /* kinds of a message */

#if defined(__x86_64__)
#define PAUSE() __builtin_ia32_pause()
#elif defined(__aarch64__)
#define PAUSE() __asm__ volatile("yield")
#else
#define PAUSE() ((void)0)
#endif

/* barrier holds back every later load until what was stored before is seen, unless those who wait for that have the kernel
 * do it. (A store that is itself sequentially consistent holds back no plain load on arm64, and gcc takes an order that is
 * chosen at run time for that one, which costs everybody an XCHG on x86.) */
static inline void barrier(uint32_t fenced) {
  if (fenced) __atomic_thread_fence(__ATOMIC_SEQ_CST);
}

/* leave ends the claim. If another thread has aborted the communicator meanwhile, freeing it was left to this one. */
static inline void leave(struct shared *s, uint64_t handle) {
  uint32_t fenced = s->fenced;
  __atomic_store_n(&s->use, IDLE, __ATOMIC_RELEASE);
  barrier(fenced);
  if (__builtin_expect(__atomic_load_n(&abort_request[handle % MAX_COMMS], __ATOMIC_RELAXED) == handle, 0))
    goCloseAborted(handle);
}

/* claim claims the communicator behind a handle, NULL if that cannot be done or somebody is gone. */
static inline struct shared *claim(uint64_t handle) {
  struct small *path = __atomic_load_n(&small_paths[handle % MAX_COMMS], __ATOMIC_ACQUIRE);
  if (!path || __atomic_load_n(&path->handle, __ATOMIC_RELAXED) != handle) return NULL;
  struct shared *s = &path->shared;
  uint32_t idle = IDLE;
  if (!__atomic_compare_exchange_n(&s->use, &idle, IN_CALL, 0, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED)) return NULL;
  if (path->handle == handle && !__atomic_load_n(s->notices, __ATOMIC_RELAXED)) return s;
  leave(s, path->handle);
  return NULL;
}

/* The queues of channel 0 for a peer; those of the other channels follow. */
static inline struct out_queue *out(const struct shared *s, uint32_t peer) { return s->out + (size_t)peer * s->stride; }
static inline struct in_queue *in(const struct shared *s, uint32_t peer) { return s->in + (size_t)peer * s->stride; }
static inline struct entry *head(struct in_queue *q) { return &q->ring[q->released % RING_ENTRIES]; }

/* takes says whether the peer's inbox takes one more message. */
static inline int takes(struct out_queue *q) {
  if (q->posted - q->read < RING_ENTRIES) return 1;
  q->read = __atomic_load_n(q->ack, __ATOMIC_ACQUIRE);
  return q->posted - q->read < RING_ENTRIES;
}

static inline unsigned char *payload_of(struct entry *e, uint32_t length) {
  return length <= SHORT_BYTES ? e->in_line : e->behind;
}

/* publish stores a flag that a peer waits for and wakes it if it sleeps; shm's Port.publish is its twin. */
static inline void publish(const struct shared *s, uint64_t *flag, uint64_t value, uint32_t *bell) {
  __atomic_store_n(flag, value, __ATOMIC_RELEASE);
  barrier(s->fenced);
  uint32_t armed = 1;
  if (__builtin_expect(__atomic_load_n(bell, __ATOMIC_RELAXED), 0) &&
      __atomic_compare_exchange_n(bell, &armed, 0, 0, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED))
    syscall(SYS_futex, bell, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
}

/* own asks for the lines of the entry that the next message will need; the peer has read them long ago. */
static inline void own(const struct entry *e, uint32_t length) {
#if defined(__x86_64__)
  for (uint32_t i = 0; i < length + 64; i += 64) __asm__ volatile("prefetchw %0" : : "m"(((const char *)e)[i]));
#else
  (void)e, (void)length;
#endif
}

/* sit tells on which processor this rank is, as Port.Settle of link/shm does. */
static inline void sit(struct shared *s) {
  uint32_t seat = (uint32_t)sched_getcpu() + 1;
  if (*s->seat != seat) __atomic_store_n(s->seat, seat, __ATOMIC_RELAXED);
}

/* A peer's seat is beside its bell. */
static inline int is_beside(const struct shared *s, const struct in_queue *q) {
  return __atomic_load_n(&q->bell[1], __ATOMIC_RELAXED) == *s->seat;
}

/* How long somebody has waited. */
struct patience {
  uint32_t looks, spun;
  struct timespec since;
};

/* A yield to somebody who has nothing to do, and back, takes 2.8 us; so many looks take 1. */
enum { SPINS_BEFORE_YIELD = 40, YIELDS_PER_SETTLING = 32 };

/* patient says whether to go on waiting. Where processors are few, a yield may last as long as others have work: then it
 * is over when there is news, or after 50 us; after 20 if the program's progress function is to be called then. elsewhere
 * says that all who are waited for run on other processors, where they may be about to come. */
static inline int patient(struct shared *s, uint64_t handle, struct patience *w, int elsewhere) {
  if (s->crowded && elsewhere && w->spun++ < SPINS_BEFORE_YIELD) {
    PAUSE();
    return 1;
  }
  if (w->looks++ >= s->spins) return 0;
  if (!s->crowded) {
    PAUSE();
    return 1;
  }
  w->spun = 0;
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  if (!w->since.tv_sec) w->since = now;
  long waited = (now.tv_sec - w->since.tv_sec) * 1000000000L + now.tv_nsec - w->since.tv_nsec;
  if (waited > (has_progress() ? 20000 : 50000)) return 0;
  if (++s->yields % YIELDS_PER_SETTLING == 0) goSettle(handle);
  sched_yield();
  sit(s);
  return !__atomic_load_n(s->notices, __ATOMIC_RELAXED) &&
         __atomic_load_n(&abort_request[handle % MAX_COMMS], __ATOMIC_RELAXED) != handle;
}

#endif
