/* Messages that the others read from a rank's own memory: an alltoall of so much that it is made so where ranks take turns
 * on processors, from all kinds of memory, in place and not.
 *
 *   remote            it goes, if the kernel lets it; the line of HCOMM_DEBUG=info says so
 *   remote off        HCOMM_CMA=off
 *   remote refused    the kernel refuses process_vm_readv to rank 1
 *   remote lost       the same once the communicator is made, as for a process that gives up its rights
 *   remote secret     what rank 1 sends is nothing that the kernel reads for others
 *   remote stopped    rank 1 is stopped meanwhile, and goes on
 *
 * flags: -pthread
 * run: taskset -c 0 hcomm run -n 5 %p
 * run: taskset -c 0 hcomm run -n 5 %p off
 * run: taskset -c 0 hcomm run -n 5 %p refused
 * run: taskset -c 0 hcomm run -n 5 %p lost
 * run: taskset -c 0 hcomm run -n 5 %p secret
 * run: taskset -c 0 hcomm run -n 5 %p stopped
 * run: taskset -c 0 %p threads 5
 * timeout: 120
 */
#include "ranks.h"

#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

enum { BLOCK = (2 << 20) + 12, PAGE = 4096 };
enum memory { HEAP, PAGE_END, FILE_MAPPED, SHARED, READ_ONLY, MEMORIES };

#ifndef SYS_memfd_secret
#define SYS_memfd_secret 447
#endif

static const char *mode = "";
static int is_secret; /* at the end of a page lies memory that the kernel reads for nobody else, if there is such */

/* refuse has the kernel refuse process_vm_readv to this process, threads of the library included. */
static void refuse(void) {
  struct sock_filter code[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_process_vm_readv, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  struct sock_fprog program = {sizeof code / sizeof *code, code};
  CHECK(!prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0));
  CHECK(!syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &program));
}

/* room is n bytes of a kind, with nothing to read behind them for PAGE_END. */
static uint8_t *room(enum memory kind, size_t n) {
  size_t whole = (n + PAGE - 1) / PAGE * PAGE;
  int fd = -1, flags = MAP_PRIVATE | MAP_ANONYMOUS;
  if (kind == HEAP) return malloc(n);
  if (kind == PAGE_END && is_secret && (fd = (int)syscall(SYS_memfd_secret, 0)) >= 0) {
    flags = MAP_SHARED;
    CHECK(!ftruncate(fd, (off_t)whole + PAGE));
  }
  if (kind == SHARED) flags = MAP_SHARED | MAP_ANONYMOUS;
  if (kind == FILE_MAPPED) {
    char name[] = "/tmp/hcomm-remote-XXXXXX";
    fd = mkstemp(name), flags = MAP_SHARED;
    CHECK(fd >= 0 && !unlink(name) && !ftruncate(fd, (off_t)whole + PAGE));
  }
  uint8_t *p = mmap(NULL, whole + PAGE, PROT_READ | PROT_WRITE, flags, fd, 0);
  CHECK(p != MAP_FAILED);
  if (fd >= 0) close(fd);
  CHECK(!mprotect(p + whole, PAGE, PROT_NONE));
  return p + whole - n;
}

static void give_back(enum memory kind, uint8_t *p, size_t n) {
  if (kind == HEAP) free(p);
  else CHECK(!munmap(p + n - (n + PAGE - 1) / PAGE * PAGE, (n + PAGE - 1) / PAGE * PAGE + PAGE));
}

/* What rank from sends to rank to. */
static uint8_t byte(int from, int to, size_t i, int turn) { return (uint8_t)(i * 7 + i / 251 + from * 31 + to * 57 + turn * 3); }

static void put(struct rank *me, uint8_t *b, int turn) {
  for (int q = 0; q < me->size; q++)
    for (size_t i = 0; i < BLOCK; i++) b[q * (size_t)BLOCK + i] = byte(me->number, q, i, turn);
}

static void verify(struct rank *me, const uint8_t *b, int turn) {
  for (int q = 0; q < me->size; q++)
    for (size_t i = 0; i < BLOCK; i++)
      if (b[q * (size_t)BLOCK + i] != byte(q, me->number, i, turn)) FAIL("byte %zu from rank %d is %d", i, q, b[q * (size_t)BLOCK + i]);
}

static void alltoalls(struct rank *me, enum memory kind, int turn) {
  size_t n = (size_t)BLOCK * me->size;
  uint8_t *in = room(kind, n), *out = room(kind == READ_ONLY ? HEAP : kind, n);
  TRYING("memory %d", kind);
  put(me, in, turn);
  if (kind == READ_ONLY) CHECK(!mprotect((void *)((uintptr_t)in / PAGE * PAGE), n, PROT_READ));
  OK(hcommAlltoAll(in, out, BLOCK, hcommUint8, me->comm, NULL));
  verify(me, out, turn);
  put(me, out, turn);
  OK(hcommAlltoAll(out, out, BLOCK, hcommUint8, me->comm, NULL));
  verify(me, out, turn);
  /* One rank in place, the others not. */
  put(me, out, turn + 1);
  uint8_t *to = me->number == 1 ? out : room(HEAP, n);
  OK(hcommAlltoAll(out, to, BLOCK, hcommUint8, me->comm, NULL));
  verify(me, to, turn + 1);
  if (to != out) free(to);
  give_back(kind, in, n), give_back(kind == READ_ONLY ? HEAP : kind, out, n);
}

/* told says what the line at start says of ordinary memory. */
static void told(FILE *lines, const char *words) {
  char line[4096];
  rewind(lines);
  while (fgets(line, sizeof line, lines))
    if (strstr(line, "ordinary memory ") && strstr(line, words)) return;
  FAIL("no line says '%s'", words);
}

/* be_stopped starts a process that stops this one for a while. */
static void be_stopped(void) {
  pid_t parent = getpid(), child = fork();
  CHECK(child >= 0);
  if (child) return;
  for (int i = 0; i < 5; i++) {
    kill(parent, SIGSTOP), usleep(20000);
    kill(parent, SIGCONT), usleep(5000);
  }
  _exit(0);
}

static void body(struct rank *me) {
  char lines[] = "/tmp/hcomm-remote-XXXXXX";
  int fd = mkstemp(lines);
  CHECK(fd >= 0);
  if (!me->job) setenv("HCOMM_DEBUG", "info", 1), setenv("HCOMM_DEBUG_FILE", lines, 1);
  if (!strcmp(mode, "refused") && !strcmp(getenv("HCOMM_RANK"), "1")) refuse();
  rank_open(me);
  FILE *written = fdopen(fd, "r");
  if (!me->job && !strcmp(mode, "refused")) told(written, "rank 1 cannot read the memory of rank 0: operation not permitted");
  if (!me->job && !strcmp(mode, "off")) told(written, "HCOMM_CMA is off");
  unlink(lines), fclose(written);
  if (me->number == 1 && !strcmp(mode, "stopped")) be_stopped();
  if (me->number == 1 && !strcmp(mode, "lost")) refuse();
  if (me->number == 1 && !strcmp(mode, "secret")) is_secret = 1;
  for (int k = 0; k < MEMORIES; k++) alltoalls(me, (enum memory)k, k);
  rank_close(me);
}

int main(int argc, char **argv) {
  if (argc == 2) mode = argv[1], argc = 1;
  if (!strcmp(mode, "off")) setenv("HCOMM_CMA", "off", 1);
  ranks_run(ranks_wanted(&argc, argv), body);
  return 0;
}
