/* comm.c: what is known of each communicator. It hangs on the communicator as an attribute, whose deletion frees it. */
#include <stdlib.h>
#include <string.h>

#include "shim.h"

static int keyval;

/* All that there are, for MPI_Finalize. */
static struct entry {
  struct comm comm; /* first, so that one is the other */
  struct entry *next, **self;
} *all;
static pthread_mutex_t list = PTHREAD_MUTEX_INITIALIZER;

/* A thread remembers some communicators that it has found, until one is freed. */
enum { REMEMBERED = 8 };
static uint64_t freed; /* counts */
static __thread struct {
  handle handle;
  uint64_t freed;
  struct comm *comm;
} remembered[REMEMBERED];

static inline unsigned place_of(handle h) { return (unsigned)((h >> 6) ^ h ^ (h >> 12)) % REMEMBERED; }

static void leave(struct comm *c) {
  if (c->hcomm) lib.CommDestroy(c->hcomm);
  c->hcomm = NULL;
}

static void drop(struct comm *c) {
  struct entry *e = (struct entry *)c;
  pthread_mutex_lock(&list);
  if ((*e->self = e->next)) e->next->self = e->self;
  pthread_mutex_unlock(&list);
  free(c->scratch[0]);
  free(c->scratch[1]);
  free(e);
}

void release_comm(struct comm *c) {
  leave(c);
  drop(c);
}

static int not_copied(handle comm, int key, void *extra, void *in, void *out, int *flag) {
  (void)comm, (void)key, (void)extra, (void)in, (void)out;
  *flag = 0;
  return MPI_OK;
}

/* deleted is called when the program frees the communicator. Collectives that it has begun go on. */
static int deleted(handle comm, int key, void *value, void *extra) {
  (void)comm, (void)key, (void)extra;
  struct comm *c = value;
  __atomic_fetch_add(&freed, 1, __ATOMIC_ACQ_REL);
  pthread_mutex_lock(&list);
  int busy = __atomic_load_n(&c->under_way, __ATOMIC_RELAXED) != 0;
  c->freed = 1;
  pthread_mutex_unlock(&list);
  if (!busy) release_comm(c);
  return MPI_OK;
}

int end_request(struct comm *c) { /* deleted and this one agree on who is the last */
  pthread_mutex_lock(&list);
  int last = !__atomic_sub_fetch(&c->under_way, 1, __ATOMIC_ACQ_REL) && c->freed;
  pthread_mutex_unlock(&list);
  return last;
}

int prepare_comms(void) { return host.Comm_create_keyval(not_copied, deleted, &keyval, NULL) == MPI_OK; }

void leave_comms(void) {
  for (struct entry *e = all; e; e = e->next) leave(&e->comm);
}

static int compare_ranks(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }

/* in_world finds the ranks in MPI_COMM_WORLD of those of a communicator: ranks has them, from 0 to its size. */
static int in_world(struct comm *c, int *ranks, int *numbers) {
  handle group = 0, world = 0; /* those of MPICH are half as wide */
  for (int i = 0; i < c->size; i++) ranks[i] = i;
  if (host.Comm_group(c->handle, &group) != MPI_OK) return 0;
  int found = host.Comm_group(abi.comm_world, &world) == MPI_OK;
  if (found) {
    found = host.Group_translate_ranks(load_handle(&group, 0), c->size, ranks, load_handle(&world, 0), numbers) == MPI_OK;
    host.Group_free(&world);
  }
  host.Group_free(&group);
  return found;
}

/* whereabouts says why a communicator is not served: some of its ranks may not be here. */
static enum why whereabouts(struct comm *c) {
  int *ranks = malloc((size_t)c->size * sizeof *ranks), *numbers = malloc((size_t)c->size * sizeof *numbers);
  enum why why = ranks && numbers && in_world(c, ranks, numbers) ? NOT_YET : OTHER_HOSTS;
  for (int i = 0; i < c->size && why == NOT_YET; i++)
    if (!bsearch(&numbers[i], here.ranks, (size_t)here.count, sizeof *numbers, compare_ranks)) why = OTHER_HOSTS;
  free(ranks);
  free(numbers);
  return why;
}

static struct comm *make(handle h) {
  int inter = 0;
  struct entry *e = calloc(1, sizeof *e);
  if (!e) return NULL;
  struct comm *c = &e->comm;
  c->handle = h;
  if (host.Comm_test_inter(h, &inter) != MPI_OK || host.Comm_rank(h, &c->rank) != MPI_OK ||
      host.Comm_size(h, &c->size) != MPI_OK) {
    free(e);
    return NULL;
  }
  c->why = inter ? INTERCOMMUNICATOR : c->size == 1 ? ONE_RANK : whereabouts(c);
  find_faster(c);
  pthread_mutex_lock(&list);
  if ((e->next = all)) all->self = &e->next;
  e->self = &all;
  all = e;
  pthread_mutex_unlock(&list);
  if (host.Comm_set_attr(h, keyval, c) == MPI_OK) return c;
  drop(c);
  return NULL;
}

struct comm *comm_of(handle comm) {
  comm = narrowed(comm);
  unsigned at = place_of(comm);
  uint64_t now = __atomic_load_n(&freed, __ATOMIC_ACQUIRE);
  if (LIKELY(remembered[at].handle == comm && remembered[at].freed == now && remembered[at].comm)) return remembered[at].comm;
  if (!comm || comm == abi.comm_null) return NULL;
  struct comm *c = NULL;
  int flag = 0;
  if (host.Comm_get_attr(comm, keyval, &c, &flag) != MPI_OK) return NULL;
  if (!flag) c = make(comm);
  remembered[at].handle = comm, remembered[at].freed = now, remembered[at].comm = c;
  return c;
}

void *scratch(struct comm *c, int which, size_t bytes) {
  if (c->scratch_bytes[which] < bytes) {
    free(c->scratch[which]);
    c->scratch[which] = malloc(bytes);
    c->scratch_bytes[which] = c->scratch[which] ? bytes : 0;
  }
  return c->scratch[which];
}
