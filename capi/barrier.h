/* barrier.h: a process asks for membarrier(2) while it has one thread only. With more, the kernel keeps it waiting for all
 * processors to have passed through the scheduler, 8 ms or more; and link/shm, which needs it, is told at once later on. */
#ifndef HCOMM_BARRIER_H
#define HCOMM_BARRIER_H

#include <linux/membarrier.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifdef __has_include
#if __has_include(<sys/single_threaded.h>)
#include <sys/single_threaded.h>
#define ONE_THREAD __libc_single_threaded
#endif
#endif
#ifndef ONE_THREAD
#define ONE_THREAD 0
#endif

static inline void register_for_barriers(void) {
  if (ONE_THREAD) syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_GLOBAL_EXPEDITED, 0, 0);
}

#endif
