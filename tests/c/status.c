/* Ranks that hang, each in its way, for hcomm status to look at: tests/status.sh starts and ends them.
 *
 *   loop      all call allreduce for ever
 *   absent    rank 1 does not make the second call
 *   elsewhere rank 1 waits for a message instead
 *   crossed   rank 0 calls one communicator, the others another
 *   many      each process has 200 communicators more
 *   fork      rank 0 has a child that stays
 *
 * Each rank writes its process's number to FOLDER/RANK once it has its communicators.
 *
 * run: tests/status.sh %p
 */
#include "check.h"

static int rank, size;

static void say_ready(const char *folder, pid_t pid) {
  char path[200], whole[210];
  snprintf(path, sizeof path, "%s/%d", folder, rank);
  snprintf(whole, sizeof whole, "%s.new", path);
  FILE *f = fopen(whole, "w");
  CHECK(f && fprintf(f, "%d\n", (int)pid) > 0 && fclose(f) == 0 && rename(whole, path) == 0);
}

static int add_up(hcommComm_t comm) {
  float x = 1;
  return hcommAllReduce(&x, &x, 1, hcommFloat32, hcommSum, comm, NULL);
}

/* hang makes calls that do not end; they may fail when the processes are killed. */
static void hang(const char *how, hcommComm_t comm, hcommComm_t other) {
  int x;
  if (!strcmp(how, "loop"))
    while (add_up(comm) == hcommSuccess) continue;
  else if (!strcmp(how, "crossed"))
    add_up(rank == 0 ? comm : other);
  else if (rank != 1)
    add_up(comm);
  else if (!strcmp(how, "elsewhere"))
    hcommRecv(&x, 1, hcommInt32, 0, comm, NULL);
  for (;;) pause();
}

int main(int count, char **argument) {
  CHECK(count == 3);
  const char *how = argument[1];
  hcommComm_t comm, other = NULL, more[200];
  OK(hcommCommInitEnv(&comm));
  OK(hcommCommUserRank(comm, &rank));
  OK(hcommCommCount(comm, &size));
  check_rank = rank;
  if (!strcmp(how, "crossed")) {
    hcommUniqueId id;
    if (rank == 0) OK(hcommGetUniqueId(&id));
    OK(hcommBroadcast(&id, &id, sizeof id, hcommUint8, 0, comm, NULL));
    OK(hcommCommInitRank(&other, size, id, rank));
  }
  for (int i = 0; i < 200 && !strcmp(how, "many"); i++) OK(hcommCommInitAll(&more[i], 1, NULL));
  pid_t pid = getpid(), child = 0;
  if (!strcmp(how, "fork") && rank == 0) {
    child = fork();
    CHECK(child >= 0);
    if (child == 0)
      for (;;) pause();
    pid = child;
  }
  OK(add_up(comm));
  say_ready(argument[2], pid);
  hang(how, comm, other);
  return 0;
}
