/* Calls that look a file up by its path. */
#include "tests/trace/trace.h"

#include <sys/stat.h>

#define MISSING "/nonexistent/cupping"

/* Not for the compiler to know. */
static const char *volatile unreadable = (const char *)16;
static const int beyond = 12345; /* no descriptor */

static void say_status(struct trace *trace, long size, unsigned mode)
{
    say(trace, "size %ld mode %o\n", size, mode & S_IFMT);
}

/* Each: a file, one that is not there, a path that cannot be read. */
#define TRY(name, type, call)                                                                      \
    void try_##name(struct trace *trace)                                                           \
    {                                                                                              \
        struct type status = {0};                                                                  \
        const char *const paths[] = {trace->file, MISSING, unreadable};                            \
        for (int i = 0; i < 3; i++) {                                                              \
            const char *path = paths[i];                                                           \
            SAY(trace, call);                                                                      \
            say_status(trace, (long)status.st_size, status.st_mode);                               \
        }                                                                                          \
    }

#define TRY_AT(name, type, call)                                                                   \
    TRY(name, type, call)                                                                          \
    void name##_relative(struct trace *trace)                                                      \
    {                                                                                              \
        struct type status = {0};                                                                  \
        const char *path = "relative";                                                             \
        SAY(trace, call);                                                                          \
        say_status(trace, (long)status.st_size, status.st_mode);                                   \
    }

int __xstat(int version, const char *path, struct stat *status);
int __xstat64(int version, const char *path, struct stat64 *status);
int __lxstat(int version, const char *path, struct stat *status);
int __lxstat64(int version, const char *path, struct stat64 *status);
int __fxstatat(int version, int directory, const char *path, struct stat *status, int flags);
int __fxstatat64(int version, int directory, const char *path, struct stat64 *status, int flags);

TRY(stat, stat, stat(path, &status))
TRY(stat64, stat64, stat64(path, &status))
TRY(lstat, stat, lstat(path, &status))
TRY(lstat64, stat64, lstat64(path, &status))
TRY(__xstat, stat, __xstat(1, path, &status))
TRY(__xstat64, stat64, __xstat64(1, path, &status))
TRY(__lxstat, stat, __lxstat(1, path, &status))
TRY(__lxstat64, stat64, __lxstat64(1, path, &status))
TRY_AT(fstatat, stat, fstatat(beyond, path, &status, 0))
TRY_AT(fstatat64, stat64, fstatat64(beyond, path, &status, AT_SYMLINK_NOFOLLOW))
TRY_AT(__fxstatat, stat, __fxstatat(1, beyond, path, &status, 0))
TRY_AT(__fxstatat64, stat64, __fxstatat64(1, beyond, path, &status, 0))

void try_statx(struct trace *trace)
{
#if __GLIBC_PREREQ(2, 28)
    struct statx status = {0};
    SAY(trace, statx(AT_FDCWD, trace->file, 0, STATX_BASIC_STATS, &status));
    say_status(trace, (long)status.stx_size, status.stx_mode);
    SAY(trace, statx(AT_FDCWD, MISSING, 0, STATX_BASIC_STATS, &status));
    SAY(trace, statx(beyond, "relative", 0, STATX_BASIC_STATS, &status));
    SAY(trace, statx(AT_FDCWD, unreadable, 0, STATX_BASIC_STATS, &status));
#else
    say(trace, "none here\n");
#endif
}
