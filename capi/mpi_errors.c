/* mpi_errors.c: the error classes and error handlers of the HCOMM_* half of hcomm.h. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "_cgo_export.h"

#define GUARD(name) \
  if (refuse_fork(name)) return HCOMM_ERR_OTHER

#define CLASS(name, text) \
  case name: return #name ": " text

/* A class's name, and after ": " what it means; NULL for a code that is none. */
static const char *class_text(int class) {
  switch (class) {
  CLASS(HCOMM_SUCCESS, "no error");
  CLASS(HCOMM_ERR_BUFFER, "a buffer is NULL, no address, or overlaps another one");
  CLASS(HCOMM_ERR_COUNT, "a count is negative, too large, or not the one that it must be");
  CLASS(HCOMM_ERR_TYPE, "a datatype is unknown");
  CLASS(HCOMM_ERR_TAG, "a tag is out of range");
  CLASS(HCOMM_ERR_COMM, "a communicator is none, or was freed");
  CLASS(HCOMM_ERR_RANK, "a rank is out of range");
  CLASS(HCOMM_ERR_REQUEST, "a request is none, was completed or freed, or cannot be started");
  CLASS(HCOMM_ERR_ROOT, "a root is out of range");
  CLASS(HCOMM_ERR_OP, "an operator is unknown, or not defined for the datatype");
  CLASS(HCOMM_ERR_ARG, "an argument breaks a rule");
  CLASS(HCOMM_ERR_TRUNCATE, "a message is longer than the buffer of its receive");
  CLASS(HCOMM_ERR_OTHER, "a call at a wrong time or from a wrong place");
  CLASS(HCOMM_ERR_INTERN, "a mistake in hcomm itself");
  CLASS(HCOMM_ERR_PENDING, "a request is not complete, but another one has failed");
  CLASS(HCOMM_ERR_IN_STATUS, "a request has failed; each one's class is in its status");
  CLASS(HCOMM_ERR_INFO, "an info is none");
  CLASS(HCOMM_ERR_NO_MEM, "the operating system refused something");
  CLASS(HCOMM_ERR_PROC_ABORTED, "a rank died, left or aborted");
  CLASS(HCOMM_ERR_ERRHANDLER, "an error handler is none");
  CLASS(HCOMM_ERR_MISMATCH, "ranks called different collectives, or disagree");
  CLASS(HCOMM_ERR_TIMEOUT, "ranks did not come in time");
  }
  return NULL;
}

const char *class_name(int class) {
  /* As all that a thread has: __tls_get_addr would make the library need the dynamic linker by name. */
  static __thread char name[32] __attribute__((tls_model("initial-exec")));
  const char *text = class_text(class);
  snprintf(name, sizeof name, "%.*s", text ? (int)strcspn(text, ":") : 0, text ? text : "");
  return name;
}

void end_process(int status) { _exit(status); }

static int refuse(const char *function, const char *text) {
  GUARD(function);
  return goMPIBadArgument((char *)function, (char *)text);
}

static int refuse_code(const char *function, int errorcode) {
  char text[64];
  snprintf(text, sizeof text, "errorcode is %d, which is none of hcomm.h's", errorcode);
  return refuse(function, text);
}

int HCOMM_Error_class(int errorcode, int *errorclass) {
  static const char function[] = "HCOMM_Error_class";
  if (!class_text(errorcode)) return refuse_code(function, errorcode);
  if (!errorclass) return refuse(function, "errorclass is NULL; it must point to where the result goes");
  *errorclass = errorcode;
  return HCOMM_SUCCESS;
}

int HCOMM_Error_string(int errorcode, char *string, int *resultlen) {
  static const char function[] = "HCOMM_Error_string";
  const char *text = class_text(errorcode);
  if (!text) return refuse_code(function, errorcode);
  if (!string) return refuse(function, "string is NULL; it must have room for HCOMM_MAX_ERROR_STRING characters");
  if (!resultlen) return refuse(function, "resultlen is NULL; it must point to where the result goes");
  *resultlen = snprintf(string, HCOMM_MAX_ERROR_STRING, "%s", text);
  return HCOMM_SUCCESS;
}

int HCOMM_Comm_set_errhandler(HCOMM_Comm comm, HCOMM_Errhandler errhandler) {
  GUARD("HCOMM_Comm_set_errhandler");
  return goMPICommSetErrhandler(NUMBER(comm), NUMBER(errhandler));
}

int HCOMM_Comm_get_errhandler(HCOMM_Comm comm, HCOMM_Errhandler *errhandler) {
  GUARD("HCOMM_Comm_get_errhandler");
  return goMPICommGetErrhandler(NUMBER(comm), NUMBER(errhandler));
}
