/* The list of all functions that the library interposes. The wrappers (hooks/hook_*.c), the real_*
 * pointers, the table that resolves them (real.c) and the test of the exported symbols are made
 * from it. How to add one: docs/contributing/add-a-hook.md.
 *
 * X(name, family, need). REQUIRED: in every glibc since 2.17; if it is missing, the library
 * switches itself off. OPTIONAL: newer, or an alias; if it is missing, a call fails with ENOSYS, as
 * a missing system call does. */
#pragma once

#ifndef __NO_INLINE__
#define __NO_INLINE__ /* the headers' inline functions would collide with our wrappers */
#endif

#include "preload/sys/library_variable.h"

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <netdb.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/select.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

#define CUP_HOOKS(X)                                                                               \
    /* descriptors are opened and closed */                                                        \
    X(open, FILES, REQUIRED)                                                                       \
    X(open64, FILES, REQUIRED)                                                                     \
    X(__open, FILES, OPTIONAL)                                                                     \
    X(__open64, FILES, OPTIONAL)                                                                   \
    X(__open_2, FILES, OPTIONAL)                                                                   \
    X(__open64_2, FILES, OPTIONAL)                                                                 \
    X(openat, FILES, REQUIRED)                                                                     \
    X(openat64, FILES, REQUIRED)                                                                   \
    X(__openat_2, FILES, OPTIONAL)                                                                 \
    X(__openat64_2, FILES, OPTIONAL)                                                               \
    X(creat, FILES, REQUIRED)                                                                      \
    X(creat64, FILES, REQUIRED)                                                                    \
    X(close, FILES, REQUIRED)                                                                      \
    X(__close, FILES, OPTIONAL)                                                                    \
    X(close_range, FILES, OPTIONAL)                                                                \
    X(closefrom, FILES, OPTIONAL)                                                                  \
    X(dup, FILES, REQUIRED)                                                                        \
    X(dup2, FILES, REQUIRED)                                                                       \
    X(__dup2, FILES, OPTIONAL)                                                                     \
    X(dup3, FILES, REQUIRED)                                                                       \
    X(fcntl, FILES, REQUIRED)                                                                      \
    X(fcntl64, FILES, OPTIONAL)                                                                    \
    X(__fcntl, FILES, OPTIONAL)                                                                    \
    X(lseek, FILES, REQUIRED)                                                                      \
    X(lseek64, FILES, REQUIRED)                                                                    \
    X(__lseek, FILES, OPTIONAL)                                                                    \
    X(pipe, FILES, REQUIRED)                                                                       \
    X(__pipe, FILES, OPTIONAL)                                                                     \
    X(pipe2, FILES, REQUIRED)                                                                      \
    /* reads */                                                                                    \
    X(read, FILES, REQUIRED)                                                                       \
    X(__read, FILES, OPTIONAL)                                                                     \
    X(__read_chk, FILES, OPTIONAL)                                                                 \
    X(pread, FILES, REQUIRED)                                                                      \
    X(pread64, FILES, REQUIRED)                                                                    \
    X(__pread64, FILES, OPTIONAL)                                                                  \
    X(__pread_chk, FILES, OPTIONAL)                                                                \
    X(__pread64_chk, FILES, OPTIONAL)                                                              \
    X(readv, FILES, REQUIRED)                                                                      \
    X(preadv, FILES, REQUIRED)                                                                     \
    X(preadv64, FILES, REQUIRED)                                                                   \
    X(preadv2, FILES, OPTIONAL)                                                                    \
    X(preadv64v2, FILES, OPTIONAL)                                                                 \
    /* writes */                                                                                   \
    X(write, FILES, REQUIRED)                                                                      \
    X(__write, FILES, OPTIONAL)                                                                    \
    X(pwrite, FILES, REQUIRED)                                                                     \
    X(pwrite64, FILES, REQUIRED)                                                                   \
    X(__pwrite64, FILES, OPTIONAL)                                                                 \
    X(writev, FILES, REQUIRED)                                                                     \
    X(pwritev, FILES, REQUIRED)                                                                    \
    X(pwritev64, FILES, REQUIRED)                                                                  \
    X(pwritev2, FILES, OPTIONAL)                                                                   \
    X(pwritev64v2, FILES, OPTIONAL)                                                                \
    /* copies inside the kernel */                                                                 \
    X(sendfile, FILES, REQUIRED)                                                                   \
    X(sendfile64, FILES, REQUIRED)                                                                 \
    X(copy_file_range, FILES, OPTIONAL)                                                            \
    X(splice, FILES, REQUIRED)                                                                     \
    /* sockets */                                                                                  \
    X(recv, SOCKETS, REQUIRED)                                                                     \
    X(__recv_chk, SOCKETS, OPTIONAL)                                                               \
    X(recvfrom, SOCKETS, REQUIRED)                                                                 \
    X(__recvfrom_chk, SOCKETS, OPTIONAL)                                                           \
    X(recvmsg, SOCKETS, REQUIRED)                                                                  \
    X(recvmmsg, SOCKETS, REQUIRED)                                                                 \
    X(send, SOCKETS, REQUIRED)                                                                     \
    X(__send, SOCKETS, OPTIONAL)                                                                   \
    X(sendto, SOCKETS, REQUIRED)                                                                   \
    X(sendmsg, SOCKETS, REQUIRED)                                                                  \
    X(sendmmsg, SOCKETS, REQUIRED)                                                                 \
    X(getsockopt, SOCKETS, REQUIRED)                                                               \
    /* stdio: libc's own reads and writes of its buffers cannot be intercepted */                  \
    X(fopen, STDIO, REQUIRED)                                                                      \
    X(fopen64, STDIO, REQUIRED)                                                                    \
    X(freopen, STDIO, REQUIRED)                                                                    \
    X(freopen64, STDIO, REQUIRED)                                                                  \
    X(fclose, STDIO, REQUIRED)                                                                     \
    X(pclose, STDIO, REQUIRED)                                                                     \
    X(fread, STDIO, REQUIRED)                                                                      \
    X(fread_unlocked, STDIO, REQUIRED)                                                             \
    X(__fread_chk, STDIO, OPTIONAL)                                                                \
    X(__fread_unlocked_chk, STDIO, OPTIONAL)                                                       \
    X(fseek, STDIO, REQUIRED)                                                                      \
    X(fseeko, STDIO, REQUIRED)                                                                     \
    X(fseeko64, STDIO, REQUIRED)                                                                   \
    X(fsetpos, STDIO, REQUIRED)                                                                    \
    X(fsetpos64, STDIO, REQUIRED)                                                                  \
    X(rewind, STDIO, REQUIRED)                                                                     \
    X(fgets, STDIO, REQUIRED)                                                                      \
    X(fgets_unlocked, STDIO, REQUIRED)                                                             \
    X(__fgets_chk, STDIO, OPTIONAL)                                                                \
    X(__fgets_unlocked_chk, STDIO, OPTIONAL)                                                       \
    X(fgetc, STDIO, REQUIRED)                                                                      \
    X(fgetc_unlocked, STDIO, REQUIRED)                                                             \
    X(getc, STDIO, REQUIRED)                                                                       \
    X(getc_unlocked, STDIO, REQUIRED)                                                              \
    X(_IO_getc, STDIO, OPTIONAL)                                                                   \
    X(getline, STDIO, REQUIRED)                                                                    \
    X(getdelim, STDIO, REQUIRED)                                                                   \
    X(__getdelim, STDIO, OPTIONAL)                                                                 \
    X(getw, STDIO, REQUIRED)                                                                       \
    X(getchar, STDIO, REQUIRED)                                                                    \
    X(getchar_unlocked, STDIO, REQUIRED)                                                           \
    X(vfscanf, STDIO, REQUIRED)                                                                    \
    X(fscanf, STDIO, REQUIRED)                                                                     \
    X(__isoc99_vfscanf, STDIO, OPTIONAL)                                                           \
    X(__isoc99_fscanf, STDIO, OPTIONAL)                                                            \
    X(__isoc23_vfscanf, STDIO, OPTIONAL)                                                           \
    X(__isoc23_fscanf, STDIO, OPTIONAL)                                                            \
    X(fwrite, STDIO, REQUIRED)                                                                     \
    X(fwrite_unlocked, STDIO, REQUIRED)                                                            \
    X(fputs, STDIO, REQUIRED)                                                                      \
    X(fputs_unlocked, STDIO, REQUIRED)                                                             \
    X(fputc, STDIO, REQUIRED)                                                                      \
    X(fputc_unlocked, STDIO, REQUIRED)                                                             \
    X(putc, STDIO, REQUIRED)                                                                       \
    X(putc_unlocked, STDIO, REQUIRED)                                                              \
    X(_IO_putc, STDIO, OPTIONAL)                                                                   \
    X(vfprintf, STDIO, REQUIRED)                                                                   \
    X(fprintf, STDIO, REQUIRED)                                                                    \
    X(__vfprintf_chk, STDIO, OPTIONAL)                                                             \
    X(__fprintf_chk, STDIO, OPTIONAL)                                                              \
    X(putw, STDIO, REQUIRED)                                                                       \
    X(putchar, STDIO, REQUIRED)                                                                    \
    X(putchar_unlocked, STDIO, REQUIRED)                                                           \
    X(puts, STDIO, REQUIRED)                                                                       \
    X(vprintf, STDIO, REQUIRED)                                                                    \
    X(printf, STDIO, REQUIRED)                                                                     \
    X(__vprintf_chk, STDIO, OPTIONAL)                                                              \
    X(__printf_chk, STDIO, OPTIONAL)                                                               \
    X(vdprintf, STDIO, REQUIRED)                                                                   \
    X(dprintf, STDIO, REQUIRED)                                                                    \
    X(__vdprintf_chk, STDIO, OPTIONAL)                                                             \
    X(__dprintf_chk, STDIO, OPTIONAL)                                                              \
    /* heap */                                                                                     \
    X(malloc, HEAP, REQUIRED)                                                                      \
    X(calloc, HEAP, REQUIRED)                                                                      \
    X(realloc, HEAP, REQUIRED)                                                                     \
    X(reallocarray, HEAP, OPTIONAL)                                                                \
    X(free, HEAP, REQUIRED)                                                                        \
    X(memalign, HEAP, REQUIRED)                                                                    \
    X(posix_memalign, HEAP, REQUIRED)                                                              \
    X(aligned_alloc, HEAP, OPTIONAL)                                                               \
    X(valloc, HEAP, REQUIRED)                                                                      \
    X(pvalloc, HEAP, REQUIRED)                                                                     \
    X(mmap, HEAP, REQUIRED)                                                                        \
    X(mmap64, HEAP, REQUIRED)                                                                      \
    X(munmap, HEAP, REQUIRED)                                                                      \
    X(mremap, HEAP, REQUIRED)                                                                      \
    /* files are looked up by their paths */                                                       \
    X(stat, FILES, OPTIONAL)                                                                       \
    X(stat64, FILES, OPTIONAL)                                                                     \
    X(lstat, FILES, OPTIONAL)                                                                      \
    X(lstat64, FILES, OPTIONAL)                                                                    \
    X(fstatat, FILES, OPTIONAL)                                                                    \
    X(fstatat64, FILES, OPTIONAL)                                                                  \
    X(statx, FILES, OPTIONAL)                                                                      \
    X(__xstat, FILES, OPTIONAL)                                                                    \
    X(__xstat64, FILES, OPTIONAL)                                                                  \
    X(__lxstat, FILES, OPTIONAL)                                                                   \
    X(__lxstat64, FILES, OPTIONAL)                                                                 \
    X(__fxstatat, FILES, OPTIONAL)                                                                 \
    X(__fxstatat64, FILES, OPTIONAL)                                                               \
    /* calls on paths and directories, which may wait for a remote file system */                  \
    X(fstat, WAITS, OPTIONAL)                                                                      \
    X(fstat64, WAITS, OPTIONAL)                                                                    \
    X(__fxstat, WAITS, OPTIONAL)                                                                   \
    X(__fxstat64, WAITS, OPTIONAL)                                                                 \
    X(access, WAITS, REQUIRED)                                                                     \
    X(faccessat, WAITS, REQUIRED)                                                                  \
    X(unlink, WAITS, REQUIRED)                                                                     \
    X(unlinkat, WAITS, REQUIRED)                                                                   \
    X(rename, WAITS, REQUIRED)                                                                     \
    X(renameat, WAITS, REQUIRED)                                                                   \
    X(mkdir, WAITS, REQUIRED)                                                                      \
    X(mkdirat, WAITS, REQUIRED)                                                                    \
    X(rmdir, WAITS, REQUIRED)                                                                      \
    X(truncate, WAITS, REQUIRED)                                                                   \
    X(truncate64, WAITS, REQUIRED)                                                                 \
    X(ftruncate, WAITS, REQUIRED)                                                                  \
    X(ftruncate64, WAITS, REQUIRED)                                                                \
    X(fdopendir, FILES, REQUIRED)                                                                  \
    X(opendir, WAITS, REQUIRED)                                                                    \
    X(readdir, WAITS, REQUIRED)                                                                    \
    X(readdir64, WAITS, REQUIRED)                                                                  \
    /* locks of Python (before glibc 2.34 in libpthread, which need not be there), and threads */  \
    X(sem_init, LOCKS, OPTIONAL)                                                                   \
    X(sem_destroy, LOCKS, OPTIONAL)                                                                \
    X(sem_open, LOCKS, OPTIONAL)                                                                   \
    X(sem_close, LOCKS, OPTIONAL)                                                                  \
    X(sem_wait, LOCKS, OPTIONAL)                                                                   \
    X(sem_trywait, LOCKS, OPTIONAL)                                                                \
    X(sem_timedwait, LOCKS, OPTIONAL)                                                              \
    X(sem_clockwait, LOCKS, OPTIONAL)                                                              \
    X(sem_post, LOCKS, OPTIONAL)                                                                   \
    X(pthread_create, LOCKS, OPTIONAL)                                                             \
    /* calls that block; locks of libpthread as above */                                           \
    X(nanosleep, WAITS, REQUIRED)                                                                  \
    X(__nanosleep, WAITS, OPTIONAL)                                                                \
    X(clock_nanosleep, WAITS, REQUIRED)                                                            \
    X(usleep, WAITS, REQUIRED)                                                                     \
    X(sleep, WAITS, REQUIRED)                                                                      \
    X(thrd_sleep, WAITS, OPTIONAL)                                                                 \
    X(poll, WAITS, REQUIRED)                                                                       \
    X(__poll, WAITS, OPTIONAL)                                                                     \
    X(__poll_chk, WAITS, OPTIONAL)                                                                 \
    X(ppoll, WAITS, REQUIRED)                                                                      \
    X(__ppoll_chk, WAITS, OPTIONAL)                                                                \
    X(select, WAITS, REQUIRED)                                                                     \
    X(__select, WAITS, OPTIONAL)                                                                   \
    X(pselect, WAITS, REQUIRED)                                                                    \
    X(epoll_wait, WAITS, REQUIRED)                                                                 \
    X(epoll_pwait, WAITS, REQUIRED)                                                                \
    X(epoll_pwait2, WAITS, OPTIONAL)                                                               \
    X(accept, WAITS, REQUIRED)                                                                     \
    X(accept4, WAITS, REQUIRED)                                                                    \
    X(connect, WAITS, REQUIRED)                                                                    \
    X(__connect, WAITS, OPTIONAL)                                                                  \
    X(getaddrinfo, WAITS, REQUIRED)                                                                \
    X(pthread_cond_wait, WAITS, REQUIRED)                                                          \
    X(pthread_cond_timedwait, WAITS, REQUIRED)                                                     \
    X(pthread_cond_clockwait, WAITS, OPTIONAL)                                                     \
    X(pthread_cond_signal, WAITS, REQUIRED)                                                        \
    X(pthread_cond_broadcast, WAITS, REQUIRED)                                                     \
    X(cnd_wait, WAITS, OPTIONAL)                                                                   \
    X(cnd_timedwait, WAITS, OPTIONAL)                                                              \
    X(pthread_mutex_lock, WAITS, REQUIRED)                                                         \
    X(__pthread_mutex_lock, WAITS, OPTIONAL)                                                       \
    X(pthread_mutex_unlock, WAITS, REQUIRED)                                                       \
    X(pthread_mutex_timedlock, WAITS, OPTIONAL)                                                    \
    X(pthread_mutex_clocklock, WAITS, OPTIONAL)                                                    \
    X(mtx_lock, WAITS, OPTIONAL)                                                                   \
    X(mtx_timedlock, WAITS, OPTIONAL)                                                              \
    X(pthread_rwlock_rdlock, WAITS, OPTIONAL)                                                      \
    X(__pthread_rwlock_rdlock, WAITS, OPTIONAL)                                                    \
    X(pthread_rwlock_wrlock, WAITS, OPTIONAL)                                                      \
    X(__pthread_rwlock_wrlock, WAITS, OPTIONAL)                                                    \
    X(pthread_rwlock_timedrdlock, WAITS, OPTIONAL)                                                 \
    X(pthread_rwlock_timedwrlock, WAITS, OPTIONAL)                                                 \
    X(pthread_rwlock_clockrdlock, WAITS, OPTIONAL)                                                 \
    X(pthread_rwlock_clockwrlock, WAITS, OPTIONAL)                                                 \
    X(pthread_barrier_wait, WAITS, OPTIONAL)                                                       \
    X(pthread_join, WAITS, OPTIONAL)                                                               \
    X(pthread_timedjoin_np, WAITS, OPTIONAL)                                                       \
    X(pthread_clockjoin_np, WAITS, OPTIONAL)                                                       \
    X(thrd_join, WAITS, OPTIONAL)                                                                  \
    X(flock, WAITS, REQUIRED)                                                                      \
    X(lockf, WAITS, REQUIRED)                                                                      \
    X(lockf64, WAITS, REQUIRED)                                                                    \
    X(fsync, WAITS, REQUIRED)                                                                      \
    X(fdatasync, WAITS, REQUIRED)                                                                  \
    X(msync, WAITS, REQUIRED)                                                                      \
    X(sync_file_range, WAITS, REQUIRED)                                                            \
    X(syscall, WAITS, REQUIRED)                                                                    \
    /* the clocks that Dask and Coffea read */                                                     \
    X(clock_gettime, CLOCK, REQUIRED)                                                              \
    /* other programs are started: a task's children are followed */                               \
    X(execve, PROCESS, REQUIRED)                                                                   \
    X(execveat, PROCESS, OPTIONAL)                                                                 \
    X(execv, PROCESS, REQUIRED)                                                                    \
    X(execvp, PROCESS, REQUIRED)                                                                   \
    X(execvpe, PROCESS, REQUIRED)                                                                  \
    X(execl, PROCESS, REQUIRED)                                                                    \
    X(execle, PROCESS, REQUIRED)                                                                   \
    X(execlp, PROCESS, REQUIRED)                                                                   \
    X(fexecve, PROCESS, REQUIRED)                                                                  \
    X(posix_spawn, PROCESS, REQUIRED)                                                              \
    X(posix_spawnp, PROCESS, REQUIRED)                                                             \
    X(system, PROCESS, REQUIRED)                                                                   \
    /* a child is reaped: the kernel adds what it read to this process's count */                  \
    X(wait, PROCESS, REQUIRED)                                                                     \
    X(__wait, PROCESS, OPTIONAL)                                                                   \
    X(wait3, PROCESS, REQUIRED)                                                                    \
    X(wait4, PROCESS, REQUIRED)                                                                    \
    X(waitpid, PROCESS, REQUIRED)                                                                  \
    X(__waitpid, PROCESS, OPTIONAL)                                                                \
    X(waitid, PROCESS, REQUIRED)                                                                   \
    /* a library is unloaded: another one may be loaded in its place */                            \
    X(dlclose, LOADER, REQUIRED)                                                                   \
    /* a seccomp filter is installed */                                                            \
    X(prctl, PROCESS, REQUIRED)                                                                    \
    /* the process ends without running destructors */                                             \
    X(_exit, PROCESS, REQUIRED)                                                                    \
    X(_Exit, PROCESS, REQUIRED)

