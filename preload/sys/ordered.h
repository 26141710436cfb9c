/* Orders that ThreadSanitizer cannot see: what one thread did before the kernel took something back
 * from it happened before what another thread does after the kernel gave it the same. An example is
 * the number of a file that is closed: the next open() may return it. These functions do something
 * only in a build with ThreadSanitizer (tests/soak/races.sh). Any thread. */
#pragma once

#ifdef __SANITIZE_THREAD__
void __tsan_acquire(void *at);
void __tsan_release(void *at);
#endif

/* The kernel is about to take what AT describes from this thread. */
static inline void cup_kernel_takes(void *at)
{
    (void)at;
#ifdef __SANITIZE_THREAD__
    __tsan_release(at);
#endif
}

/* The kernel has given what AT describes to this thread. */
static inline void cup_kernel_gave(void *at)
{
    (void)at;
#ifdef __SANITIZE_THREAD__
    __tsan_acquire(at);
#endif
}
