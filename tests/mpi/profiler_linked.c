/* As profiler.c, with the profiler linked to the program.
 *
 * needs: libprofiler.c
 * flags: -rdynamic %d/libprofiler.so -Wl,--no-as-needed -Wl,-rpath,%d -ldl
 * run: 2 %p
 * serves: allreduce bcast gather barrier iallreduce
 */
#include "profiler.c"