/* Aliases that no public header declares. */
struct rusage;
pid_t __wait(int *status);
pid_t __waitpid(pid_t pid, int *status, int options);
__typeof__(open) __open, __open64;
int __open_2(const char *path, int flags);
int __open64_2(const char *path, int flags);
int __openat_2(int directory, const char *path, int flags);
int __openat64_2(int directory, const char *path, int flags);
int __close(int fd);
int __dup2(int from, int to);
int __pipe(int ends[2]);
int __fcntl(int fd, int command, ...);
off_t __lseek(int fd, off_t offset, int whence);
ssize_t __read(int fd, void *buffer, size_t bytes);
ssize_t __read_chk(int fd, void *buffer, size_t bytes, size_t room);
ssize_t __pread64(int fd, void *buffer, size_t bytes, off64_t offset);
ssize_t __pread_chk(int fd, void *buffer, size_t bytes, off_t offset, size_t room);
ssize_t __pread64_chk(int fd, void *buffer, size_t bytes, off64_t offset, size_t room);
ssize_t __write(int fd, const void *buffer, size_t bytes);
ssize_t __pwrite64(int fd, const void *buffer, size_t bytes, off64_t offset);
#if !__GLIBC_PREREQ(2, 27)
ssize_t copy_file_range(int from, off64_t *from_offset, int to, off64_t *to_offset, size_t bytes,
                        unsigned flags);
