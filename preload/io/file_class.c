#include "preload/io/file_class.h"

#include "preload/log/log.h"

#include <string.h>

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

bool cup_file_is_terminal(const char *path)
{
    return starts_with(path, "/dev/pts/") || starts_with(path, "/dev/tty");
}
