/* Wrappers of calls on paths and directories: a file is looked up, or a far file system waited for.
 */
#include "preload/attribution/looked_up_paths.h"
#include "preload/lifecycle/thread.h"
#include "preload/sys/hook_list.h"
#include "preload/waits/wait.h"

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

/* ---- calls that only wait ---------------------------------------------------------------- */

#define DISK(call) return CUP_WAITING(CUP_WAIT_IO, CUP_MAY_WAIT, call)

CUP_HOOK int fstat(int fd, struct stat *status)
{
    DISK(CUP_HAVE(fstat) ? real_fstat(fd, status) : cup_missing());
}

CUP_HOOK int fstat64(int fd, struct stat64 *status)
{
    DISK(CUP_HAVE(fstat64) ? real_fstat64(fd, status) : cup_missing());
}

CUP_HOOK int __fxstat(int version, int fd, struct stat *status)
{
    DISK(CUP_HAVE(__fxstat) ? real___fxstat(version, fd, status) : cup_missing());
}

CUP_HOOK int __fxstat64(int version, int fd, struct stat64 *status)
{
    DISK(CUP_HAVE(__fxstat64) ? real___fxstat64(version, fd, status) : cup_missing());
}

CUP_HOOK int access(const char *path, int mode)
{
    DISK(CUP_REAL(access)(path, mode));
}

CUP_HOOK int faccessat(int directory, const char *path, int mode, int flags)
{
    DISK(CUP_REAL(faccessat)(directory, path, mode, flags));
}

CUP_HOOK int unlink(const char *path)
{
    DISK(CUP_REAL(unlink)(path));
}

CUP_HOOK int unlinkat(int directory, const char *path, int flags)
{
    DISK(CUP_REAL(unlinkat)(directory, path, flags));
}

CUP_HOOK int rename(const char *from, const char *to)
{
    DISK(CUP_REAL(rename)(from, to));
}

CUP_HOOK int renameat(int from_directory, const char *from, int to_directory, const char *to)
{
    DISK(CUP_REAL(renameat)(from_directory, from, to_directory, to));
}

CUP_HOOK int mkdir(const char *path, mode_t mode)
{
    DISK(CUP_REAL(mkdir)(path, mode));
}

CUP_HOOK int mkdirat(int directory, const char *path, mode_t mode)
{
    DISK(CUP_REAL(mkdirat)(directory, path, mode));
}

CUP_HOOK int rmdir(const char *path)
{
    DISK(CUP_REAL(rmdir)(path));
}

CUP_HOOK int truncate(const char *path, off_t bytes)
{
    DISK(CUP_REAL(truncate)(path, bytes));
}

CUP_HOOK int truncate64(const char *path, off64_t bytes)
{
    DISK(CUP_REAL(truncate64)(path, bytes));
}

CUP_HOOK int ftruncate(int fd, off_t bytes)
{
    DISK(CUP_REAL(ftruncate)(fd, bytes));
}

CUP_HOOK int ftruncate64(int fd, off64_t bytes)
{
    DISK(CUP_REAL(ftruncate64)(fd, bytes));
}

CUP_HOOK DIR *opendir(const char *path)
{
    DISK(CUP_REAL(opendir)(path));
}

CUP_HOOK struct dirent *readdir(DIR *directory)
{
    DISK(CUP_REAL(readdir)(directory));
}

CUP_HOOK struct dirent64 *readdir64(DIR *directory)
{
    DISK(CUP_REAL(readdir64)(directory));
}