#endif
ssize_t __recv_chk(int fd, void *buffer, size_t bytes, size_t room, int flags);
ssize_t __recvfrom_chk(int fd, void *buffer, size_t bytes, size_t room, int flags,
                       __SOCKADDR_ARG address, socklen_t *address_bytes);
ssize_t __send(int fd, const void *buffer, size_t bytes, int flags);
size_t __fread_chk(void *buffer, size_t room, size_t size, size_t count, FILE *stream);
size_t __fread_unlocked_chk(void *buffer, size_t room, size_t size, size_t count, FILE *stream);
char *__fgets_chk(char *text, size_t room, int bytes, FILE *stream);
char *__fgets_unlocked_chk(char *text, size_t room, int bytes, FILE *stream);
int _IO_getc(FILE *stream);
int _IO_putc(int c, FILE *stream);
ssize_t __getdelim(char **line, size_t *size, int delimiter, FILE *stream);
__typeof__(vfscanf) __isoc99_vfscanf, __isoc23_vfscanf;
__typeof__(fscanf) __isoc99_fscanf, __isoc23_fscanf;
int __vfprintf_chk(FILE *stream, int flag, const char *format, va_list arguments);
#if !__GLIBC_PREREQ(2, 34)
int close_range(unsigned first, unsigned last, int flags);
void closefrom(int first);
int execveat(int directory, const char *path, char *const arguments[], char *const environment[],
             int flags);
