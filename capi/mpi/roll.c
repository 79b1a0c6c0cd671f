/* roll.c: the roll call of the processes of a job on this host.
 *
 * A collective may only be served if all its ranks have this library, and one that has it cannot ask those that have
 * not. So each process comes to a socket whose name all of them know. Who is there first leads. It waits until all have
 * come, tells them so, and when each has acknowledged that, commits it. A member that has acknowledged waits for what
 * the leader says, or for its end; before, it may give up. So all decide alike, whoever is late. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "shim.h"

/* MPI_Init ends on all processes at about the same time. */
enum { LEADER_WAITS_MS = 5000, MEMBER_WAITS_MS = 15000, SLICE_MS = 5 };
enum { MOST_RANKS = 4096, ROLL_PROTOCOL = 2 };

struct ranks here;

enum { WORD = 64, MOST_PROCESSORS = 1024 };

/* What a process may run on, a bit for each processor. */
struct mask {
  uint64_t words[MOST_PROCESSORS / WORD];
};

struct hello {
  char magic[8];
  uint32_t protocol, version;
  int32_t rank;
  struct mask mask;
};
static const char magic[8] = "hcommMPI";

struct word {
  enum { ALL_HERE = 1, COMMITTED, NOT_ALL } kind;
  int32_t count; /* of the ranks that follow an ALL_HERE */
  int32_t processors;
  struct settings settings;
};

static int listener = -1;
static int heard; /* a leader's word */

void end_roll(void) {
  if (listener >= 0) close(listener);
  listener = -1;
}

static int64_t now_ms(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

/* ready waits until there is something to read; 0 after the deadline. */
static int ready(int fd, int64_t deadline) {
  for (int64_t left; (left = deadline - now_ms()) > 0;) {
    struct pollfd p = {.fd = fd, .events = POLLIN};
    if (poll(&p, 1, left < SLICE_MS ? (int)left : SLICE_MS) > 0) return 1;
    progress(NULL);
  }
  return 0;
}

static int number_of(const char *variable) {
  const char *text = getenv(variable);
  int n = text ? atoi(text) : 0;
  return n > 0 ? n : 0;
}

/* expected is how many processes of the job are on this host, as the launcher says. What that of another MPI says is of
 * another job, within which this one was started. */
static int expected(void) {
  int n = number_of(abi.of_mpich ? "MPI_LOCALNRANKS" : "OMPI_COMM_WORLD_LOCAL_SIZE");
  return n && n <= world_size ? n : world_size;
}

static unsigned long long start_of(int pid) {
  char path[64], stat[1024];
  snprintf(path, sizeof path, "/proc/%d/stat", pid);
  FILE *f = fopen(path, "re");
  size_t n = f ? fread(stat, 1, sizeof stat - 1, f) : 0;
  if (f) fclose(f);
  stat[n] = 0;
  char *after = strrchr(stat, ')'); /* the name before may have anything in it */
  unsigned long long start = 0;
  if (after) sscanf(after + 1, " %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d %*d %*d %*d %*d %*d %llu", &start);
  return start;
}

/* launcher is the process of MPICH that has started those of the job here, or 0. It talks to each by a pair of sockets that
 * it has made, which says so even where there is a script in between. */
static int launcher(void) {
  struct ucred peer;
  socklen_t length = sizeof peer;
  int fd = abi.of_mpich ? number_of("PMI_FD") : 0;
  return fd && !getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &length) && peer.pid > 0 ? peer.pid : 0;
}

/* key is what is the same for all processes of the job on this host, and for no other job. Open MPI's names for jobs may be
 * the same for two that it starts at once, but not the folders for what they share. */
static void key(char *text, size_t room) {
  static const char *const variables[] = {"PMIX_NAMESPACE", "OMPI_MCA_ess_base_jobid"};
  const char *job = NULL, *folder = getenv("PMIX_SERVER_TMPDIR");
  int pid = launcher();
  for (size_t i = 0; i < sizeof variables / sizeof *variables && !job && !pid; i++) job = getenv(variables[i]);
  if (!job) {
    if (!pid) pid = getppid();
    snprintf(text, room, "%d-%llu", pid, start_of(pid));
    return;
  }
  uint64_t hash = 0xcbf29ce484222325u; /* FNV-1a */
  for (const char *at = folder ? folder : ""; *at; at++) hash = (hash ^ (unsigned char)*at) * 0x100000001b3u;
  snprintf(text, room, "%.40s-%llx", job, (unsigned long long)hash);
}

