/* Communicators made and destroyed many times: the process ends with as many descriptors and mappings as it had after the
 * first few.
 *
 *   repeat all      200 times hcommCommInitAll
 *   repeat env      50 times hcommCommInitEnv
 *   repeat memory   2000 times hcommMemAlloc, with a communicator or without
 *
 * flags: -pthread
 * run: %p all
 * run: hcomm run -n 3 %p env
 * run: hcomm run -n 2 %p memory
 * timeout: 60
 */
#include "check.h"

#include <dirent.h>
#include <pthread.h>

enum { RANKS = 4, WARM_UP = 20 };

struct held {
  int descriptors, mappings;
};

static struct held held(void) {
  struct held h = {0, 0};
  int c;
  DIR *d = opendir("/proc/self/fd");
  CHECK(d);
  while (readdir(d)) h.descriptors++;
  closedir(d);
  FILE *f = fopen("/proc/self/maps", "r");
  CHECK(f);
  while ((c = getc(f)) != EOF) h.mappings += c == '\n';
  fclose(f);
  return h;
}

static void *use(void *comm) {
  float x[3000] = {1};
  for (size_t n = 1; n <= 3000; n *= 50) {
    x[0] = 1;
    OK(hcommAllReduce(x, x, n, hcommFloat32, hcommMax, comm, NULL));
    CHECK(x[0] == 1);
  }
  return NULL;
}

static void all(void) {
  hcommComm_t comms[RANKS];
  pthread_t ids[RANKS];
  OK(hcommCommInitAll(comms, RANKS, NULL));
  for (int i = 0; i < RANKS; i++) CHECK(!pthread_create(&ids[i], NULL, use, comms[i]));
  for (int i = 0; i < RANKS; i++) pthread_join(ids[i], NULL);
  for (int i = 0; i < RANKS; i++) OK(hcommCommDestroy(comms[i]));
}

static void env(void) {
  hcommComm_t comm;
  OK(hcommCommInitEnv(&comm));
  use(comm);
  OK(hcommCommDestroy(comm));
}

static void memory(void) {
  static hcommComm_t comm;
  static uint64_t random;
  static void *kept[20];
  static size_t sizes[20];
  if (!comm) OK(hcommCommInitEnv(&comm));
  for (int i = 0; i < 40; i++) {
    size_t k = next_random(&random) % 20;
    if (kept[k]) { /* each piece is full of its own number */
      for (size_t j = 0; j < sizes[k]; j += 1 + j / 2) CHECK(((unsigned char *)kept[k])[j] == k + 1);
      OK(hcommMemFree(kept[k]));
    }
    sizes[k] = next_random(&random) % ((size_t)1 << (next_random(&random) % 21));
    OK(hcommMemAlloc(&kept[k], sizes[k]));
    CHECK(!kept[k] == !sizes[k]);
    for (size_t j = 0; j < sizes[k]; j++) CHECK(!((unsigned char *)kept[k])[j]);
    if (kept[k]) memset(kept[k], (int)k + 1, sizes[k]);
  }
  use(comm);
  for (int k = 0; k < 20; k++) {
    OK(hcommMemFree(kept[k]));
    kept[k] = NULL;
  }
}

int main(int argc, char **argv) {
  struct held before = {0, 0}, after;
  CHECK(argc > 1);
  int times = !strcmp(argv[1], "env") ? 50 : 200;
  void (*once)(void) = *argv[1] == 'a' ? all : *argv[1] == 'e' ? env : memory;
  if (getenv("HCOMM_RANK")) check_rank = atoi(getenv("HCOMM_RANK"));
  for (int i = 0; i < times; i++) {
    TRYING("time %d", i);
    if (i == WARM_UP) before = held();
    once();
  }
  after = held();
  printf("%d descriptors, %d after %d times; %d mappings, %d after that\n", before.descriptors, after.descriptors,
         times, before.mappings, after.mappings);
  /* Go and malloc may have started a few more threads and heaps. */
  if (after.descriptors > before.descriptors || after.mappings > before.mappings + 24) FAIL("they grow");
  return 0;
}
