/* A forked child: every call is refused there, it has none of the library's descriptors, it shares what hcommMemAlloc
 * gave, and its end, by whatever way, does not disturb the parent or the other ranks.
 *
 * flags: -pthread
 * run: hcomm run -n 1 %p
 * run: hcomm run -n 3 %p
 * run: %p threads 2
 * timeout: 60
 */
#include "ranks.h"

#include <dirent.h>
#include <sys/wait.h>

enum { CHILDREN = 30 };

/* In a child LeakSanitizer takes what only the parent's threads can reach for lost. */
const char *__asan_default_options(void) { return "detect_leaks=0"; }

static char x[100000], before_main[4096];

/* links lists what the descriptors are, one a line, except pipes and files, which are the launcher's. */
static void links(char *list, size_t room) {
  size_t used = 0;
  DIR *d = opendir("/proc/self/fd");
  CHECK(d);
  for (struct dirent *e; (e = readdir(d));) {
    char path[300], target[256];
    snprintf(path, sizeof path, "/proc/self/fd/%s", e->d_name);
    ssize_t n = readlink(path, target, sizeof target - 1);
    if (n < 0) continue;
    target[n] = 0;
    if (strncmp(target, "memfd:hcomm", 11) && strncmp(target, "anon_inode:[pidfd]", 18) &&
        strncmp(target, "socket:", 7))
      continue;
    used += (size_t)snprintf(list + used, room - used, "%s\n", target);
    CHECK(used < room);
  }
  closedir(d);
}