#endif
int __fprintf_chk(FILE *stream, int flag, const char *format, ...);
int __vprintf_chk(int flag, const char *format, va_list arguments);
int __printf_chk(int flag, const char *format, ...);
int __vdprintf_chk(int fd, int flag, const char *format, va_list arguments);
int __dprintf_chk(int fd, int flag, const char *format, ...);

int __xstat(int version, const char *path, struct stat *status);
int __xstat64(int version, const char *path, struct stat64 *status);
int __fxstat(int version, int fd, struct stat *status);
int __fxstat64(int version, int fd, struct stat64 *status);
int __lxstat(int version, const char *path, struct stat *status);
int __lxstat64(int version, const char *path, struct stat64 *status);
int __fxstatat(int version, int directory, const char *path, struct stat *status, int flags);
int __fxstatat64(int version, int directory, const char *path, struct stat64 *status, int flags);
#if !__GLIBC_PREREQ(2, 28)
int fcntl64(int fd, int command, ...);
struct statx;
int statx(int directory, const char *path, int flags, unsigned mask, struct statx *status);
#endif
#if !__GLIBC_PREREQ(2, 30)
int sem_clockwait(sem_t *lock, clockid_t clock, const struct timespec *until);
int pthread_cond_clockwait(pthread_cond_t *condition, pthread_mutex_t *mutex, clockid_t clock,
                           const struct timespec *until);
