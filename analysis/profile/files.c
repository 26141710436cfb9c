#include "analysis/profile/files.h"

#include <stdlib.h>
#include <string.h>

#include "include/file_names.h"

const char *const cup_file_counter_names[CUP_FILE_COUNTER_COUNT] = {CUP_FILE_COUNTERS(CUP_NAME_OF)};

struct cup_file_sum cup_file_total(const struct cup_profile *profile, uint32_t file)
{
    struct cup_file_sum total = {.file = file};
    for (uint32_t at = profile->files[file].first_sum; at; at = profile->file_sums[at - 1].next) {
        const struct cup_file_sum *sum = &profile->file_sums[at - 1];
        total.tasks += sum->tasks;
        for (int i = 0; i < CUP_FILE_COUNTER_COUNT; i++)
            total.counters[i] += sum->counters[i];
    }
    return total;
}

struct ranked {
    uint64_t bytes;
    uint32_t file;
};

static int more_bytes_first(const void *left, const void *right)
{
    const struct ranked *a = left, *b = right;
    if (a->bytes != b->bytes)
        return a->bytes > b->bytes ? -1 : 1;
    return a->file < b->file ? -1 : 1;
}

/* The log of a client counts its connections to the scheduler and to dashboards as those of the
 * analysis, because the client does not know the addresses of Dask servers. */
bool cup_is_dask_address(const struct cup_profile *profile, uint32_t address)
{
    static const char listens[] = CUP_INFO_LISTENS;
    const struct cup_text name = {listens, sizeof listens - 1};
    for (size_t i = 0; i < profile->server_count; i++)
        if (address && profile->servers[i].address == address)
            return true;
    for (size_t i = 0; i < profile->info_count; i++)
        if (address && profile->infos[i].value == address &&
            cup_text_compare(cup_profile_text(profile, profile->infos[i].name), name) == 0)
            return true;
    return false;
}

static bool is_of_class(const struct cup_profile *profile, const struct cup_file *file,
                        uint32_t class)
{
    bool is_peer = file->class == CUP_FILE_SOCKET;
    return class == 0
               ? !is_peer
               : file->class == class && !(is_peer && cup_is_dask_address(profile, file->path));
}

static uint64_t bytes_of(const struct cup_profile *profile, uint32_t file)
{
    const struct cup_file_sum total = cup_file_total(profile, file);
    const uint64_t *c = total.counters;
    bool is_peer = profile->files[file].class == CUP_FILE_SOCKET;
    return c[CUP_F_READ_BYTES] + c[CUP_F_MAPPED_BYTES] + (is_peer ? c[CUP_F_WRITE_BYTES] : 0);
}

uint32_t *cup_files_by_bytes(const struct cup_profile *profile, uint32_t class, size_t *count)
{
    struct ranked *ranked = calloc(profile->file_count + 1, sizeof *ranked);
    uint32_t *files = calloc(profile->file_count + 1, sizeof *files);
    *count = 0;
    for (uint32_t i = 0; ranked && i < profile->file_count; i++)
        if (is_of_class(profile, &profile->files[i], class))
            ranked[(*count)++] = (struct ranked){bytes_of(profile, i), i};
    if (ranked)
        qsort(ranked, *count, sizeof *ranked, more_bytes_first);
    for (size_t i = 0; ranked && files && i < *count; i++)
        files[i] = ranked[i].file;
    if (!ranked) {
        free(files);
        files = NULL;
    }
    free(ranked);
    return files;
}

static const char *const package_endings[] = {CUP_PACKAGE_ENDINGS};
static const char *const package_directories[] = {CUP_PACKAGE_DIRECTORIES};
static const char *const job_endings[] = {CUP_JOB_ENDINGS};
#define COUNT_OF(list) (sizeof(list) / sizeof *(list))

static bool ends_with_one(struct cup_text path, const char *const *endings, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        size_t length = strlen(endings[i]);
        if (path.length >= length &&
            memcmp(path.bytes + path.length - length, endings[i], length) == 0)
            return true;
    }
    return false;
}

uint32_t cup_file_class_by_name(uint32_t class, struct cup_text path)
{
    if (class != CUP_FILE_DATA)
        return class;
    for (size_t i = 0; i < COUNT_OF(package_directories); i++)
        if (path.length &&
            memmem(path.bytes, path.length, package_directories[i], strlen(package_directories[i])))
            return ends_with_one(path, package_endings, COUNT_OF(package_endings)) ? CUP_FILE_IMPORT
                                                                                   : class;
    return ends_with_one(path, job_endings, COUNT_OF(job_endings)) ? CUP_FILE_OTHER : class;
}

bool cup_is_nameless_socket(struct cup_text peer)
{
    return peer.length == 5 && memcmp(peer.bytes, "unix:", 5) == 0;
}

bool cup_is_peer_address(struct cup_text name)
{
    static const char *const schemes[] = {"tcp://", "udp://", "ip://", "unix:", "socket:"};
    for (size_t i = 0; i < COUNT_OF(schemes); i++)
        if (name.length >= strlen(schemes[i]) &&
            memcmp(name.bytes, schemes[i], strlen(schemes[i])) == 0)
            return true;
    return false;
}

const char *cup_file_class_name(uint32_t class)
{
    static const char *const names[] = {
        [CUP_FILE_DATA] = "data", [CUP_FILE_IMPORT] = "import", [CUP_FILE_SPILL] = "spill",
        [CUP_FILE_PIPE] = "pipe", [CUP_FILE_SOCKET] = "socket", [CUP_FILE_OTHER] = "other",
    };
    return class < sizeof names / sizeof *names && names[class] ? names[class] : "other";
}