/* What makes communicators and requests of the MPI-style half, and what is done with them. */
static void every_request(const char *why) {
  const HCOMM_Comm w = HCOMM_COMM_WORLD;
  HCOMM_Comm made = w;
  HCOMM_Errhandler handler;
  HCOMM_Request q = HCOMM_REQUEST_NULL;
  HCOMM_Status s;
  int n;
  FAILS(HCOMM_ERR_OTHER, why, HCOMM_Comm_set_errhandler(w, HCOMM_ERRORS_RETURN));
  FAILS(HCOMM_ERR_OTHER, why, HCOMM_Comm_get_errhandler(w, &handler));
  FAILS(HCOMM_ERR_OTHER, why, HCOMM_Comm_dup(w, &made));
  FAILS(HCOMM_ERR_OTHER, why, HCOMM_Comm_split(w, 0, 0, &made));
  FAILS(HCOMM_ERR_OTHER, why, HCOMM_Comm_split_type(w, HCOMM_COMM_TYPE_SHARED, 0, HCOMM_INFO_NULL, &made));
  FAILS(HCOMM_ERR_OTHER, why, HCOMM_Comm_free(&made));
  FAILS(HCOMM_ERR_OTHER, why, HCOMM_Comm_compare(w, w, &n));
  FAILS(HCOMM_ERR_OTHER, why, HCOMM_Isend(x, 1, HCOMM_INT, 0, 0, w, &q));
  FAILS(HCOMM_ERR_OTHER, why, HCOMM_Isend_c(x, 1, HCOMM_INT, 0, 0, w, &q));
  FAILS(HCOMM_ERR_OTHER, why, HCOMM_Irecv(x, 1, HCOMM_INT, 0, 0, w, &q));
  FAILS(HCOMM_ERR_OTHER, why, HCOMM_Irecv_c(x, 1, HCOMM_INT, 0, 0, w, &q));
  FAILS(HCOMM_ERR_OTHER, why, HCOMM_Iallreduce(x, x, 1, HCOMM_INT, HCOMM_SUM, w, &q));
  FAILS(HCOMM_ERR_OTHER, why, HCOMM_Iallreduce_c(x, x, 1, HCOMM_INT, HCOMM_SUM, w, &q));
  FAILS(HCOMM_ERR_OTHER, why, HCOMM_Ibcast(x, 1, HCOMM_INT, 0, w, &q));
  FAILS(HCOMM_ERR_OTHER, why, HCOMM_Ibcast_c(x, 1, HCOMM_INT, 0, w, &q));
  FAILS(HCOMM_ERR_OTHER, why, HCOMM_Ireduce(x, x, 1, HCOMM_INT, HCOMM_SUM, 0, w, &q));
  FAILS(HCOMM_ERR_OTHER, why, HCOMM_Ireduce_c(x, x, 1, HCOMM_INT, HCOMM_SUM, 0, w, &q));
  FAILS(HCOMM_ERR_OTHER, why, HCOMM_Iallgather(x, 1, HCOMM_INT, x, 1, HCOMM_INT, w, &q));
  FAILS(HCOMM_ERR_OTHER, why, HCOMM_Iallgather_c(x, 1, HCOMM_INT, x, 1, HCOMM_INT, w, &q));
  FAILS(HCOMM_ERR_OTHER, why, HCOMM_Ireduce_scatter_block(x, x, 1, HCOMM_INT, HCOMM_SUM, w, &q));
  FAILS(HCOMM_ERR_OTHER, why, HCOMM_Ireduce_scatter_block_c(x, x, 1, HCOMM_INT, HCOMM_SUM, w, &q));
  FAILS(HCOMM_ERR_OTHER, why, HCOMM_Ialltoall(x, 1, HCOMM_INT, x, 1, HCOMM_INT, w, &q));
  FAILS(HCOMM_ERR_OTHER, why, HCOMM_Ialltoall_c(x, 1, HCOMM_INT, x, 1, HCOMM_INT, w, &q));
  FAILS(HCOMM_ERR_OTHER, why, HCOMM_Igather(x, 1, HCOMM_INT, x, 1, HCOMM_INT, 0, w, &q));
  FAILS(HCOMM_ERR_OTHER, why, HCOMM_Igather_c(x, 1, HCOMM_INT, x, 1, HCOMM_INT, 0, w, &q));
  FAILS(HCOMM_ERR_OTHER, why, HCOMM_Iscatter(x, 1, HCOMM_INT, x, 1, HCOMM_INT, 0, w, &q));
  FAILS(HCOMM_ERR_OTHER, why, HCOMM_Iscatter_c(x, 1, HCOMM_INT, x, 1, HCOMM_INT, 0, w, &q));
  FAILS(HCOMM_ERR_OTHER, why, HCOMM_Ibarrier(w, &q));
  FAILS(HCOMM_ERR_OTHER, why, HCOMM_Send_init(x, 1, HCOMM_INT, 0, 0, w, &q));
  FAILS(HCOMM_ERR_OTHER, why, HCOMM_Send_init_c(x, 1, HCOMM_INT, 0, 0, w, &q));
  FAILS(HCOMM_ERR_OTHER, why, HCOMM_Recv_init(x, 1, HCOMM_INT, 0, 0, w, &q));
  FAILS(HCOMM_ERR_OTHER, why, HCOMM_Recv_init_c(x, 1, HCOMM_INT, 0, 0, w, &q));
  FAILS(HCOMM_ERR_OTHER, why, HCOMM_Allreduce_init(x, x, 1, HCOMM_INT, HCOMM_SUM, w, HCOMM_INFO_NULL, &q));
  FAILS(HCOMM_ERR_OTHER, why, HCOMM_Allreduce_init_c(x, x, 1, HCOMM_INT, HCOMM_SUM, w, HCOMM_INFO_NULL, &q));
  FAILS(HCOMM_ERR_OTHER, why, HCOMM_Bcast_init(x, 1, HCOMM_INT, 0, w, HCOMM_INFO_NULL, &q));
  FAILS(HCOMM_ERR_OTHER, why, HCOMM_Bcast_init_c(x, 1, HCOMM_INT, 0, w, HCOMM_INFO_NULL, &q));
  FAILS(HCOMM_ERR_OTHER, why, HCOMM_Reduce_init(x, x, 1, HCOMM_INT, HCOMM_SUM, 0, w, HCOMM_INFO_NULL, &q));
  FAILS(HCOMM_ERR_OTHER, why, HCOMM_Reduce_init_c(x, x, 1, HCOMM_INT, HCOMM_SUM, 0, w, HCOMM_INFO_NULL, &q));
  FAILS(HCOMM_ERR_OTHER, why, HCOMM_Allgather_init(x, 1, HCOMM_INT, x, 1, HCOMM_INT, w, HCOMM_INFO_NULL, &q));
  FAILS(HCOMM_ERR_OTHER, why, HCOMM_Allgather_init_c(x, 1, HCOMM_INT, x, 1, HCOMM_INT, w, HCOMM_INFO_NULL, &q));
  FAILS(HCOMM_ERR_OTHER, why, HCOMM_Reduce_scatter_block_init(x, x, 1, HCOMM_INT, HCOMM_SUM, w, HCOMM_INFO_NULL, &q));
  FAILS(HCOMM_ERR_OTHER, why, HCOMM_Reduce_scatter_block_init_c(x, x, 1, HCOMM_INT, HCOMM_SUM, w, HCOMM_INFO_NULL, &q));
  FAILS(HCOMM_ERR_OTHER, why, HCOMM_Alltoall_init(x, 1, HCOMM_INT, x, 1, HCOMM_INT, w, HCOMM_INFO_NULL, &q));
  FAILS(HCOMM_ERR_OTHER, why, HCOMM_Alltoall_init_c(x, 1, HCOMM_INT, x, 1, HCOMM_INT, w, HCOMM_INFO_NULL, &q));
  FAILS(HCOMM_ERR_OTHER, why, HCOMM_Gather_init(x, 1, HCOMM_INT, x, 1, HCOMM_INT, 0, w, HCOMM_INFO_NULL, &q));
  FAILS(HCOMM_ERR_OTHER, why, HCOMM_Gather_init_c(x, 1, HCOMM_INT, x, 1, HCOMM_INT, 0, w, HCOMM_INFO_NULL, &q));
  FAILS(HCOMM_ERR_OTHER, why, HCOMM_Scatter_init(x, 1, HCOMM_INT, x, 1, HCOMM_INT, 0, w, HCOMM_INFO_NULL, &q));
  FAILS(HCOMM_ERR_OTHER, why, HCOMM_Scatter_init_c(x, 1, HCOMM_INT, x, 1, HCOMM_INT, 0, w, HCOMM_INFO_NULL, &q));
  FAILS(HCOMM_ERR_OTHER, why, HCOMM_Barrier_init(w, HCOMM_INFO_NULL, &q));
  FAILS(HCOMM_ERR_OTHER, why, HCOMM_Start(&q));
  FAILS(HCOMM_ERR_OTHER, why, HCOMM_Startall(1, &q));
  FAILS(HCOMM_ERR_OTHER, why, HCOMM_Wait(&q, &s));
  FAILS(HCOMM_ERR_OTHER, why, HCOMM_Test(&q, &n, &s));
  FAILS(HCOMM_ERR_OTHER, why, HCOMM_Waitall(1, &q, &s));
  FAILS(HCOMM_ERR_OTHER, why, HCOMM_Testall(1, &q, &n, &s));
  FAILS(HCOMM_ERR_OTHER, why, HCOMM_Waitany(1, &q, &n, &s));
  FAILS(HCOMM_ERR_OTHER, why, HCOMM_Testany(1, &q, &n, &n, &s));
  FAILS(HCOMM_ERR_OTHER, why, HCOMM_Waitsome(1, &q, &n, &n, &s));
  FAILS(HCOMM_ERR_OTHER, why, HCOMM_Testsome(1, &q, &n, &n, &s));
  FAILS(HCOMM_ERR_OTHER, why, HCOMM_Request_get_status(q, &n, &s));
  FAILS(HCOMM_ERR_OTHER, why, HCOMM_Request_free(&q));
}

