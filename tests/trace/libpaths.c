/* Calls on paths and directories. */
#include "tests/trace/try.h"

#include <dirent.h>
#include <stdlib.h>
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
#define LOOK(name, type, call)                                                                     \
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

#define LOOK_AT(name, type, call)                                                                  \
    LOOK(name, type, call)                                                                         \
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

LOOK(stat, stat, stat(path, &status))
LOOK(stat64, stat64, stat64(path, &status))
LOOK(lstat, stat, lstat(path, &status))
LOOK(lstat64, stat64, lstat64(path, &status))
LOOK(__xstat, stat, __xstat(1, path, &status))
LOOK(__xstat64, stat64, __xstat64(1, path, &status))
LOOK(__lxstat, stat, __lxstat(1, path, &status))
LOOK(__lxstat64, stat64, __lxstat64(1, path, &status))
LOOK_AT(fstatat, stat, fstatat(beyond, path, &status, 0))
LOOK_AT(fstatat64, stat64, fstatat64(beyond, path, &status, AT_SYMLINK_NOFOLLOW))
LOOK_AT(__fxstatat, stat, __fxstatat(1, beyond, path, &status, 0))
LOOK_AT(__fxstatat64, stat64, __fxstatat64(1, beyond, path, &status, 0))

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

/* ---- by descriptor ------------------------------------------------------------------------------
 */

/* A file, and no descriptor at all. */
#define LOOK_FD(name, type, call)                                                                  \
    void try_##name(struct trace *trace)                                                           \
    {                                                                                              \
        struct type status = {0};                                                                  \
        int fds[] = {open(trace->file, O_RDONLY), beyond};                                         \
        for (int i = 0; i < 2; i++) {                                                              \
            int fd = fds[i];                                                                       \
            SAY(trace, call);                                                                      \
            say_status(trace, (long)status.st_size, status.st_mode);                               \
        }                                                                                          \
        close(fds[0]);                                                                             \
    }

LOOK_FD(fstat, stat, fstat(fd, &status))
LOOK_FD(fstat64, stat64, fstat64(fd, &status))
LOOK_FD(__fxstat, stat, __fxstat(1, fd, &status))
LOOK_FD(__fxstat64, stat64, __fxstat64(1, fd, &status))

/* ---- names come and go ----------------------------------------------------------------------- */

static const char *made_file(struct trace *trace)
{
    const char *path = scratch_file(trace, "made");
    close(open(path, O_CREAT | O_WRONLY, 0600));
    return path;
}

TRY(access)
{
    SAY(trace, call(trace->file, R_OK));
    SAY(trace, call(MISSING, R_OK));
}

TRY(faccessat)
{
    SAY(trace, call(AT_FDCWD, trace->file, R_OK, 0));
    SAY(trace, call(beyond, "relative", R_OK, 0));
}

TRY(unlink)
{
    SAY(trace, call(made_file(trace)));
    SAY(trace, call(MISSING));
}

TRY(unlinkat)
{
    SAY(trace, call(AT_FDCWD, made_file(trace), 0));
    SAY(trace, call(beyond, "relative", 0));
}

static const char *other_name(struct trace *trace)
{
    static char path[4200];
    snprintf(path, sizeof path, "%s/renamed", trace->scratch);
    return path;
}

TRY(rename)
{
    SAY(trace, call(made_file(trace), other_name(trace)));
    SAY(trace, unlink(other_name(trace)));
    SAY(trace, call(MISSING, other_name(trace)));
}

TRY(renameat)
{
    SAY(trace, call(AT_FDCWD, made_file(trace), AT_FDCWD, other_name(trace)));
    SAY(trace, unlink(other_name(trace)));
    SAY(trace, call(beyond, "relative", AT_FDCWD, other_name(trace)));
}

TRY(mkdir)
{
    const char *path = scratch_file(trace, "directory");
    SAY(trace, call(path, 0700));
    SAY(trace, call(path, 0700));
    rmdir(path);
}

TRY(mkdirat)
{
    const char *path = scratch_file(trace, "directory");
    SAY(trace, call(AT_FDCWD, path, 0700));
    SAY(trace, call(beyond, "relative", 0700));
    rmdir(path);
}

