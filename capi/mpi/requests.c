/* requests.c: collectives that are begun. Each has a stream of libhcomm.so, and the program gets a generalised request of
 * the host MPI for it, which is completed by the thread that waits for it or tests it. */
#include <stdlib.h>

#include "shim.h"

struct request {
  handle handle;
  hcommStream_t stream;
  struct call call;
  struct plan plan;
  int result; /* an error code */
  struct request *next;
};

uint32_t outstanding;

/* Those that are not complete, by their handles; and streams that were used before. */
enum { PLACES = 1024, STREAMS = 64 };
static struct request *requests[PLACES];
static hcommStream_t streams[STREAMS];
static int idle_streams;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static inline unsigned place_of(handle h) { return (unsigned)((uint64_t)h * 0x9e3779b97f4a7c15u >> 54); }

static hcommResult_t take_stream(hcommStream_t *stream) {
  pthread_mutex_lock(&lock);
  int found = idle_streams > 0;
  if (found) *stream = streams[--idle_streams];
  pthread_mutex_unlock(&lock);
  return found ? hcommSuccess : lib.StreamCreate(stream);
}

static void give_stream(hcommStream_t stream) {
  pthread_mutex_lock(&lock);
  int kept = idle_streams < STREAMS;
  if (kept) streams[idle_streams++] = stream;
  pthread_mutex_unlock(&lock);
  if (!kept) lib.StreamDestroy(stream);
}

static __thread int failure; /* of a request that this thread has just been told of */

int outcome(int result) {
  int f = failure;
  if (LIKELY(!f)) return result;
  failure = 0;
  return result == MPI_OK ? f : result;
}

/* query is called by the host MPI's MPI_Wait and its kin. It would give an error to the handler of MPI_COMM_WORLD; that of
 * the right communicator has had it. */
static int query(void *extra, void *status) {
  struct request *r = extra;
  host.Status_set_elements(status, abi.byte, 0);
  host.Status_set_cancelled(status, 0);
  if (r->result) failure = r->result;
  return MPI_OK;
}

/* released is called when the request is complete and the program has seen it. */
static int released(void *extra) {
  free(extra);
  return MPI_OK;
}

static int cancelled(void *extra, int complete) {
  (void)extra, (void)complete;
  return MPI_OK; /* collectives cannot be cancelled */
}

static void add(struct request *r) {
  struct request **at = &requests[place_of(r->handle)];
  pthread_mutex_lock(&lock);
  r->next = *at;
  *at = r;
  pthread_mutex_unlock(&lock);
  __atomic_fetch_add(&outstanding, 1, __ATOMIC_RELEASE);
}

/* take finds a request that is not complete and takes it out, so that no other thread goes on with it. */
static struct request *take(handle h) {
  pthread_mutex_lock(&lock);
  struct request **at = &requests[place_of(h)], *r;
  while ((r = *at) && r->handle != h) at = &r->next;
  if (r) *at = r->next;
  pthread_mutex_unlock(&lock);
  return r;
}

static void put_back(struct request *r) {
  struct request **at = &requests[place_of(r->handle)];
  pthread_mutex_lock(&lock);
  r->next = *at;
  *at = r;
  pthread_mutex_unlock(&lock);
}

/* The other ranks are served: what this one lacks is an error. */
static int not_begun(struct request *r, struct plan *p, int code) {
  drop_plan(p);
  free(r);
  return code;
}

int begin(const struct call *c, struct plan *p, void *request) {
  struct request *r = calloc(1, sizeof *r);
  if (!r) return not_begun(r, p, refused(p->comm, NO_MEMORY));
  hcommResult_t state = take_stream(&r->stream);
  if (state != hcommSuccess) return not_begun(r, p, failed(p->comm, state));
  r->call = *c;
  r->call.comm = abi.comm_self; /* the program may free its own before the end */
  r->plan = *p;
  int code = host.Grequest_start(query, released, cancelled, r, request);
  if (code != MPI_OK) {
    give_stream(r->stream);
    return not_begun(r, p, code);
  }
  r->handle = load_handle(request, 0);
  __atomic_fetch_add(&p->comm->under_way, 1, __ATOMIC_RELAXED);
  hcommResult_t begun = run_plan(c, p, r->stream);
  if (begun != hcommSuccess) r->result = failed(p->comm, begun);
  add(r);
  return MPI_OK;
}

/* complete ends a request that was taken out. */
static void complete(struct request *r, hcommResult_t state) {
  struct comm *comm = r->plan.comm;
  if (state != hcommSuccess && !r->result) r->result = failed(comm, state);
  if (state != hcommSuccess) lib.StreamSynchronize(r->stream);
  if (!finish_plan(&r->call, &r->plan) && !r->result) r->result = abi.err_other;
  give_stream(r->stream);
  handle h = r->handle;
  __atomic_fetch_sub(&outstanding, 1, __ATOMIC_RELEASE);
  host.Grequest_complete(h); /* r may be gone then */
  if (end_request(comm)) release_comm(comm);
}

int advance(const void *handles, int count) {
  int left = 0;
  for (int i = 0; i < count && __atomic_load_n(&outstanding, __ATOMIC_ACQUIRE); i++) {
    struct request *r = take(load_handle(handles, (size_t)i));
    if (!r) continue;
    in_call++;
    hcommResult_t state = r->result ? hcommSuccess : lib.StreamQuery(r->stream);
    in_call--;
    if (state == hcommInProgress) {
      put_back(r);
      left++;
    } else
      complete(r, state);
  }
  return left;
}
