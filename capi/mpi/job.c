/* job.c: from MPI_Init to MPI_Finalize. */
#include "shim.h"

int serving, world_rank, world_size;

static int roll_called; /* and all were there */

/* start is called when the host MPI works. Two threads cannot be in MPI_Init. */
static void start(void) {
  if (abi.family != UNKNOWN || !read_settings()) return;
  if (!identify()) {
    warn("the MPI in this process is none of Open MPI, MPICH and its kin, or one with the MPI 5.0 ABI: it works alone");
    return;
  }
  if (host.Comm_rank(abi.comm_world, &world_rank) != MPI_OK || host.Comm_size(abi.comm_world, &world_size) != MPI_OK) return;
  learn_types();
  prepare_comms();
  roll_called = roll_call();
  __atomic_store_n(&serving, roll_called, __ATOMIC_RELEASE);
}

int shim_Init(int *argc, char ***argv) {
  int result = host.Init(argc, argv);
  if (result == MPI_OK) start();
  return result;
}

int shim_Init_thread(int *argc, char ***argv, int required, int *provided) {
  int result = host.Init_thread(argc, argv, required, provided);
  if (result == MPI_OK) start();
  return result;
}

/* Communicators are left before the host MPI ends: a rank that is still in its last collective has or can read what it
 * needs of this one. */
int shim_Finalize(void) {
  if (roll_called && settings.report) print_report();
  __atomic_store_n(&serving, 0, __ATOMIC_RELEASE);
  if (abi.family != UNKNOWN) leave_comms();
  end_roll();
  return host.Finalize();
}

__thread int in_call;

void progress(void *unused) {
  (void)unused;
  uint64_t status[16]; /* more than any interface's */
  int flag;
  if (in_call) host.Iprobe(0, 0, abi.comm_self, &flag, status);
}
