/* limits.c: makes a communicator of two threads, and says why that did not go.
 *
 * run: tests/limits.sh %p
 */
#include "check.h"

/* LeakSanitizer needs descriptors. */
const char *__asan_default_options(void) { return "detect_leaks=0"; }

int main(void) {
  hcommComm_t comms[2];
  hcommResult_t result = hcommCommInitAll(comms, 2, NULL);
  if (result == hcommSuccess) {
    printf("it went\n");
    OK(hcommCommDestroy(comms[0]));
    OK(hcommCommDestroy(comms[1]));
    return 0;
  }
  CHECK(result == hcommSystemError);
  printf("%s\n", hcommGetLastError(NULL));
  return 0;
}
