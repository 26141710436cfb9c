#include "preload/io/file_class.h"

#include "include/file_names.h"
#include "preload/log/log.h"

#include <fcntl.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { SPILL_DIRECTORIES = 16 };

/* Directories are only added, under the log's lock: those up to COUNT can be read without it. */
static struct {
    char paths[SPILL_DIRECTORIES][256];
    uint32_t count;
} spill;

static bool ends_with(const char *text, size_t length, const char *suffix)
{
    size_t bytes = strlen(suffix);
    return length >= bytes && memcmp(text + length - bytes, suffix, bytes) == 0;
}

static bool starts_with(const char *text, const char *prefix)
{
    return strncmp(text, prefix, strlen(prefix)) == 0;
}

static const char *const package_endings[] = {CUP_PACKAGE_ENDINGS};
static const char *const package_directories[] = {CUP_PACKAGE_DIRECTORIES};
static const char *const job_endings[] = {CUP_JOB_ENDINGS};

#define ENDS_WITH_ONE_OF(path, length, endings)                                                    \
    ends_with_one(path, length, endings, sizeof(endings) / sizeof *(endings))

static bool ends_with_one(const char *path, size_t length, const char *const *endings, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (ends_with(path, length, endings[i]))
            return true;
    return false;
}

static bool is_of_package(const char *path)
{
    for (size_t i = 0; i < sizeof package_directories / sizeof *package_directories; i++)
        if (strstr(path, package_directories[i]))
            return true;
    return false;
}

/* Settings of packages and of the machine (OpenSSL's, time zones). Libraries read them once in a
 * process, when they are imported or first used: counted as data, they would make every two runs
 * differ. */
static bool is_setting(const char *path, size_t length)
{
    return starts_with(path, "/etc/") || starts_with(path, "/usr/share/zoneinfo/") ||
           ends_with(path, length, "/openssl.cnf") || ends_with(path, length, "/pyvenv.cfg") ||
           (is_of_package(path) && ENDS_WITH_ONE_OF(path, length, package_endings));
}

/* "0d5ce2a1.0" and "0d5ce2a1.r0": OpenSSL finds certificates and lists of revoked ones by such
 * names.
 */
static bool is_hashed_certificate(const char *path)
{
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    const char *rest = name + strspn(name, "0123456789abcdef");
    if (rest - name != 8 || *rest++ != '.')
        return false;
    rest += *rest == 'r';
    return *rest >= '0' && *rest <= '9' && !rest[1];
}

/* Certificates, which a client of a server reads once in a process or for each connection. On a
 * grid site they are below /cvmfs/.../grid-security/certificates, and the user's is
 * /tmp/x509up_u1000. */
static bool is_certificate(const char *path, size_t length)
{
    static const char *const endings[] = {".pem", ".crt", ".crl"};
    return strstr(path, "/grid-security/") || strstr(path, "/x509up_") ||
           ENDS_WITH_ONE_OF(path, length, endings) || is_hashed_certificate(path);
}

/* A program without an ending: bin/dask. */
static bool is_script(const char *path)
{
    const char *name = strrchr(path, '/');
    return name && name - path >= 4 && memcmp(name - 4, "/bin", 4) == 0 && !strchr(name, '.');
}

static bool is_import(const char *path, size_t length)
{
    return is_script(path) || ends_with(path, length, ".py") || ends_with(path, length, ".pyc") ||
           ends_with(path, length, ".so") || strstr(path, ".so.") || strstr(path, ".dist-info/") ||
           strstr(path, ".egg-info") || is_setting(path, length) || is_certificate(path, length);
}

static bool is_spill(const char *path)
{
    uint32_t count = __atomic_load_n(&spill.count, __ATOMIC_ACQUIRE);
    for (uint32_t i = 0; i < count; i++)
        if (starts_with(path, spill.paths[i]) && path[strlen(spill.paths[i])] == '/')
            return true;
    return false;
}

/* A part of a path in /proc that may lead to a file of a process: fd, cwd, root, exe, map_files; or
 * "..". Two characters suffice, because a path that is not certain is only asked for. */
static bool may_be_link(const char *part)
{
    static const char links[][3] = {"..", "fd", "cw", "ro", "ex", "ma"};
    for (size_t i = 0; i < sizeof links / sizeof *links; i++)
        if (part[0] == links[i][0] && part[1] == links[i][1])
            return true;
    return false;
}

