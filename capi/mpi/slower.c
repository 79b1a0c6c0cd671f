/* slower.c: what hcomm does no faster than the host MPI, so that it is passed on. All of it is measured: bench/README.md says
 * how ("make bench BENCH_ARGS=--preload", with HCOMM_MPI_ALWAYS=1). */
#include "shim.h"

#define OF(collective) (1u << (collective))
enum { ALL = OF(COLLECTIVES) - 1 };

/* An MPI with the standard interface may be of either kind: what is slower than one of them is passed on. */
enum { WITH_MPICH = OF(MPICH) | OF(STANDARD), WITH_OPEN_MPI = OF(OPEN_MPI) | OF(STANDARD), WITH_ANY = WITH_MPICH | WITH_OPEN_MPI };

enum form { BLOCKING = 1, BEGUN = 2, BOTH = 3 };

#define KI (UINT64_C(1) << 10)
#define MI (UINT64_C(1) << 20)
#define ANY UINT64_MAX

/* Each line: such collectives in such a form, with such an MPI, where at least and at most so many ranks share a processor,
 * of blocks from so many bytes up to below so many. The sizes begin with 0 or end with ANY. */
static const struct slower {
  uint32_t collectives;
  enum form form;
  uint32_t with;
  int least, most;
  uint64_t from, below;
} slower[] = {
    /* A request takes a task of the engine and a generalised request of the MPI: 1.1 us. */
    {ALL, BEGUN, WITH_ANY, 1, 1, 0, 4 * KI},

    /* Of ranks that share processors, roots and leaves of trees are done long before the others. */
    {OF(BCAST), BOTH, WITH_OPEN_MPI, 2, 1000, 0, 1 * MI},
    {OF(BCAST), BOTH, WITH_OPEN_MPI, 3, 1000, 1 * MI, ANY},
    {OF(BCAST), BOTH, WITH_MPICH, 2, 1000, 0, 128},

    /* What many ranks send does not fit their slots. */
    {OF(ALLTOALL), BOTH, WITH_OPEN_MPI, 3, 1000, 32 * KI, ANY},
};

static int applies(const struct slower *s, enum collective c, enum form form, int sharing) {
  return s->collectives & OF(c) && s->form & form && s->with & OF(abi.family) && s->least <= sharing && sharing <= s->most;
}

static void narrow(struct range *r, const struct slower *s) {
  if (s->from == 0 && s->below > r->from) r->from = s->below;
  else if (s->from && s->from < r->below) r->below = s->from;
}

void find_faster(struct comm *c, int sharing) {
  for (int k = 0; k < COLLECTIVES; k++)
    for (int begun = 0; begun < 2; begun++) {
      struct range *r = &c->faster[k][begun];
      *r = (struct range){0, ANY};
      for (size_t i = 0; i < sizeof slower / sizeof *slower && !settings.always; i++)
        if (applies(&slower[i], (enum collective)k, begun ? BEGUN : BLOCKING, sharing)) narrow(r, &slower[i]);
    }
}
