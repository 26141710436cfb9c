#include "analysis/replay/replay_client.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int cup_replay_is_remote(const char *path)
{
    static const char *const schemes[] = {"root://", "roots://", "xroot://", "xroots://"};
    for (size_t i = 0; i < sizeof schemes / sizeof *schemes; i++)
        if (strncmp(path, schemes[i], strlen(schemes[i])) == 0)
            return 1;
    return 0;
}

/* ---- files -------------------------------------------------------------------------------- */

static int open_local(const char *path)
{
    return open(path, O_RDONLY | O_CLOEXEC);
}

/* Up to the end of the file. */
static ssize_t read_range(ssize_t (*read_at)(int, void *, size_t, off_t), int file,
                          const struct cup_replay_part *part, char *buffer)
{
    size_t done = 0;
    while (done < part->bytes) {
        ssize_t bytes =
            read_at(file, buffer + done, part->bytes - done, (off_t)(part->offset + done));
        if (bytes < 0 && errno == EINTR)
            continue;
        if (bytes < 0)
            return -1;
        if (bytes == 0)
            break;
        done += (size_t)bytes;
    }
    return (ssize_t)done;
}

static ssize_t read_local(int file, const struct cup_replay_part *parts, uint32_t count,
                          char *buffer)
{
    ssize_t sum = 0;
    for (uint32_t i = 0; i < count; i++) {
        ssize_t bytes = read_range(pread, file, &parts[i], buffer + sum);
        if (bytes < 0)
            return -1;
        sum += bytes;
    }
    return sum;
}

/* ---- XRootD's client ---------------------------------------------------------------------- */

/* XrdOucIOVec: a part of a vector read. */
struct vector_part {
    long long offset;
    int bytes;
    int info;
    char *to;
};

static struct {
    void (*construct)(void *object, int files, int directories, int threads);
    int (*open)(const char *path, int flags, mode_t mode, void *callback);
    ssize_t (*read)(int file, void *to, size_t bytes, off_t offset);
    ssize_t (*read_vector)(int file, const struct vector_part *parts, int count);
} xrootd;

static int open_remote(const char *path)
{
    return xrootd.open(path, O_RDONLY, 0, NULL);
}

static ssize_t read_remote(int file, const struct cup_replay_part *parts, uint32_t count,
                           char *buffer)
{
    if (count == 1)
        return xrootd.read(file, buffer, parts->bytes, (off_t)parts->offset);
    struct vector_part *vector = calloc(count, sizeof *vector);
    if (!vector)
        return -1;
    for (uint32_t i = 0; i < count; buffer += parts[i++].bytes)
        vector[i] =
            (struct vector_part){(long long)parts[i].offset, (int)parts[i].bytes, 0, buffer};
    ssize_t bytes = xrootd.read_vector(file, vector, (int)count);
    int saved = errno;
    free(vector);
    errno = saved;
    return bytes;
}

/* pip's xrootd has the library next to its module. */
static void *load_from_python(void)
{
    static const char program[] =
        "python3 -c 'import glob, importlib.util as u; s = u.find_spec(\"pyxrootd\"); "
        "print(*glob.glob(s.submodule_search_locations[0] + \"/libXrdPosix.so.*\")[:1], end=\"\")' "
        "2>/dev/null";
    char path[4096] = "";
    FILE *output = popen(program, "re");
    if (!output)
        return NULL;
    size_t bytes = fread(path, 1, sizeof path - 1, output);
    path[bytes] = '\0';
    pclose(output);
    return *path ? dlopen(path, RTLD_NOW | RTLD_GLOBAL) : NULL;
}

static void *load_library(const char *library)
{
    static const char *const names[] = {"libXrdPosix.so.6", "libXrdPosix.so.3", "libXrdPosix.so"};
    if (library)
        return dlopen(library, RTLD_NOW | RTLD_GLOBAL);
    void *loaded = load_from_python();
    for (size_t i = 0; !loaded && i < sizeof names / sizeof *names; i++)
        loaded = dlopen(names[i], RTLD_NOW | RTLD_GLOBAL);
    return loaded;
}

static int load_remote(const char *library, struct cup_error *error)
{
    static long long object[16]; /* larger than the class, which has no members of its own */
    void *loaded = load_library(library);
    if (!loaded)
        return cup_error_set(error, library ? library : "libXrdPosix", CUP_NO_OFFSET,
                             "cannot load XRootD's client%s%s",
                             library ? ": "
                                     : ": install it (pip's xrootd, Debian's "
                                       "xrootd-client), or name the library with --client",
                             library ? dlerror() : "");
    *(void **)&xrootd.construct = dlsym(loaded, "_ZN14XrdPosixXrootdC1Eiii");
    *(void **)&xrootd.open = dlsym(loaded, "_ZN14XrdPosixXrootd4OpenEPKcijP16XrdPosixCallBack");
    *(void **)&xrootd.read = dlsym(loaded, "_ZN14XrdPosixXrootd5PreadEiPvml");
    *(void **)&xrootd.read_vector = dlsym(loaded, "_ZN14XrdPosixXrootd5VReadEiPK11XrdOucIOVeci");
    if (!xrootd.construct || !xrootd.open || !xrootd.read || !xrootd.read_vector)
        return cup_error_set(error, library ? library : "libXrdPosix", CUP_NO_OFFSET,
                             "is no libXrdPosix of version 5 or 6");
    enum { FILES = 16384, DIRECTORIES = 16, THREADS = 16 };
    xrootd.construct(object, -FILES, DIRECTORIES, THREADS); /* < 0: numbers are not descriptors */
    return 0;
}

int cup_replay_client_load(struct cup_replay_client *client, int is_remote, const char *library,
                           struct cup_error *error)
{
    *client = (struct cup_replay_client){open_local, read_local};
    if (!is_remote)
        return 0;
    *client = (struct cup_replay_client){open_remote, read_remote};
    return load_remote(library, error);
}
