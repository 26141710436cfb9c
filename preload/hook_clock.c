/* The wrapper of the clock. Dask and Coffea time their work with it: that is how everything else
 * is learned. */
#include "preload/anchors.h"
#include "preload/hooks.h"

CUP_HOOK int clock_gettime(clockid_t id, struct timespec *now)
{
    int result = CUP_REAL(clock_gettime)(id, now);
    if ((id == CLOCK_REALTIME || id == CLOCK_THREAD_CPUTIME_ID) && result == 0)
        cup_anchors_clock(id, now);
    return result;
}