TRY(rmdir)
{
    const char *path = scratch_file(trace, "directory");
    mkdir(path, 0700);
    SAY(trace, call(path));
    SAY(trace, call(path));
}

static void say_length(struct trace *trace, const char *path)
{
    struct stat status = {0};
    SAY(trace, stat(path, &status));
    say_status(trace, (long)status.st_size, status.st_mode);
}

#define CUT(name)                                                                                  \
    TRY(name)                                                                                      \
    {                                                                                              \
        const char *path = made_file(trace);                                                       \
        SAY(trace, call(path, 100));                                                               \
        say_length(trace, path);                                                                   \
        SAY(trace, call(MISSING, 100));                                                            \
        unlink(path);                                                                              \
    }

#define CUT_FD(name)                                                                               \
    TRY(name)                                                                                      \
    {                                                                                              \
        const char *path = made_file(trace);                                                       \
        int fd = open(path, O_WRONLY);                                                             \
        SAY(trace, call(fd, 100));                                                                 \
        say_length(trace, path);                                                                   \
        SAY(trace, call(beyond, 100));                                                             \
        close(fd);                                                                                 \
        unlink(path);                                                                              \
    }

CUT(truncate)
CUT(truncate64)
CUT_FD(ftruncate)
CUT_FD(ftruncate64)

TRY(opendir)
{
    DIR *directory = call(trace->scratch);
    say(trace, "%s\n", directory ? "open" : "not");
    closedir(directory);
    errno = ERRNO_BEFORE;
    directory = call(MISSING);
    say(trace, "%s, errno %d\n", directory ? "open" : "not", errno);
}

TRY(fdopendir)
{
    DIR *directory = call(quiet_open(trace->scratch, O_RDONLY | O_DIRECTORY));
    say(trace, "%s %s\n", directory ? "open" : "not", readdir(directory) ? "a name" : "no name");
    closedir(directory);
    errno = ERRNO_BEFORE;
    directory = call(-1);
    say(trace, "%s, errno %d\n", directory ? "open" : "not", errno);
}

/* closedir() closes the number inside libc, and mkstemp() takes it there. */
void number_reused_after_closedir(struct trace *trace)
{
    char path[4096];
    int number = open(trace->scratch, O_RDONLY | O_DIRECTORY);
    closedir(fdopendir(number));
    snprintf(path, sizeof path, "%s/reused-XXXXXX", trace->scratch);
    int fd = mkstemp(path);
    say(trace, "reused %d\n", fd == number);
    expect_write(trace, SAY(trace, write(fd, "12345", 5)));
    close(fd);
    unlink(path);
}

/* All names of a directory of one file, and the end, which leaves errno as it was. */
#define LIST(name)                                                                                 \
    TRY(name)                                                                                      \
    {                                                                                              \
        const char *path = scratch_file(trace, "directory");                                       \
        mkdir(path, 0700);                                                                         \
        DIR *directory = opendir(path);                                                            \
        int count = 0;                                                                             \
        errno = ERRNO_BEFORE;                                                                      \
        while (call(directory))                                                                    \
            count++;                                                                               \
        say(trace, "%d names, errno %d\n", count, errno);                                          \
        closedir(directory);                                                                       \
        rmdir(path);                                                                               \
    }

LIST(readdir)
LIST(readdir64)

/* ---- libraries ---------------------------------------------------------------------------- */

static bool is_loaded(const char *name)
{
    void *library = dlopen(name, RTLD_NOW | RTLD_NOLOAD);
    if (library)
        dlclose(library);
    return library;
}

/* A library of the program's own goes; the program itself stays. */
TRY(dlclose)
{
    static const char *const names[] = {"libresolv.so.2", "libutil.so.1"};
    for (int i = 0; i < 2; i++) {
        void *library = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
        say(trace, "%s %d\n", names[i], library && is_loaded(names[i]));
        SAY(trace, library ? call(library) : -1);
        say(trace, "%d\n", is_loaded(names[i]));
    }
    SAY(trace, call(dlopen(NULL, RTLD_NOW)));
    say(trace, "%d\n", dlerror() == NULL);
}
