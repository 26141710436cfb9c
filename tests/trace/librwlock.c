/* Ends the process if a read-write lock is tried. It stands behind libcupping.so in LD_PRELOAD, so
 * that the library's calls would come here. */
#include <pthread.h>
#include <stdlib.h>

int pthread_rwlock_tryrdlock(pthread_rwlock_t *lock)
{
    (void)lock;
    abort();
}

int pthread_rwlock_trywrlock(pthread_rwlock_t *lock)
{
    (void)lock;
    abort();
}
