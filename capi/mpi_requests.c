/* mpi_requests.c: completing and starting requests, in the HCOMM_* half of hcomm.h. */
#include "_cgo_export.h"

#define GUARD(name) \
  if (refuse_fork(name)) return HCOMM_ERR_OTHER

int HCOMM_Wait(HCOMM_Request *request, HCOMM_Status *status) {
  GUARD("HCOMM_Wait");
  return goMPIWait(NUMBER(request), NUMBER(status));
}

int HCOMM_Test(HCOMM_Request *request, int *flag, HCOMM_Status *status) {
  GUARD("HCOMM_Test");
  return goMPITest(NUMBER(request), NUMBER(flag), NUMBER(status));
}

int HCOMM_Waitall(int count, HCOMM_Request requests[], HCOMM_Status *statuses) {
  GUARD("HCOMM_Waitall");
  return goMPIWaitall(count, NUMBER(requests), NUMBER(statuses));
}

int HCOMM_Testall(int count, HCOMM_Request requests[], int *flag, HCOMM_Status *statuses) {
  GUARD("HCOMM_Testall");
  return goMPITestall(count, NUMBER(requests), NUMBER(flag), NUMBER(statuses));
}

int HCOMM_Waitany(int count, HCOMM_Request requests[], int *index, HCOMM_Status *status) {
  GUARD("HCOMM_Waitany");
  return goMPIWaitany(count, NUMBER(requests), NUMBER(index), NUMBER(status));
}

int HCOMM_Testany(int count, HCOMM_Request requests[], int *index, int *flag, HCOMM_Status *status) {
  GUARD("HCOMM_Testany");
  return goMPITestany(count, NUMBER(requests), NUMBER(index), NUMBER(flag), NUMBER(status));
}

int HCOMM_Waitsome(int incount, HCOMM_Request requests[], int *outcount, int indices[], HCOMM_Status *statuses) {
  GUARD("HCOMM_Waitsome");
  return goMPIWaitsome(incount, NUMBER(requests), NUMBER(outcount), NUMBER(indices), NUMBER(statuses), 1);
}

int HCOMM_Testsome(int incount, HCOMM_Request requests[], int *outcount, int indices[], HCOMM_Status *statuses) {
  GUARD("HCOMM_Testsome");
  return goMPIWaitsome(incount, NUMBER(requests), NUMBER(outcount), NUMBER(indices), NUMBER(statuses), 0);
}

int HCOMM_Request_get_status(HCOMM_Request request, int *flag, HCOMM_Status *status) {
  GUARD("HCOMM_Request_get_status");
  return goMPIRequestGetStatus(NUMBER(request), NUMBER(flag), NUMBER(status));
}

int HCOMM_Start(HCOMM_Request *request) {
  GUARD("HCOMM_Start");
  return goMPIStart(NUMBER(request));
}

int HCOMM_Startall(int count, HCOMM_Request requests[]) {
  GUARD("HCOMM_Startall");
  return goMPIStartall(count, NUMBER(requests));
}

int HCOMM_Request_free(HCOMM_Request *request) {
  GUARD("HCOMM_Request_free");
  return goMPIRequestFree(NUMBER(request));
}