int pthread_mutex_clocklock(pthread_mutex_t *lock, clockid_t clock, const struct timespec *until);
int pthread_rwlock_clockrdlock(pthread_rwlock_t *lock, clockid_t clock,
                               const struct timespec *until);
__typeof__(pthread_rwlock_clockrdlock) pthread_rwlock_clockwrlock;
#endif
#if !__GLIBC_PREREQ(2, 31)
int pthread_clockjoin_np(pthread_t thread, void **result, clockid_t clock,
                         const struct timespec *until);
#endif
#if !__GLIBC_PREREQ(2, 35)
int epoll_pwait2(int fd, struct epoll_event *events, int most, const struct timespec *timeout,
                 const sigset_t *signals);
#endif

int __nanosleep(const struct timespec *time, struct timespec *left);
int __poll(struct pollfd *descriptors, nfds_t count, int timeout);
int __poll_chk(struct pollfd *descriptors, nfds_t count, int timeout, size_t room);
int __ppoll_chk(struct pollfd *descriptors, nfds_t count, const struct timespec *timeout,
                const sigset_t *signals, size_t room);
int __select(int count, fd_set *in, fd_set *out, fd_set *other, struct timeval *timeout);
int __connect(int fd, __CONST_SOCKADDR_ARG address, socklen_t bytes);
int __pthread_mutex_lock(pthread_mutex_t *lock);
__typeof__(pthread_rwlock_rdlock) __pthread_rwlock_rdlock, __pthread_rwlock_wrlock;
/* Functions that the library calls itself and does not interpose: the variants that try a lock
 * without waiting, and those that set or read a thread's stack. They are resolved at run time
 * because glibc 2.34 gave them new versions, which older systems do not have. */
