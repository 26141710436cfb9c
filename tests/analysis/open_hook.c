#include "tests/analysis/open_hook.h"

#include <fcntl.h>
#include <stdarg.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static const char *awaited;
static unsigned opens_left;
static void (*action)(void);

void before_open(const char *path, unsigned number, void (*act)(void))
{
    awaited = path;
    opens_left = number;
    action = act;
}

/* In place of libc's, which open() is with 64-bit offsets. */
int open64(const char *path, int flags, ...)
{
    va_list arguments;
    va_start(arguments, flags);
    int mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(arguments, int) : 0;
    va_end(arguments);
    if (opens_left && strcmp(path, awaited) == 0 && --opens_left == 0)
        action();
    return (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode);
}

static _Atomic unsigned long preads;

unsigned long count_preads(void)
{
    return preads;
}

ssize_t pread64(int fd, void *to, size_t count, off64_t offset)
{
    preads++;
    return syscall(SYS_pread64, fd, to, count, offset);
}
