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

/* How many ranks share a processor. */
enum crowd { ALONE = 1, TWO = 2, MORE = 4, SHARED = TWO | MORE };

/* Each line: such collectives in such a form, with such an MPI, of so many ranks to a processor, of blocks from so many bytes
 * up to below so many. The sizes begin with 0 or end with ANY. */
static const struct slower {
  uint32_t collectives;
  enum form form;
  uint32_t with;
  enum crowd crowd;
  uint64_t from, below;
} slower[] = {
    /* A request takes a task of the engine and a generalised request of the MPI: 1.1 us. */
    {ALL, BEGUN, WITH_ANY, ALONE, 0, 4 * KI},
    {OF(ALLGATHER), BEGUN, WITH_MPICH, ALONE, 0, 16 * KI},

    /* Where ranks share processors, a message of the MPI's often waits for the rank that comes last (broadcast of 8 bytes by
     * Open MPI among 4: 0.2 us, by hcomm 2.2). */
    {OF(BCAST), BLOCKING, WITH_OPEN_MPI, SHARED, 0, 1 * MI},
    {OF(BCAST), BLOCKING, WITH_OPEN_MPI, MORE, 1 * MI, ANY},
    {OF(GATHER), BOTH, WITH_OPEN_MPI, SHARED, 0, 512},
    {OF(SCATTER), BOTH, WITH_OPEN_MPI, SHARED, 0, ANY},
    {OF(BCAST), BLOCKING, WITH_MPICH, SHARED, 0, 128},
    {OF(SCATTER), BLOCKING, WITH_MPICH, SHARED, 0, 256},

    /* What many ranks send does not fit their slots. */
    {OF(ALLTOALL), BLOCKING, WITH_OPEN_MPI, SHARED, 1 * MI, ANY},
    {OF(ALLTOALL), BLOCKING, WITH_OPEN_MPI, MORE, 32 * KI, ANY},

    /* Nor is there a processor for a worker. */
    {OF(BCAST) | OF(ALLGATHER) | OF(ALLTOALL), BEGUN, WITH_OPEN_MPI, SHARED, 0, ANY},
    {OF(ALLREDUCE), BEGUN, WITH_OPEN_MPI, SHARED, 1 * MI, ANY},
    {OF(GATHER), BEGUN, WITH_OPEN_MPI, SHARED, 128 * KI, ANY},
    {OF(BCAST) | OF(SCATTER), BEGUN, WITH_MPICH, SHARED, 0, 16 * KI},
    {OF(BCAST) | OF(SCATTER) | OF(ALLGATHER) | OF(REDUCE_SCATTER_BLOCK), BEGUN, WITH_MPICH, SHARED, 1 * MI, ANY},
};

static int applies(const struct slower *s, enum collective c, enum form form, enum crowd crowd) {
  return s->collectives & OF(c) && s->form & form && s->with & OF(abi.family) && s->crowd & crowd;
}

static void narrow(struct range *r, const struct slower *s) {
  if (s->from == 0 && s->below > r->from) r->from = s->below;
  else if (s->from && s->from < r->below) r->below = s->from;
}

void find_faster(struct comm *c) {
  int shared = sharing(c);
  enum crowd crowd = shared < 2 ? ALONE : shared == 2 ? TWO : MORE;
  for (int k = 0; k < COLLECTIVES; k++)
    for (int begun = 0; begun < 2; begun++) {
      struct range *r = &c->faster[k][begun];
      *r = (struct range){0, ANY};
      for (size_t i = 0; i < sizeof slower / sizeof *slower && !settings.always; i++)
        if (applies(&slower[i], (enum collective)k, begun ? BEGUN : BLOCKING, crowd)) narrow(r, &slower[i]);
    }
}
