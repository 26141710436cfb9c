/* Makes semaphores behind the back of hooks that are loaded after this library. So the
 * interpreter's locks are not seen, as where they are no semaphores. */
#include <dlfcn.h>
#include <semaphore.h>

int sem_init(sem_t *lock, int shared, unsigned value)
{
    void *libc = dlopen("libc.so.6", RTLD_LAZY | RTLD_NOLOAD);
    int (*init)(sem_t *, int, unsigned) = dlsym(libc, "sem_init");
    return init(lock, shared, value);
}