static void every_call(hcommComm_t comm, char *shared) {
  hcommComm_t other = (hcommComm_t)4711, others[2];
  hcommUniqueId id = {{0}};
  HCOMM_Status s = {0};
  HCOMM_Count count;
  void *p;
  int n;
  const char *why = "forked;exec;pid";
  FAILS(hcommInvalidUsage, why, hcommGetUniqueId(&id));
  FAILS(hcommInvalidUsage, why, hcommCommInitRank(&other, 1, id, 0));
  CHECK(!other);
  FAILS(hcommInvalidUsage, why, hcommCommInitAll(others, 2, NULL));
  FAILS(hcommInvalidUsage, why, hcommCommInitEnv(&other));
  FAILS(hcommInvalidUsage, why, hcommAllReduce(x, x, 1, hcommFloat32, hcommSum, comm, NULL));
  FAILS(hcommInvalidUsage, why, hcommAllReduce(x, x, 5000, hcommFloat16, hcommSum, comm, NULL));
  FAILS(hcommInvalidUsage, why, hcommBroadcast(x, x, 1, hcommFloat32, 0, comm, NULL));
  FAILS(hcommInvalidUsage, why, hcommReduce(x, x, 1, hcommInt32, hcommSum, 0, comm, NULL));
  FAILS(hcommInvalidUsage, why, hcommAllGather(x, x, 1, hcommInt32, comm, NULL));
  FAILS(hcommInvalidUsage, why, hcommReduceScatter(x, x, 1, hcommInt32, hcommSum, comm, NULL));
  FAILS(hcommInvalidUsage, why, hcommAlltoAll(x, x, 1, hcommInt32, comm, NULL));
  FAILS(hcommInvalidUsage, why, hcommGather(x, x, 1, hcommInt32, 0, comm, NULL));
  FAILS(hcommInvalidUsage, why, hcommScatter(x, x, 1, hcommInt32, 0, comm, NULL));
  FAILS(hcommInvalidUsage, why, hcommBarrier(comm, NULL));
  FAILS(hcommInvalidUsage, why, hcommBarrier(NULL, NULL));
  FAILS(hcommInvalidUsage, why, hcommSend(x, 1, hcommFloat32, 0, comm, NULL));
  FAILS(hcommInvalidUsage, why, hcommRecv(x, 1, hcommFloat32, 0, comm, NULL));
  FAILS(hcommInvalidUsage, why, hcommSetProgress(NULL, NULL));
  FAILS(hcommInvalidUsage, why, hcommCommCount(comm, &n));
  FAILS(hcommInvalidUsage, why, hcommCommUserRank(comm, &n));
  FAILS(hcommInvalidUsage, why, hcommMemAlloc(&p, 100));
  FAILS(hcommInvalidUsage, why, hcommMemFree(shared));
  FAILS(hcommInvalidUsage, why, hcommCommRegister(comm, x, sizeof x, &p));
  FAILS(hcommInvalidUsage, why, hcommCommDeregister(comm, p));
  FAILS(hcommInvalidUsage, why, hcommCommAbort(comm));
  FAILS(hcommInvalidUsage, why, hcommCommDestroy(comm));
  FAILS(HCOMM_ERR_OTHER, why, HCOMM_Init(NULL, NULL));
  FAILS(HCOMM_ERR_OTHER, why, HCOMM_Initialized(&n));
  FAILS(HCOMM_ERR_OTHER, why, HCOMM_Comm_rank(HCOMM_COMM_WORLD, &n));
  FAILS(HCOMM_ERR_OTHER, why, HCOMM_Comm_size(HCOMM_COMM_WORLD, &n));
  FAILS(HCOMM_ERR_OTHER, why, HCOMM_Allreduce(x, x, 1, HCOMM_INT, HCOMM_SUM, HCOMM_COMM_WORLD));
  FAILS(HCOMM_ERR_OTHER, why, HCOMM_Allreduce_c(x, x, 1, HCOMM_INT, HCOMM_SUM, HCOMM_COMM_WORLD));
  FAILS(HCOMM_ERR_OTHER, why, HCOMM_Bcast(x, 1, HCOMM_INT, 0, HCOMM_COMM_WORLD));
  FAILS(HCOMM_ERR_OTHER, why, HCOMM_Bcast_c(x, 1, HCOMM_INT, 0, HCOMM_COMM_WORLD));
  FAILS(HCOMM_ERR_OTHER, why, HCOMM_Reduce(x, x, 1, HCOMM_INT, HCOMM_SUM, 0, HCOMM_COMM_WORLD));
  FAILS(HCOMM_ERR_OTHER, why, HCOMM_Reduce_c(x, x, 1, HCOMM_INT, HCOMM_SUM, 0, HCOMM_COMM_WORLD));
  FAILS(HCOMM_ERR_OTHER, why, HCOMM_Reduce_scatter_block(x, x, 1, HCOMM_INT, HCOMM_SUM, HCOMM_COMM_WORLD));
  FAILS(HCOMM_ERR_OTHER, why, HCOMM_Reduce_scatter_block_c(x, x, 1, HCOMM_INT, HCOMM_SUM, HCOMM_COMM_WORLD));
  FAILS(HCOMM_ERR_OTHER, why, HCOMM_Allgather(x, 1, HCOMM_INT, x, 1, HCOMM_INT, HCOMM_COMM_WORLD));
  FAILS(HCOMM_ERR_OTHER, why, HCOMM_Allgather_c(x, 1, HCOMM_INT, x, 1, HCOMM_INT, HCOMM_COMM_WORLD));
  FAILS(HCOMM_ERR_OTHER, why, HCOMM_Alltoall(x, 1, HCOMM_INT, x, 1, HCOMM_INT, HCOMM_COMM_WORLD));
  FAILS(HCOMM_ERR_OTHER, why, HCOMM_Alltoall_c(x, 1, HCOMM_INT, x, 1, HCOMM_INT, HCOMM_COMM_WORLD));
  FAILS(HCOMM_ERR_OTHER, why, HCOMM_Gather(x, 1, HCOMM_INT, x, 1, HCOMM_INT, 0, HCOMM_COMM_WORLD));
  FAILS(HCOMM_ERR_OTHER, why, HCOMM_Gather_c(x, 1, HCOMM_INT, x, 1, HCOMM_INT, 0, HCOMM_COMM_WORLD));
  FAILS(HCOMM_ERR_OTHER, why, HCOMM_Scatter(x, 1, HCOMM_INT, x, 1, HCOMM_INT, 0, HCOMM_COMM_WORLD));
  FAILS(HCOMM_ERR_OTHER, why, HCOMM_Scatter_c(x, 1, HCOMM_INT, x, 1, HCOMM_INT, 0, HCOMM_COMM_WORLD));
  FAILS(HCOMM_ERR_OTHER, why, HCOMM_Barrier(HCOMM_COMM_WORLD));
  FAILS(HCOMM_ERR_OTHER, why, HCOMM_Send(x, 1, HCOMM_INT, 0, 0, HCOMM_COMM_WORLD));
  FAILS(HCOMM_ERR_OTHER, why, HCOMM_Send_c(x, 1, HCOMM_INT, 0, 0, HCOMM_COMM_WORLD));
  FAILS(HCOMM_ERR_OTHER, why, HCOMM_Recv(x, 1, HCOMM_INT, 0, 0, HCOMM_COMM_WORLD, &s));
  FAILS(HCOMM_ERR_OTHER, why, HCOMM_Recv_c(x, 1, HCOMM_INT, 0, 0, HCOMM_COMM_WORLD, &s));
  FAILS(HCOMM_ERR_OTHER, why, HCOMM_Sendrecv(x, 1, HCOMM_INT, 0, 0, x, 1, HCOMM_INT, 0, 0, HCOMM_COMM_WORLD, &s));
  FAILS(HCOMM_ERR_OTHER, why, HCOMM_Sendrecv_c(x, 1, HCOMM_INT, 0, 0, x, 1, HCOMM_INT, 0, 0, HCOMM_COMM_WORLD, &s));
  FAILS(HCOMM_ERR_OTHER, why, HCOMM_Probe(0, 0, HCOMM_COMM_WORLD, &s));
  FAILS(HCOMM_ERR_OTHER, why, HCOMM_Iprobe(0, 0, HCOMM_COMM_WORLD, &n, &s));
  FAILS(HCOMM_ERR_OTHER, why, HCOMM_Get_count(&s, HCOMM_INT, &n));
  FAILS(HCOMM_ERR_OTHER, why, HCOMM_Get_count_c(&s, HCOMM_INT, &count));
  every_request(why);
  char text[HCOMM_MAX_ERROR_STRING];
  OK(HCOMM_Error_string(HCOMM_ERR_OTHER, text, &n));
  OK(HCOMM_Error_class(HCOMM_ERR_OTHER, &n));
  FAILS(HCOMM_ERR_OTHER, why, HCOMM_Abort(HCOMM_COMM_WORLD, 1));
  FAILS(HCOMM_ERR_OTHER, why, HCOMM_Finalize());
  CHECK(!strcmp(hcommGetErrorString(hcommInvalidUsage), "invalid usage") && HCOMM_Wtime() > 0);
}

