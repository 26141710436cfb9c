/* Debian's libexpat calls arc4random_buf(), which glibc has since 2.36; `make wheel` links for 2.17.
 * expat salts its hash tables with it. Here it reads only the configuration of fonts, so on a kernel
 * without getrandom() (before 3.17) no salt is no danger. */
#include <stddef.h>
#include <sys/syscall.h>
#include <unistd.h>

void arc4random_buf(void *bytes, size_t size);

void arc4random_buf(void *bytes, size_t size)
{
    long got = 0;
    for (size_t done = 0; done < size && got >= 0; done += (size_t)got)
        got = syscall(SYS_getrandom, (char *)bytes + done, size - done, 0);
}
