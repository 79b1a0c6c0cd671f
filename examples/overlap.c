/* A data-parallel loop that adds up gradients while it computes: as soon as those of a layer are there, their allreduce
 * is put into a stream, and the next layer is computed meanwhile.
 *
 *   make
 *   gcc -O2 -Ibuild/include -o build/overlap examples/overlap.c -Lbuild/lib -lhcomm -lm -Wl,-rpath,"$PWD/build/lib"
 *   build/bin/hcomm run -n 4 --bind none build/overlap
 *
 * The library's thread needs a processor, too: --bind none leaves the ranks all of them, instead of one for each.
 * Where every processor is busy computing, nothing is won.
 */
#include <hcomm.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define OK(call)                                      \
  do {                                                \
    if ((call) != hcommSuccess) {                     \
      fprintf(stderr, "%s\n", hcommGetLastError(NULL)); \
      exit(1);                                        \
    }                                                 \
  } while (0)

enum { LAYERS = 8, WEIGHTS = 1 << 16, STEPS = 24 };

static float weight[LAYERS][WEIGHTS], gradient[LAYERS][WEIGHTS];

static float target(int layer, int i) { return (float)((layer + i) % 5); }

/* The gradient of a layer on this rank's data, which is off the target by a number that adds up to 0 over all ranks. */
static void backward(int layer, float off) {
  for (int i = 0; i < WEIGHTS; i++) gradient[layer][i] = weight[layer][i] - target(layer, i) - off;
}

static void update(int layer) {
  for (int i = 0; i < WEIGHTS; i++) weight[layer][i] -= 0.5f * gradient[layer][i];
}

static float largest_error(void) {
  float most = 0;
  for (int layer = 0; layer < LAYERS; layer++)
    for (int i = 0; i < WEIGHTS; i++) most = fmaxf(most, fabsf(weight[layer][i] - target(layer, i)));
  return most;
}

int main(void) {
  hcommComm_t comm;
  hcommStream_t stream;
  int rank, ranks;
  OK(hcommCommInitEnv(&comm));
  OK(hcommCommUserRank(comm, &rank));
  OK(hcommCommCount(comm, &ranks));
  OK(hcommStreamCreate(&stream));
  float off = (float)rank - (float)(ranks - 1) / 2;

  for (int step = 0; step < STEPS; step++) {
    for (int layer = LAYERS - 1; layer >= 0; layer--) {
      backward(layer, off);
      OK(hcommAllReduce(gradient[layer], gradient[layer], WEIGHTS, hcommFloat32, hcommAvg, comm, stream));
    }
    OK(hcommStreamSynchronize(stream)); /* before this, nobody may look at a gradient */
    for (int layer = 0; layer < LAYERS; layer++) update(layer);
  }

  float error = largest_error();
  if (rank == 0) printf("%d ranks: the largest error of %d weights is %g\n", ranks, LAYERS * WEIGHTS, (double)error);
  OK(hcommStreamDestroy(stream));
  OK(hcommCommDestroy(comm));
  return error > 1e-5f;
}