/* The child ends by return value of main's kind, by _exit, or by a signal. */
static void child(struct rank *me, char *shared, int number) {
  char list[4096] = "";
  alarm(20);
  TRYING("in child %d", number);
  links(list, sizeof list);
  if (strcmp(list, before_main)) FAIL("the child has these descriptors: %s; before main: %s", list, before_main);
  every_call(me->comm, shared);
  CHECK(*shared == 1);
  shared[4999] = (char)number;
  if (number % 3 == 0) exit(0);
  if (number % 3 == 1) _exit(0);
  kill(getpid(), SIGKILL);
}

static void work(struct rank *me) {
  static __thread int32_t y[2000];
  for (int i = 0; i < 2000; i++) y[i] = me->number;
  OK(hcommAllReduce(y, y, 2000, hcommInt32, hcommSum, me->comm, NULL));
  CHECK(y[1999] == me->size * (me->size - 1) / 2);
  y[0] = 1;
  OK(hcommAllReduce(y, y, 1, hcommInt32, hcommSum, me->comm, NULL));
  CHECK(y[0] == me->size);
}

static int fork_one(struct rank *me, char *shared, int number) {
  fflush(NULL);
  pid_t pid = fork();
  CHECK(pid >= 0);
  if (pid == 0) child(me, shared, number);
  return pid;
}

