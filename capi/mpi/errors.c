/* errors.c: what is told to people, and to the program's error handlers. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "shim.h"

void warn(const char *format, ...) {
  char text[1024];
  va_list args;
  va_start(args, format);
  vsnprintf(text, sizeof text, format, args);
  va_end(args);
  char line[1100];
  int n = snprintf(line, sizeof line, "hcomm: warning: %s\n", text);
  if (write(STDERR_FILENO, line, (size_t)n) < 0) return; /* nobody is there to tell */
}

/* A rank that has died or aborted is the launcher's affair: it ends the job with that rank's status, if it is given the
 * time. Where it does not, because the job is to outlive its ranks, the error is the program's. */
static void wait_for_launcher(void) {
  struct timespec pause = {0, 10 * 1000 * 1000};
  in_call++;
  for (int i = 0; i < 300; i++) {
    progress(NULL);
    nanosleep(&pause, NULL);
  }
  in_call--;
}

/* The class of hcomm's errors: with codes of a class of its own, MPICH takes the numbers for others of its errors. */
static int class;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void make_class(void) {
  if (host.Add_error_class(&class) != MPI_OK || host.Add_error_string(class, "hcomm: a collective failed") != MPI_OK)
    class = abi.err_other;
}

/* code_of is an error code of the host MPI with a sentence. */
static int code_of(const char *sentence) {
  char text[256]; /* Open MPI's MPI_MAX_ERROR_STRING is 256 */
  snprintf(text, sizeof text, "hcomm: %s", sentence);
  int code;
  pthread_once(&once, make_class);
  if (host.Add_error_code(class, &code) != MPI_OK || host.Add_error_string(code, text) != MPI_OK) return class;
  return code;
}

static int tell(struct comm *c, const char *sentence) {
  int code = code_of(sentence);
  warn("%s", sentence);
  host.Comm_call_errhandler(c->freed ? abi.comm_self : c->handle, code); /* MPI has that one for what has no communicator */
  return code;
}

int failed(struct comm *c, hcommResult_t result) {
  if (result == hcommRemoteError) wait_for_launcher();
  const char *sentence = lib.GetLastError(NULL);
  return tell(c, sentence && *sentence ? sentence : lib.GetErrorString(result));
}

int refused(struct comm *c, enum why why) {
  lib.CommAbort(c->hcomm); /* the others would wait */
  return tell(c, why == UNEQUAL ? "the root of a gather or scatter sends itself a block of another size than it receives"
                                : "there is no memory for what a collective needs beside its buffers");
}
