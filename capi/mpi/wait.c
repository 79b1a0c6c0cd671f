/* wait.c: MPI_Wait and its kin. While a request of hcomm is among those that are waited for, they are tested in turns with
 * that: so hcomm's and the host MPI's go on together. */
#include <sched.h>

#include "shim.h"

static int none(void) { return LIKELY(!__atomic_load_n(&outstanding, __ATOMIC_ACQUIRE)); }

/* again lets others have the processor, after a while. */
static void again(unsigned *turns) {
  if (++*turns % 64 == 0) sched_yield();
}

int shim_Wait(void *request, void *status) {
  unsigned turns = 0;
  int flag = 0, result;
  while (!none() && advance(request, 1)) {
    if ((result = host.Test(request, &flag, status)) != MPI_OK || flag) return outcome(result); /* lets the host MPI go on */
    again(&turns);
  }
  return outcome(host.Wait(request, status));
}

int shim_Test(void *request, int *flag, void *status) {
  if (!none()) advance(request, 1);
  return outcome(host.Test(request, flag, status));
}

int shim_Waitall(int count, void *requests, void *statuses) {
  unsigned turns = 0;
  int flag = 0, result;
  while (!none() && advance(requests, count)) {
    if ((result = host.Testall(count, requests, &flag, statuses)) != MPI_OK || flag) return outcome(result);
    again(&turns);
  }
  return outcome(host.Waitall(count, requests, statuses));
}

int shim_Testall(int count, void *requests, int *flag, void *statuses) {
  if (!none()) advance(requests, count);
  return outcome(host.Testall(count, requests, flag, statuses));
}

int shim_Waitany(int count, void *requests, int *index, void *status) {
  unsigned turns = 0;
  int flag = 0, result;
  while (!none() && advance(requests, count)) {
    if ((result = host.Testany(count, requests, index, &flag, status)) != MPI_OK || flag) return outcome(result);
    again(&turns);
  }
  return outcome(host.Waitany(count, requests, index, status));
}

int shim_Testany(int count, void *requests, int *index, int *flag, void *status) {
  if (!none()) advance(requests, count);
  return outcome(host.Testany(count, requests, index, flag, status));
}

int shim_Waitsome(int count, void *requests, int *outcount, int *indices, void *statuses) {
  unsigned turns = 0;
  int result;
  while (!none() && advance(requests, count)) {
    if ((result = host.Testsome(count, requests, outcount, indices, statuses)) != MPI_OK || *outcount) return outcome(result);
    again(&turns);
  }
  return outcome(host.Waitsome(count, requests, outcount, indices, statuses));
}

int shim_Testsome(int count, void *requests, int *outcount, int *indices, void *statuses) {
  if (!none()) advance(requests, count);
  return outcome(host.Testsome(count, requests, outcount, indices, statuses));
}

int shim_Request_get_status(handle request, int *flag, void *status) {
  uint64_t one;
  store_handle(&one, request);
  if (!none()) advance(&one, 1);
  return outcome(host.Request_get_status(request, flag, status));
}

/* These came with MPI 4.1. */

int shim_Request_get_status_all(int count, const void *requests, int *flag, void *statuses) {
  if (!host.Request_get_status_all) absent("Request_get_status_all");
  if (!none()) advance(requests, count);
  return outcome(host.Request_get_status_all(count, requests, flag, statuses));
}

int shim_Request_get_status_any(int count, const void *requests, int *index, int *flag, void *status) {
  if (!host.Request_get_status_any) absent("Request_get_status_any");
  if (!none()) advance(requests, count);
  return outcome(host.Request_get_status_any(count, requests, index, flag, status));
}

int shim_Request_get_status_some(int count, const void *requests, int *outcount, int *indices, void *statuses) {
  if (!host.Request_get_status_some) absent("Request_get_status_some");
  if (!none()) advance(requests, count);
  return outcome(host.Request_get_status_some(count, requests, outcount, indices, statuses));
}