static void end_of(pid_t pid, int number) {
  int status;
  CHECK(waitpid(pid, &status, 0) == pid);
  if (number % 3 == 2) CHECK(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
  else CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

/* Another thread of this process forks while this rank is in calls. */
struct forking {
  struct rank *me;
  char *shared;
  int done;
};

static void *fork_many(void *forking) {
  struct forking *f = forking;
  check_rank = f->me->number;
  for (int i = 0; i < CHILDREN; i++) {
    TRYING("child %d of another thread", i);
    end_of(fork_one(f->me, f->shared, i), i);
    CHECK(f->shared[4999] == i);
  }
  __atomic_store_n(&f->done, 1, __ATOMIC_RELEASE);
  return NULL;
}

static void body(struct rank *me) {
  void *p;
  rank_open(me);
  OK(hcommMemAlloc(&p, 5000));
  char *shared = p;
  shared[0] = 1;
  for (int i = 0; i < CHILDREN / 3; i++) {
    TRYING("child %d", i);
    pid_t pid = fork_one(me, shared, i);
    work(me);
    end_of(pid, i);
    work(me);
    CHECK(shared[4999] == i);
  }
  TRYING("calls while another thread forks");
  struct forking f = {me, shared, 0};
  pthread_t id;
  CHECK(!pthread_create(&id, NULL, fork_many, &f));
  for (int32_t more = 1; more;) {
    work(me);
    more = !__atomic_load_n(&f.done, __ATOMIC_ACQUIRE);
    OK(hcommAllReduce(&more, &more, 1, hcommInt32, hcommMax, me->comm, NULL));
  }
  pthread_join(id, NULL);
  TRYING("other programs");
  CHECK(system("exit 0") == 0);
  work(me);
  OK(hcommMemFree(p));
  rank_close(me);
}

int main(int argc, char **argv) {
  links(before_main, sizeof before_main);
  ranks_run(ranks_wanted(&argc, argv), body);
  return 0;
}
