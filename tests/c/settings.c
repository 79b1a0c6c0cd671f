/* Settings that the program itself has set, with setenv, and what is written of them: once in a process, never by a forked
 * child, and never at the cost of waiting for who reads it.
 *
 * run: %p
 */
#include "check.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/wait.h>

/* In a child LeakSanitizer takes what only the parent's threads can reach for lost. */
const char *__asan_default_options(void) { return "detect_leaks=0"; }

static char folder[] = "/tmp/hcomm-settings-XXXXXX";

static hcommComm_t make(void) {
  hcommComm_t comm;
  OK(hcommCommInitAll(&comm, 1, NULL));
  return comm;
}

static void make_and_destroy(void) { OK(hcommCommDestroy(make())); }

/* count says how often the words are in a text. */
static int count(const char *text, const char *words) {
  int n = 0;
  for (; (text = strstr(text, words)); text += strlen(words)) n++;
  return n;
}

/* read_all reads what there is. */
static const char *read_all(int fd) {
  static char text[100000];
  ssize_t n = read(fd, text, sizeof text - 1);
  CHECK(n >= 0);
  text[n] = 0;
  return text;
}

static const char *path_of(const char *name) {
  static char path[100];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  return path;
}

static const char *read_file(const char *name) {
  int fd = open(path_of(name), O_RDONLY);
  CHECK(fd >= 0);
  const char *text = read_all(fd);
  close(fd);
  return text;
}

/* with_stderr runs what is given with standard error in a pipe, which is full or not, and gives what is written there. */
static const char *with_stderr(void (*what)(void), int full) {
  int ends[2], old = dup(2);
  char page[4096] = {0};
  CHECK(pipe(ends) == 0 && dup2(ends[1], 2) == 2);
  fcntl(ends[1], F_SETFL, O_NONBLOCK);
  while (full && write(ends[1], page, sizeof page) > 0) continue;
  fcntl(ends[1], F_SETFL, 0);
  what();
  dup2(old, 2);
  close(ends[1]);
  close(old);
  const char *text = read_all(ends[0]);
  close(ends[0]);
  return text;
}

static void nobody_reads(void) {
  int ends[2], old = dup(2);
  CHECK(pipe(ends) == 0 && dup2(ends[1], 2) == 2);
  close(ends[1]);
  close(ends[0]);
  make_and_destroy(); /* a write would be SIGPIPE */
  dup2(old, 2);
  close(old);
}

/* in_child: no call works there, nothing is written, and the log is closed. */
static void in_child(hcommComm_t comm, const char *log) {
  FAILS(hcommInvalidUsage, "forked", hcommBarrier(comm, NULL));
  DIR *d = opendir("/proc/self/fd");
  CHECK(d);
  for (struct dirent *e; (e = readdir(d));) {
    char link[300], target[256] = "";
    snprintf(link, sizeof link, "/proc/self/fd/%s", e->d_name);
    if (readlink(link, target, sizeof target - 1) > 0) CHECK(strcmp(target, path_of(log)));
  }
  closedir(d);
}

static void traced(void) {
  char name[50], pattern[100], line[100];
  snprintf(name, sizeof name, "%d", (int)getpid());
  snprintf(pattern, sizeof pattern, "%s/%%p", folder);
  setenv("HCOMM_DEBUG", "trace", 1);
  setenv("HCOMM_DEBUG_FILE", pattern, 1);
  hcommComm_t comm = make();
  float x = 1;
  OK(hcommAllReduce(&x, &x, 1, hcommFloat32, hcommSum, comm, NULL));
  OK(hcommAllReduce(&x, &x, 1, hcommFloat32, hcommMax, comm, NULL));
  OK(hcommSend(&x, 1, hcommFloat32, 0, comm, NULL));
  OK(hcommRecv(&x, 1, hcommFloat32, 0, comm, NULL));
  pid_t child = fork();
  if (child == 0) {
    in_child(comm, name);
    exit(0); /* with the library's destructors */
  }
  int status;
  CHECK(waitpid(child, &status, 0) == child && status == 0);
  OK(hcommCommDestroy(comm));

  const char *text = read_file(name);
  TRYING("%s", text);
  CHECK(count(text, " hcomm: info: rank 0 (host ") == 1 && count(text, "HCOMM_DEBUG=trace (environment)") == 1);
  CHECK(count(text, "trace: rank 0 of 1: AllReduce #1 of 1 float32 with sum, 4 bytes\n") == 1);
  CHECK(count(text, "trace: rank 0 of 1: AllReduce #2 of 1 float32 with max, 4 bytes\n") == 1);
  CHECK(count(text, "trace: rank 0 of 1: send of 1 float32 to rank 0") == 1);
  CHECK(count(text, "trace: rank 0 of 1: receive of up to 1 float32 from rank 0") == 1);
  snprintf(line, sizeof line, " %d hcomm: ", (int)getpid());
  CHECK(count(text, line) == count(text, "\n"));
  TRYING("no file");
  unsetenv("HCOMM_DEBUG_FILE");
  unsetenv("HCOMM_DEBUG");
  make_and_destroy();
  CHECK(unlink(path_of(name)) == 0);
}

static void configured(void) {
  const char *path = path_of("conf");
  FILE *f = fopen(path, "w");
  CHECK(f && fputs("# mine\nHCOMM_SLOTS=1000\n", f) >= 0 && fclose(f) == 0);
  setenv("HCOMM_CONFIG", path, 1);
  hcommComm_t comm;
  FAILS(hcommInvalidArgument, "/conf:2: HCOMM_SLOTS=1000: it must be 1 to 64", hcommCommInitAll(&comm, 1, NULL));
  setenv("HCOMM_SLOTS", "3", 1);
  make_and_destroy();
  unsetenv("HCOMM_SLOTS");
  CHECK(unlink(path) == 0);
  FAILS(hcommInvalidArgument, "HCOMM_CONFIG: the file ;/conf cannot be read", hcommCommInitAll(&comm, 1, NULL));
  unsetenv("HCOMM_CONFIG");
}

int main(void) {
  CHECK(mkdtemp(folder));
  setenv("HCOMM_TIMEUOT", "5", 1);
  setenv("HCOMM_TEST_ANYTHING", "5", 1);
  const char *text = with_stderr(make_and_destroy, 0);
  TRYING("%s", text);
  CHECK(!strcmp(text, "hcomm: warning: HCOMM_TIMEUOT=5 is no setting: did you mean HCOMM_TIMEOUT? (hcomm env lists all)\n"));
  CHECK(!*with_stderr(make_and_destroy, 0) || !"once is enough");
  TRYING("what nobody reads");
  setenv("HCOMM_DEBUG", "info", 1);
  with_stderr(make_and_destroy, 1);
  nobody_reads();
  CHECK(count(with_stderr(make_and_destroy, 0), "hcomm: info: rank 0 (host ") == 1);
  traced();
  configured();
  CHECK(rmdir(folder) == 0);
  return 0;
}
