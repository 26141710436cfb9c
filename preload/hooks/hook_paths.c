/* Wrappers of calls on paths and directories. They look up files, for which a remote file system
 * may have to be asked. */
#include "preload/attribution/lock_origin.h"
#include "preload/hooks/waiting.h"
#include "preload/lifecycle/thread.h"
#include "preload/sys/hook_list.h"

/* ---- calls that look up a path ----------------------------------------------------------- */

/* PATH was found. It is noted unless it is relative to DIRECTORY, because then the whole path is
 * not known. */
static inline void note_path(int directory, const char *path)
{
    if (__builtin_expect(cup_active() && !cup_self.guard, 0) && path &&
        (directory == AT_FDCWD || *path == '/'))
        cup_path_used(path);
}

/* A wrapper of a call that looks up PATH below DIRECTORY. After a call that failed PATH is not
 * read: it may be unreadable, and the kernel has said so. */
#define LOOK_UP_HOOK(name, parameters, directory, call)                                            \
    CUP_HOOK int name parameters                                                                   \
    {                                                                                              \
        struct cup_wait room, *wait = begin_wait(&room, CUP_WAIT_IO, CUP_MAY_WAIT);                \
        int result = end_wait(wait, call);                                                         \
        if (result == 0)                                                                           \
            note_path(directory, path);                                                            \
        return result;                                                                             \
    }

LOOK_UP_HOOK(stat, (const char *path, struct stat *status), AT_FDCWD,
             CUP_CALL_OPTIONAL(stat, path, status))
LOOK_UP_HOOK(stat64, (const char *path, struct stat64 *status), AT_FDCWD,
             CUP_CALL_OPTIONAL(stat64, path, status))
LOOK_UP_HOOK(lstat, (const char *path, struct stat *status), AT_FDCWD,
             CUP_CALL_OPTIONAL(lstat, path, status))
LOOK_UP_HOOK(lstat64, (const char *path, struct stat64 *status), AT_FDCWD,
             CUP_CALL_OPTIONAL(lstat64, path, status))
LOOK_UP_HOOK(fstatat, (int directory, const char *path, struct stat *status, int flags), directory,
             CUP_CALL_OPTIONAL(fstatat, directory, path, status, flags))
LOOK_UP_HOOK(fstatat64, (int directory, const char *path, struct stat64 *status, int flags),
             directory, CUP_CALL_OPTIONAL(fstatat64, directory, path, status, flags))
LOOK_UP_HOOK(statx,
             (int directory, const char *path, int flags, unsigned mask, struct statx *status),
             directory, CUP_CALL_OPTIONAL(statx, directory, path, flags, mask, status))

/* Programs that were built before glibc 2.33 call these. */

LOOK_UP_HOOK(__xstat, (int version, const char *path, struct stat *status), AT_FDCWD,
             CUP_CALL_OPTIONAL(__xstat, version, path, status))
LOOK_UP_HOOK(__xstat64, (int version, const char *path, struct stat64 *status), AT_FDCWD,
             CUP_CALL_OPTIONAL(__xstat64, version, path, status))
LOOK_UP_HOOK(__lxstat, (int version, const char *path, struct stat *status), AT_FDCWD,
             CUP_CALL_OPTIONAL(__lxstat, version, path, status))
LOOK_UP_HOOK(__lxstat64, (int version, const char *path, struct stat64 *status), AT_FDCWD,
             CUP_CALL_OPTIONAL(__lxstat64, version, path, status))
LOOK_UP_HOOK(__fxstatat,
             (int version, int directory, const char *path, struct stat *status, int flags),
             directory, CUP_CALL_OPTIONAL(__fxstatat, version, directory, path, status, flags))
LOOK_UP_HOOK(__fxstatat64,
             (int version, int directory, const char *path, struct stat64 *status, int flags),
             directory, CUP_CALL_OPTIONAL(__fxstatat64, version, directory, path, status, flags))

/* ---- calls that only wait ---------------------------------------------------------------- */

DISK_HOOK(int, fstat, (int fd, struct stat *status), CUP_CALL_OPTIONAL(fstat, fd, status))
DISK_HOOK(int, fstat64, (int fd, struct stat64 *status), CUP_CALL_OPTIONAL(fstat64, fd, status))
DISK_HOOK(int, __fxstat, (int version, int fd, struct stat *status),
          CUP_CALL_OPTIONAL(__fxstat, version, fd, status))
DISK_HOOK(int, __fxstat64, (int version, int fd, struct stat64 *status),
          CUP_CALL_OPTIONAL(__fxstat64, version, fd, status))
DISK_HOOK(int, access, (const char *path, int mode), CUP_REAL(access)(path, mode))
DISK_HOOK(int, faccessat, (int directory, const char *path, int mode, int flags),
          CUP_REAL(faccessat)(directory, path, mode, flags))
DISK_HOOK(int, unlink, (const char *path), CUP_REAL(unlink)(path))
DISK_HOOK(int, unlinkat, (int directory, const char *path, int flags),
          CUP_REAL(unlinkat)(directory, path, flags))
DISK_HOOK(int, rename, (const char *from, const char *to), CUP_REAL(rename)(from, to))
DISK_HOOK(int, renameat, (int from_directory, const char *from, int to_directory, const char *to),
          CUP_REAL(renameat)(from_directory, from, to_directory, to))
DISK_HOOK(int, mkdir, (const char *path, mode_t mode), CUP_REAL(mkdir)(path, mode))
DISK_HOOK(int, mkdirat, (int directory, const char *path, mode_t mode),
          CUP_REAL(mkdirat)(directory, path, mode))
DISK_HOOK(int, rmdir, (const char *path), CUP_REAL(rmdir)(path))
DISK_HOOK(int, truncate, (const char *path, off_t bytes), CUP_REAL(truncate)(path, bytes))
DISK_HOOK(int, truncate64, (const char *path, off64_t bytes), CUP_REAL(truncate64)(path, bytes))
DISK_HOOK(int, ftruncate, (int fd, off_t bytes), CUP_REAL(ftruncate)(fd, bytes))
DISK_HOOK(int, ftruncate64, (int fd, off64_t bytes), CUP_REAL(ftruncate64)(fd, bytes))
DISK_HOOK(DIR *, opendir, (const char *path), CUP_REAL(opendir)(path))
/* clang-format off */
DISK_HOOK(struct dirent *, readdir, (DIR *directory), CUP_REAL(readdir)(directory))
DISK_HOOK(struct dirent64 *, readdir64, (DIR *directory), CUP_REAL(readdir64)(directory))
/* clang-format on */
