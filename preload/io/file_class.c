#include "preload/io/file_class.h"

#include "preload/log/log.h"

#include <string.h>
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

/* Settings of packages and of the machine (OpenSSL's, time zones). Libraries read them once in a
 * process, when they are imported or first used: counted as data, they would make every two runs
 * differ. Data that a package brings along (.root, .json.gz, ...) stay data. */
static bool is_setting(const char *path, size_t length)
{
    static const char *const endings[] = {".yaml", ".yml", ".json", ".toml", ".cfg",
                                          ".ini",  ".txt", ".pyi",  ".lark", ".pth"};
    if (starts_with(path, "/etc/") || starts_with(path, "/usr/share/zoneinfo/") ||
        ends_with(path, length, "/openssl.cnf") || ends_with(path, length, "/pyvenv.cfg"))
        return true;
    if (!strstr(path, "/site-packages/") && !strstr(path, "/dist-packages/"))
        return false;
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++)
        if (ends_with(path, length, endings[i]))
            return true;
    return false;
}

static bool is_import(const char *path, size_t length)
{
    return ends_with(path, length, ".py") || ends_with(path, length, ".pyc") ||
           ends_with(path, length, ".so") || strstr(path, ".so.") || strstr(path, ".dist-info/") ||
           strstr(path, ".egg-info") || is_setting(path, length);
}

static bool is_spill(const char *path)
{
    uint32_t count = __atomic_load_n(&spill.count, __ATOMIC_ACQUIRE);
    for (uint32_t i = 0; i < count; i++)
        if (starts_with(path, spill.paths[i]) && path[strlen(spill.paths[i])] == '/')
            return true;
    return false;
}

enum cup_file_class cup_file_class_of(const char *path)
{
    if (starts_with(path, "/proc/") || starts_with(path, "/sys/") || starts_with(path, "/memfd:"))
        return CUP_FILE_OTHER;
    if (is_import(path, strlen(path)))
        return CUP_FILE_IMPORT;
    return is_spill(path) ? CUP_FILE_SPILL : CUP_FILE_DATA;
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

bool cup_file_is_called_root(const char *path)
{
    return ends_with(path, strlen(path), ".root");
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
        return cup_file_class_of(path);
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
