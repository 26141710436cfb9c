/* Wrappers of calls on paths and directories. They look up files, for which a remote file system
 * may have to be asked. */
#include "preload/attribution/looked_up_paths.h"
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

/* After a call that failed PATH is not read: it may be unreadable, and the kernel has said so. */
static inline int end_look_up(struct cup_wait *wait, int result, int directory, const char *path)
{
    end_wait(wait, result);
    if (result == 0)
        note_path(directory, path);
    return result;
}

CUP_HOOK int stat(const char *path, struct stat *status)
{
    struct cup_wait room, *wait = begin_disk_wait(&room);
    return end_look_up(wait, CUP_CALL_OPTIONAL(stat, path, status), AT_FDCWD, path);
}

CUP_HOOK int stat64(const char *path, struct stat64 *status)
{
    struct cup_wait room, *wait = begin_disk_wait(&room);
    return end_look_up(wait, CUP_CALL_OPTIONAL(stat64, path, status), AT_FDCWD, path);
}

CUP_HOOK int lstat(const char *path, struct stat *status)
{
    struct cup_wait room, *wait = begin_disk_wait(&room);
    return end_look_up(wait, CUP_CALL_OPTIONAL(lstat, path, status), AT_FDCWD, path);
}

CUP_HOOK int lstat64(const char *path, struct stat64 *status)
{
    struct cup_wait room, *wait = begin_disk_wait(&room);
    return end_look_up(wait, CUP_CALL_OPTIONAL(lstat64, path, status), AT_FDCWD, path);
}

CUP_HOOK int fstatat(int directory, const char *path, struct stat *status, int flags)
{
    struct cup_wait room, *wait = begin_disk_wait(&room);
    return end_look_up(wait, CUP_CALL_OPTIONAL(fstatat, directory, path, status, flags), directory,
                       path);
}

CUP_HOOK int fstatat64(int directory, const char *path, struct stat64 *status, int flags)
{
    struct cup_wait room, *wait = begin_disk_wait(&room);
    return end_look_up(wait, CUP_CALL_OPTIONAL(fstatat64, directory, path, status, flags),
                       directory, path);
}

CUP_HOOK int statx(int directory, const char *path, int flags, unsigned mask, struct statx *status)
{
    struct cup_wait room, *wait = begin_disk_wait(&room);
    return end_look_up(wait, CUP_CALL_OPTIONAL(statx, directory, path, flags, mask, status),
                       directory, path);
}

/* Programs that were built before glibc 2.33 call these. */

CUP_HOOK int __xstat(int version, const char *path, struct stat *status)
{
    struct cup_wait room, *wait = begin_disk_wait(&room);
    return end_look_up(wait, CUP_CALL_OPTIONAL(__xstat, version, path, status), AT_FDCWD, path);
}

CUP_HOOK int __xstat64(int version, const char *path, struct stat64 *status)
{
    struct cup_wait room, *wait = begin_disk_wait(&room);
    return end_look_up(wait, CUP_CALL_OPTIONAL(__xstat64, version, path, status), AT_FDCWD, path);
}

CUP_HOOK int __lxstat(int version, const char *path, struct stat *status)
{
    struct cup_wait room, *wait = begin_disk_wait(&room);
    return end_look_up(wait, CUP_CALL_OPTIONAL(__lxstat, version, path, status), AT_FDCWD, path);
}

CUP_HOOK int __lxstat64(int version, const char *path, struct stat64 *status)
{
    struct cup_wait room, *wait = begin_disk_wait(&room);
    return end_look_up(wait, CUP_CALL_OPTIONAL(__lxstat64, version, path, status), AT_FDCWD, path);
}

CUP_HOOK int __fxstatat(int version, int directory, const char *path, struct stat *status,
                        int flags)
{
    struct cup_wait room, *wait = begin_disk_wait(&room);
    return end_look_up(wait, CUP_CALL_OPTIONAL(__fxstatat, version, directory, path, status, flags),
                       directory, path);
}

CUP_HOOK int __fxstatat64(int version, int directory, const char *path, struct stat64 *status,
                          int flags)
{
    struct cup_wait room, *wait = begin_disk_wait(&room);
    return end_look_up(wait,
                       CUP_CALL_OPTIONAL(__fxstatat64, version, directory, path, status, flags),
                       directory, path);
}

/* ---- calls that only wait ---------------------------------------------------------------- */

