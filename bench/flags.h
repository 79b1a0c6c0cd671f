/* How long a flag takes from one rank to another, which tells whether their processors share a cache: a guest's processors
 * may be two threads of a core in one minute and two cores in the next, and everything small is then two to four times as
 * slow. Ranks 0 and 1 see the flags in the file that YARD_FLAGS names; without it nothing is measured.
 */
#include <fcntl.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <unistd.h>

enum { FLAGS_APART = 128, EXCHANGES = 50, BATCHES = 7 };

struct flags {
  _Alignas(FLAGS_APART) _Atomic uint64_t there;
  _Alignas(FLAGS_APART) _Atomic uint64_t back;
};

static struct flags *open_flags(const char *path) {
  if (!path || !*path || size < 2) return NULL;
  int f = open(path, O_RDWR | O_CLOEXEC);
  if (f < 0) fail(path);
  void *p = mmap(NULL, sizeof(struct flags), PROT_READ | PROT_WRITE, MAP_SHARED, f, 0);
  if (p == MAP_FAILED) fail(path);
  close(f);
  return p;
}

static void wait_for(_Atomic uint64_t *flag, uint64_t number) {
  while (atomic_load_explicit(flag, memory_order_acquire) != number) {
#ifdef __x86_64__
    __builtin_ia32_pause();
#endif
  }
}

/* flag_time returns the nanoseconds of a flag, one way: the shortest of the batches, for an interrupt is none of the cache's. */
static double flag_time(struct flags *flags) {
  static uint64_t number;
  double shortest = 1e9;
  if (!flags || rank > 1) return 0;
  for (int batch = 0; batch < BATCHES; batch++) {
    double begun = now();
    for (int i = 0; i < EXCHANGES; i++) {
      number++;
      if (rank == 0) atomic_store_explicit(&flags->there, number, memory_order_release);
      wait_for(rank == 0 ? &flags->back : &flags->there, number);
      if (rank == 1) atomic_store_explicit(&flags->back, number, memory_order_release);
    }
    double time = (now() - begun) / (2 * EXCHANGES) * 1e9;
    if (time < shortest) shortest = time;
  }
  return shortest;
}