bool cup_file_is_of_kernel(const char *path)
{
    if (path[0] != '/' || (path[1] != 'p' && path[1] != 's'))
        return false;
    if (!starts_with(path, "/proc/") && !starts_with(path, "/sys/"))
        return false;
    while ((path = strchr(path, '/')) && !may_be_link(++path))
        continue;
    return !path;
}

enum cup_file_class cup_file_class_of(const char *path)
{
    if (starts_with(path, "/proc/") || starts_with(path, "/sys/") || starts_with(path, "/memfd:"))
        return CUP_FILE_OTHER;
    size_t length = strlen(path);
    if (is_import(path, length))
        return CUP_FILE_IMPORT;
    if (is_spill(path))
        return CUP_FILE_SPILL;
    return ENDS_WITH_ONE_OF(path, length, job_endings) ? CUP_FILE_OTHER : CUP_FILE_DATA;
}

void cup_file_class_add_spill_directory(const char *directory)
{
    size_t bytes = strlen(directory);
    if (bytes < 2 || bytes >= sizeof spill.paths[0])
        return;
    cup_log_lock();
    uint32_t at = 0;
    while (at < spill.count && strcmp(spill.paths[at], directory))
        at++;
    if (at == spill.count && at < SPILL_DIRECTORIES) {
        memcpy(spill.paths[at], directory, bytes + 1);
        __atomic_store_n(&spill.count, at + 1, __ATOMIC_RELEASE);
    }
    cup_log_unlock();
}

void cup_file_class_reset(void)
{
    spill.count = 0;
}

bool cup_file_is_compiled(const char *path)
{
    return ends_with(path, strlen(path), ".pyc");
}

bool cup_file_is_module(const char *path)
{
    return cup_file_is_compiled(path) || ends_with(path, strlen(path), ".py");
}

bool cup_file_is_called_root(const char *path)
{
    return ends_with(path, strlen(path), ".root");
}

bool cup_file_is_called_events(const char *path)
{
    static const char *const endings[] = {CUP_EVENT_FILE_ENDINGS};
    return ENDS_WITH_ONE_OF(path, strlen(path), endings);
}

/* ---- descriptors ------------------------------------------------------------------------- */

/* No printf(): a look-up may run on the small stack of a crash handler. */
static void write_decimal(char *text, unsigned number)
{
    unsigned digits = 1;
    for (unsigned rest = number; rest >= 10; rest /= 10)
        digits++;
    text[digits] = '\0';
    for (; digits; number /= 10)
        text[--digits] = (char)('0' + number % 10);
}

/* The path of an open descriptor as the kernel knows it; "" if /proc cannot be read. */
static void read_path(int fd, char path[CUP_PATH_LONGEST])
{
    char link[32] = "/proc/self/fd/";
    write_decimal(link + strlen(link), (unsigned)fd);
    ssize_t length = readlink(link, path, CUP_PATH_LONGEST - 1);
    path[length < 0 ? 0 : length] = '\0';
}

/* Standard output or error of the process, sent into a file: the log of a job. */
static bool is_output(int fd)
{
    return (fd == STDOUT_FILENO || fd == STDERR_FILENO) &&
           (syscall(SYS_fcntl, fd, F_GETFL) & O_ACCMODE) != O_RDONLY;
}

static bool is_terminal(const char *path)
{
    return starts_with(path, "/dev/pts/") || starts_with(path, "/dev/tty");
}

enum cup_file_class cup_file_classify(int fd, const struct stat *status,
                                      char path[CUP_PATH_LONGEST])
{
    switch (status->st_mode & S_IFMT) {
    case S_IFREG:
        read_path(fd, path);
        return is_output(fd) ? CUP_FILE_OTHER : cup_file_class_of(path);
    case S_IFCHR:
        read_path(fd, path);
        return is_terminal(path) ? CUP_FILE_PIPE : CUP_FILE_OTHER;
    case S_IFIFO:
        return CUP_FILE_PIPE;
    case S_IFSOCK:
        return CUP_FILE_SOCKET;
    default:
        return CUP_FILE_OTHER;
    }
}