#define CUP_TRIES(X)                                                                               \
    X(pthread_mutex_trylock)                                                                       \
    X(mtx_trylock)                                                                                 \
    X(sem_getvalue)                                                                                \
    X(pthread_attr_setstacksize)                                                                   \
    X(pthread_getattr_np)                                                                          \
    X(pthread_attr_getstack)

/* Methods of XRootD's client, by their mangled C++ names; the last letter shows the ABI: t for
 * version 5, l for version 6. They are not in the list above: Python loads their library later,
 * where RTLD_NEXT does not find it, and two versions of it may be loaded. See hook_xrootd.c. */
#if defined(__x86_64__)
#define CUP_XROOTD_HOOKS(X)                                                                                                                  \
    X(_ZN5XrdCl4File4OpenERKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEENS_9OpenFlags5FlagsENS_6Access4ModeEt)                       \
    X(_ZN5XrdCl4File4OpenERKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEENS_9OpenFlags5FlagsENS_6Access4ModeEl)                       \
    X(_ZN5XrdCl4File4OpenERKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEENS_9OpenFlags5FlagsENS_6Access4ModeEPNS_15ResponseHandlerEt) \
    X(_ZN5XrdCl4File4OpenERKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEENS_9OpenFlags5FlagsENS_6Access4ModeEPNS_15ResponseHandlerEl) \
    X(_ZN5XrdCl4File4ReadEmjPvRjt)                                                                                                           \
    X(_ZN5XrdCl4File4ReadEmjPvRjl)                                                                                                           \
    X(_ZN5XrdCl4File4ReadEmjPvPNS_15ResponseHandlerEt)                                                                                       \
    X(_ZN5XrdCl4File4ReadEmjPvPNS_15ResponseHandlerEl)                                                                                       \
    X(_ZN5XrdCl4File6PgReadEmjPvRSt6vectorIjSaIjEERjt)                                                                                       \
    X(_ZN5XrdCl4File6PgReadEmjPvRSt6vectorIjSaIjEERjl)                                                                                       \
    X(_ZN5XrdCl4File6PgReadEmjPvPNS_15ResponseHandlerEt)                                                                                     \
    X(_ZN5XrdCl4File6PgReadEmjPvPNS_15ResponseHandlerEl)                                                                                     \
    X(_ZN5XrdCl4File10VectorReadERKSt6vectorINS_9ChunkInfoESaIS2_EEPvRPNS_14VectorReadInfoEt)                                                \
    X(_ZN5XrdCl4File10VectorReadERKSt6vectorINS_9ChunkInfoESaIS2_EEPvRPNS_14VectorReadInfoEl)                                                \
    X(_ZN5XrdCl4File10VectorReadERKSt6vectorINS_9ChunkInfoESaIS2_EEPvPNS_15ResponseHandlerEt)                                                \
    X(_ZN5XrdCl4File10VectorReadERKSt6vectorINS_9ChunkInfoESaIS2_EEPvPNS_15ResponseHandlerEl)                                                \
    X(_ZN5XrdCl4File4StatEbRPNS_8StatInfoEt)                                                                                                 \
    X(_ZN5XrdCl4File4StatEbRPNS_8StatInfoEl)                                                                                                 \
    X(_ZN5XrdCl4File4StatEbPNS_15ResponseHandlerEt)                                                                                          \
    X(_ZN5XrdCl4File4StatEbPNS_15ResponseHandlerEl)                                                                                          \
    X(_ZN5XrdCl4File5CloseEt)                                                                                                                \
    X(_ZN5XrdCl4File5CloseEl)                                                                                                                \
    X(_ZN5XrdCl4File5CloseEPNS_15ResponseHandlerEt)                                                                                          \
    X(_ZN5XrdCl4File5CloseEPNS_15ResponseHandlerEl)
