/* Wrappers of calls that look a file up by its path. */
#include "preload/hooks.h"
#include "preload/path.h"
#include "preload/thread.h"
#include "preload/wait.h"

#include <errno.h>

/* Relative to a directory that is named by a descriptor: not known by its path. */
static inline void looked_up_at(int directory, const char *path)
{
    if (__builtin_expect(cup_active() && !cup_self.guard, 0) && path &&
        (directory == AT_FDCWD || *path == '/'))
        cup_path_used(path);
}

/* The family differs in names only. CALL comes after what a program may notice of its arguments: a
 * path that cannot be read is the kernel's to refuse, so a failed call is not looked at. */
#define LOOK_UP(name, directory, path, ...)                                                        \
    int result = CUP_HAVE(name) ? CUP_WAITING(CUP_WAIT_IO, CUP_MAY_WAIT, real_##name(__VA_ARGS__)) \
                                : cup_missing();                                                   \
    if (result == 0)                                                                               \
        looked_up_at(directory, path);                                                             \
    return result

CUP_HOOK int stat(const char *path, struct stat *status)
{
    LOOK_UP(stat, AT_FDCWD, path, path, status);
}

CUP_HOOK int stat64(const char *path, struct stat64 *status)
{
    LOOK_UP(stat64, AT_FDCWD, path, path, status);
}

CUP_HOOK int lstat(const char *path, struct stat *status)
{
    LOOK_UP(lstat, AT_FDCWD, path, path, status);
}

CUP_HOOK int lstat64(const char *path, struct stat64 *status)
{
    LOOK_UP(lstat64, AT_FDCWD, path, path, status);
}

CUP_HOOK int fstatat(int directory, const char *path, struct stat *status, int flags)
{
    LOOK_UP(fstatat, directory, path, directory, path, status, flags);
}

CUP_HOOK int fstatat64(int directory, const char *path, struct stat64 *status, int flags)
{
    LOOK_UP(fstatat64, directory, path, directory, path, status, flags);
}

CUP_HOOK int statx(int directory, const char *path, int flags, unsigned mask, struct statx *status)
{
    LOOK_UP(statx, directory, path, directory, path, flags, mask, status);
}

/* What programs that were built before glibc 2.33 call. */

CUP_HOOK int __xstat(int version, const char *path, struct stat *status)
{
    LOOK_UP(__xstat, AT_FDCWD, path, version, path, status);
}

CUP_HOOK int __xstat64(int version, const char *path, struct stat64 *status)
{
    LOOK_UP(__xstat64, AT_FDCWD, path, version, path, status);
}

CUP_HOOK int __lxstat(int version, const char *path, struct stat *status)
{
    LOOK_UP(__lxstat, AT_FDCWD, path, version, path, status);
}

CUP_HOOK int __lxstat64(int version, const char *path, struct stat64 *status)
{
    LOOK_UP(__lxstat64, AT_FDCWD, path, version, path, status);
}

CUP_HOOK int __fxstatat(int version, int directory, const char *path, struct stat *status,
                        int flags)
{
    LOOK_UP(__fxstatat, directory, path, version, directory, path, status, flags);
}

CUP_HOOK int __fxstatat64(int version, int directory, const char *path, struct stat64 *status,
                          int flags)
{
    LOOK_UP(__fxstatat64, directory, path, version, directory, path, status, flags);
}