static socklen_t name(struct sockaddr_un *address) {
  char job[64];
  struct stat pids = {0};
  key(job, sizeof job);
  if (stat("/proc/self/ns/pid", &pids)) pids.st_ino = 0;
  *address = (struct sockaddr_un){.sun_family = AF_UNIX};
  int n = snprintf(address->sun_path + 1, sizeof address->sun_path - 1, "hcomm-mpi-%u-%llu-%s-%d", (unsigned)geteuid(),
                   (unsigned long long)pids.st_ino, job, world_size);
  if (n > (int)sizeof address->sun_path - 2) n = sizeof address->sun_path - 2; /* it was cut */
  return (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)n);
}

static struct mask own_mask(void) {
  struct mask mask = {{0}};
  cpu_set_t set;
  CPU_ZERO(&set);
  if (!sched_getaffinity(0, sizeof set, &set))
    for (int i = 0; i < MOST_PROCESSORS && i < CPU_SETSIZE; i++)
      if (CPU_ISSET(i, &set)) mask.words[i / WORD] |= UINT64_C(1) << i % WORD;
  return mask;
}

static void join_masks(struct mask *all, const struct mask *one) {
  for (int i = 0; i < MOST_PROCESSORS / WORD; i++) all->words[i] |= one->words[i];
}

static int count_processors(const struct mask *mask) {
  int n = 0;
  for (int i = 0; i < MOST_PROCESSORS / WORD; i++) n += __builtin_popcountll(mask->words[i]);
  return n ? n : MOST_PROCESSORS; /* nothing is known */
}

static int is_own_user(int fd) {
  struct ucred peer;
  socklen_t length = sizeof peer;
  return !getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &length) && peer.uid == geteuid();
}

static int tell(int fd, const void *packet, size_t length) {
  return send(fd, packet, length, MSG_NOSIGNAL) == (ssize_t)length;
}

/* ---- the leader ---- */

struct member {
  int fd, rank;
};

static int by_rank(const void *a, const void *b) {
  return ((const struct member *)a)->rank - ((const struct member *)b)->rank;
}

/* welcome takes in one that has come; 0 if it is no process of this job. */
static int welcome(int fd, struct member *m, struct mask *mask, int64_t deadline) {
  struct hello h;
  if (!is_own_user(fd) || !ready(fd, deadline) || recv(fd, &h, sizeof h, 0) != (ssize_t)sizeof h) return 0;
  if (memcmp(h.magic, magic, sizeof magic) || h.protocol != ROLL_PROTOCOL || h.version != HCOMM_VERSION_CODE) return 0;
  if (h.rank < 0 || h.rank >= world_size) return 0;
  *m = (struct member){fd, h.rank};
  join_masks(mask, &h.mask);
  return 1;
}

/* gather waits for all others; members[0] is this process. It returns how many there are then, and counts the processors that
 * they may run on together. */
static int gather(struct member *members, int wanted) {
  int64_t deadline = now_ms() + LEADER_WAITS_MS;
  struct mask mask = own_mask();
  int count = 1;
  while (count < wanted && ready(listener, deadline)) {
    int fd = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
    if (fd >= 0 && !welcome(fd, &members[count], &mask, deadline)) close(fd);
    else if (fd >= 0) count++;
  }
  here.processors = count_processors(&mask);
  return count;
}

/* publish tells all that all are here, and waits for their acknowledgements. */
static int publish(const struct member *members, int count, struct word *word) {
  size_t length = sizeof *word + (size_t)count * sizeof(int32_t);
  char *packet = malloc(length), ack;
  if (!packet) return 0;
  *word = (struct word){.kind = ALL_HERE, .count = count, .processors = here.processors, .settings = settings};
  memcpy(packet, word, sizeof *word);
  memcpy(packet + sizeof *word, here.ranks, (size_t)count * sizeof(int32_t));
  int64_t deadline = now_ms() + LEADER_WAITS_MS;
  int all = 1;
  for (int i = 0; i < count; i++)
    if (members[i].fd >= 0) all &= tell(members[i].fd, packet, length);
  for (int i = 0; i < count && all; i++)
    if (members[i].fd >= 0) all = ready(members[i].fd, deadline) && recv(members[i].fd, &ack, 1, 0) == 1;
  free(packet);
  return all;
}