#else
#define CUP_XROOTD_HOOKS(X)
#endif

#define X(name) extern __typeof__(name) *real_##name CUP_OURS;
CUP_TRIES(X)
#undef X
#define X(name, family, need) extern __typeof__(name) *real_##name CUP_OURS;
CUP_HOOKS(X)
#undef X

/* Resolves all of them, once. Returns how many were found; -1: a REQUIRED one is missing. Called by
 * the constructor, or by the first malloc() if that comes earlier. */
int cup_real_resolve(void);

/* Resolves NAME alone and stores it in SLOT, before cup_real_resolve() has run. */
void *cup_real_find(void **slot, const char *name);

/* CUP_REAL(): the real function, resolved now if it has not been yet. Only OPTIONAL functions can
 * be NULL: the caller checks them with CUP_HAVE.
 *
 * CUP_LATER(): the same for functions that are in libpthread before glibc 2.34. A program may not
 * be linked with libpthread, and open a library later that is. dlsym(RTLD_NEXT) does not find the
 * functions then, so they are looked up in libpthread by name, if it is loaded. */
#define CUP_REAL(name) CUP_FOUND(name, cup_real_find)
#define CUP_HAVE(name) (CUP_REAL(name) != NULL)
#define CUP_LATER(name) CUP_FOUND(name, cup_real_find_later)
#define CUP_FOUND(name, find)                                                                      \
    (__builtin_expect(real_##name != NULL, 1)                                                      \
         ? real_##name                                                                             \
         : (__typeof__(name) *)find((void **)&real_##name, #name))
void *cup_real_find_later(void **slot, const char *name);

/* Fails as the kernel does for a system call that it does not have. */
static inline int cup_missing(void)
{
    errno = ENOSYS;
    return -1;
}

/* Calls the real function of an OPTIONAL hook; where libc has none, fails with ENOSYS. */
#define CUP_CALL_OPTIONAL(name, ...) (CUP_HAVE(name) ? real_##name(__VA_ARGS__) : cup_missing())

/* Marks a wrapper: it is exported, under the name of the function that it intercepts. */
#define CUP_HOOK __attribute__((visibility("default"))) __attribute__((used))