CUP_HOOK int fstat(int fd, struct stat *status)
{
    struct cup_wait room, *wait = begin_disk_wait(&room);
    return end_wait(wait, CUP_CALL_OPTIONAL(fstat, fd, status));
}

CUP_HOOK int fstat64(int fd, struct stat64 *status)
{
    struct cup_wait room, *wait = begin_disk_wait(&room);
    return end_wait(wait, CUP_CALL_OPTIONAL(fstat64, fd, status));
}

CUP_HOOK int __fxstat(int version, int fd, struct stat *status)
{
    struct cup_wait room, *wait = begin_disk_wait(&room);
    return end_wait(wait, CUP_CALL_OPTIONAL(__fxstat, version, fd, status));
}

CUP_HOOK int __fxstat64(int version, int fd, struct stat64 *status)
{
    struct cup_wait room, *wait = begin_disk_wait(&room);
    return end_wait(wait, CUP_CALL_OPTIONAL(__fxstat64, version, fd, status));
}

CUP_HOOK int access(const char *path, int mode)
{
    struct cup_wait room, *wait = begin_disk_wait(&room);
    return end_wait(wait, CUP_REAL(access)(path, mode));
}

CUP_HOOK int faccessat(int directory, const char *path, int mode, int flags)
{
    struct cup_wait room, *wait = begin_disk_wait(&room);
    return end_wait(wait, CUP_REAL(faccessat)(directory, path, mode, flags));
}

CUP_HOOK int unlink(const char *path)
{
    struct cup_wait room, *wait = begin_disk_wait(&room);
    return end_wait(wait, CUP_REAL(unlink)(path));
}

CUP_HOOK int unlinkat(int directory, const char *path, int flags)
{
    struct cup_wait room, *wait = begin_disk_wait(&room);
    return end_wait(wait, CUP_REAL(unlinkat)(directory, path, flags));
}

CUP_HOOK int rename(const char *from, const char *to)
{
    struct cup_wait room, *wait = begin_disk_wait(&room);
    return end_wait(wait, CUP_REAL(rename)(from, to));
}

CUP_HOOK int renameat(int from_directory, const char *from, int to_directory, const char *to)
{
    struct cup_wait room, *wait = begin_disk_wait(&room);
    return end_wait(wait, CUP_REAL(renameat)(from_directory, from, to_directory, to));
}

CUP_HOOK int mkdir(const char *path, mode_t mode)
{
    struct cup_wait room, *wait = begin_disk_wait(&room);
    return end_wait(wait, CUP_REAL(mkdir)(path, mode));
}

CUP_HOOK int mkdirat(int directory, const char *path, mode_t mode)
{
    struct cup_wait room, *wait = begin_disk_wait(&room);
    return end_wait(wait, CUP_REAL(mkdirat)(directory, path, mode));
}

CUP_HOOK int rmdir(const char *path)
{
    struct cup_wait room, *wait = begin_disk_wait(&room);
    return end_wait(wait, CUP_REAL(rmdir)(path));
}

CUP_HOOK int truncate(const char *path, off_t bytes)
{
    struct cup_wait room, *wait = begin_disk_wait(&room);
    return end_wait(wait, CUP_REAL(truncate)(path, bytes));
}

CUP_HOOK int truncate64(const char *path, off64_t bytes)
{
    struct cup_wait room, *wait = begin_disk_wait(&room);
    return end_wait(wait, CUP_REAL(truncate64)(path, bytes));
}

CUP_HOOK int ftruncate(int fd, off_t bytes)
{
    struct cup_wait room, *wait = begin_disk_wait(&room);
    return end_wait(wait, CUP_REAL(ftruncate)(fd, bytes));
}

CUP_HOOK int ftruncate64(int fd, off64_t bytes)
{
    struct cup_wait room, *wait = begin_disk_wait(&room);
    return end_wait(wait, CUP_REAL(ftruncate64)(fd, bytes));
}

CUP_HOOK DIR *opendir(const char *path)
{
    struct cup_wait room, *wait = begin_disk_wait(&room);
    return end_pointer_wait(wait, CUP_REAL(opendir)(path));
}

CUP_HOOK struct dirent *readdir(DIR *directory)
{
    struct cup_wait room, *wait = begin_disk_wait(&room);
    return end_pointer_wait(wait, CUP_REAL(readdir)(directory));
}

CUP_HOOK struct dirent64 *readdir64(DIR *directory)
{
    struct cup_wait room, *wait = begin_disk_wait(&room);
    return end_pointer_wait(wait, CUP_REAL(readdir64)(directory));
}