static int are_distinct(void) {
  for (int i = 1; i < here.count; i++)
    if (here.ranks[i] == here.ranks[i - 1]) return 0;
  return 1;
}

static int lead(int wanted) {
  heard = 1;
  read_settings();
  struct member *members = calloc((size_t)wanted, sizeof *members);
  here.ranks = calloc((size_t)wanted, sizeof *here.ranks);
  int all = 0, count = 0;
  struct word word;
  if (members && here.ranks) {
    members[0] = (struct member){-1, world_rank};
    count = gather(members, wanted);
    qsort(members, (size_t)count, sizeof *members, by_rank);
    for (int i = 0; i < count; i++) here.ranks[i] = members[i].rank;
    here.count = count;
    all = count == wanted && are_distinct() && publish(members, count, &word);
  }
  word = (struct word){.kind = all ? COMMITTED : NOT_ALL};
  for (int i = 0; i < count; i++)
    if (members[i].fd >= 0) {
      tell(members[i].fd, &word, sizeof word);
      close(members[i].fd);
    }
  free(members);
  if (!all)
    warn("%d of %d processes of the job on this host have this libhcomm_mpi.so: %s works alone", count, wanted, abi.name);
  return all;
}

/* ---- a member ---- */

/* attend reads the leader's words; 1 if all are here. */
static int attend(int fd, int wanted, int64_t deadline) {
  struct hello h = {.protocol = ROLL_PROTOCOL, .version = HCOMM_VERSION_CODE, .rank = world_rank, .mask = own_mask()};
  memcpy(h.magic, magic, sizeof magic);
  size_t room = sizeof(struct word) + (size_t)wanted * sizeof(int32_t);
  struct word *word = malloc(room);
  int all = 0;
  if (word && is_own_user(fd) && tell(fd, &h, sizeof h) && ready(fd, deadline) && (heard = 1) &&
      recv(fd, word, room, 0) == (ssize_t)room && word->kind == ALL_HERE && word->count == wanted &&
      (here.ranks = malloc((size_t)wanted * sizeof *here.ranks))) {
    settings = word->settings;
    here.processors = word->processors;
    here.count = wanted;
    memcpy(here.ranks, word + 1, (size_t)wanted * sizeof(int32_t));
    all = tell(fd, "", 1) && ready(fd, INT64_MAX / 2) && recv(fd, word, room, 0) == (ssize_t)sizeof *word &&
          word->kind == COMMITTED;
  }
  free(word);
  return all;
}

/* new_socket does not block, as a stranger could make connect do, and is never standard error. */
static int new_socket(void) {
  int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (fd < 0 || fd > STDERR_FILENO) return fd;
  int moved = fcntl(fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
  close(fd);
  return moved;
}

/* come leads, or goes to the leader. */
static int come(int wanted) {
  struct sockaddr_un address;
  socklen_t length = name(&address);
  for (int64_t deadline = now_ms() + MEMBER_WAITS_MS; now_ms() < deadline;) {
    int fd = new_socket();
    if (fd < 0) break;
    if (!bind(fd, (struct sockaddr *)&address, length) && !listen(fd, MOST_RANKS)) {
      listener = fd; /* to the end of the job, so that nobody who is late leads */
      int all = lead(wanted);
      if (!all) end_roll(); /* who has come and was not heard knows then */
      return all;
    }
    int connected = errno == EADDRINUSE && !connect(fd, (struct sockaddr *)&address, length);
    int all = connected && attend(fd, wanted, deadline);
    close(fd);
    if (connected) return all;
    struct timespec pause = {0, 200 * 1000};
    nanosleep(&pause, NULL); /* the leader does not listen yet */
  }
  return 0;
}

int roll_call(void) {
  int wanted = expected();
  if (wanted > MOST_RANKS) return 0;
  in_call++;
  int all = 1;
  if (wanted > 1) all = come(wanted);
  else if ((here.ranks = malloc(sizeof *here.ranks))) read_settings(), here.count = here.processors = 1, here.ranks[0] = world_rank;
  in_call--;
  if (!all && !heard && world_rank == 0)
    warn("the roll call of the job on this host had no answer (a stranger's socket may be in its place): %s works alone", abi.name);
  return all && here.ranks;
}
