/* job.c: from MPI_Init to MPI_Finalize. */
#include "../barrier.h"
#include "shim.h"

int serving, world_rank, world_size;

static int started, roll_called; /* and all were there */
static int begin_progress(void);
static void end_progress(void);

/* start is called when the host MPI works. Two threads cannot be in MPI_Init. */
static void start(void) {
  if (abi.family != UNKNOWN || switched_off()) return;
  if (!identify()) {
    warn("the MPI in this process is none of Open MPI, MPICH and its kin, or one with the MPI 5.0 ABI: it works alone");
    return;
  }
  if (host.Comm_rank(abi.comm_world, &world_rank) != MPI_OK || host.Comm_size(abi.comm_world, &world_size) != MPI_OK || !begin_progress())
    return;
  started = 1;
  learn_types();
  if (!prepare_comms()) return;
  roll_called = roll_call();
  __atomic_store_n(&serving, roll_called, __ATOMIC_RELEASE);
}

/* prepare is called before the host MPI starts threads. */
static void prepare(void) {
  if (!switched_off()) register_for_barriers();
}

int shim_Init(int *argc, char ***argv) {
  prepare();
  int result = host.Init(argc, argv);
  if (result == MPI_OK) start();
  return result;
}

int shim_Init_thread(int *argc, char ***argv, int required, int *provided) {
  prepare();
  int result = host.Init_thread(argc, argv, required, provided);
  if (result == MPI_OK) start();
  return result;
}

/* Communicators are left before the host MPI ends: a rank that is still in its last collective has or can read what it
 * needs of this one. */
int shim_Finalize(void) {
  if (roll_called && settings.report) print_report();
  __atomic_store_n(&serving, 0, __ATOMIC_RELEASE);
  if (started) leave_comms(), end_progress();
  started = 0;
  end_roll();
  return host.Finalize();
}

/* ---- progress ---- */

__thread int in_call;

/* What lets every MPI do all that it has to is a test of a request that is not complete: MPICH's probe of MPI_COMM_SELF, say,
 * looks only there. never is a generalised request that is complete at the end. */
static uint64_t never;

static int nothing(void *extra, void *status) {
  (void)extra;
  host.Status_set_elements(status, abi.byte, 0);
  host.Status_set_cancelled(status, 0);
  return MPI_OK;
}

static int nothing_to_free(void *extra) {
  (void)extra;
  return MPI_OK;
}

static int not_cancelled(void *extra, int complete) {
  (void)extra, (void)complete;
  return MPI_OK;
}

static int begin_progress(void) {
  return host.Grequest_start(nothing, nothing_to_free, not_cancelled, NULL, &never) == MPI_OK;
}

static void end_progress(void) {
  uint64_t status[16]; /* more than any interface's */
  host.Grequest_complete(load_handle(&never, 0));
  host.Wait(&never, status);
}

void progress(void *unused) {
  (void)unused;
  uint64_t status[16];
  int flag;
  if (in_call) host.Request_get_status(load_handle(&never, 0), &flag, status);
}
