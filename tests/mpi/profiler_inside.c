/* As profiler.c, with the profiler's functions in the program itself.
 *
 * flags: -rdynamic -ldl
 * run: 2 %p
 * serves: allreduce bcast gather barrier iallreduce
 */
#define seen profiler_table
#include "libprofiler.c"
#undef seen
#include "profiler.c"
