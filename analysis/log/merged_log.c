#define _FILE_OFFSET_BITS 64

#include "analysis/log/merged_log.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "include/log_format.h"

/* ---- bytes of the file ---------------------------------------------------------------------- */

/* Returns an allocated copy; NULL without memory, or if the file ends before. */
static unsigned char *read_part(int fd, uint64_t at, size_t bytes)
{
    unsigned char *part = malloc(bytes ? bytes : 1);
    size_t done = 0;
    while (part && done < bytes) {
        ssize_t got = pread(fd, part + done, bytes - done, (off_t)(at + done));
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0) {
            free(part);
            return NULL;
        }
        done += (size_t)got;
    }
    return part;
}

bool cup_merged_is(const char *path)
{
    char magic[sizeof CUP_MERGED_MAGIC - 1];
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    bool is = fd >= 0 && pread(fd, magic, sizeof magic, 0) == sizeof magic &&
              memcmp(magic, CUP_MERGED_MAGIC, sizeof magic) == 0;
    if (fd >= 0)
        close(fd);
    return is;
}

/* ---- checks --------------------------------------------------------------------------------- */

static int refuse_damaged(const struct cup_merged *merged, const char *what,
                          struct cup_error *error)
{
    return cup_error_set(error, merged->path, CUP_NO_OFFSET,
                         "damaged merged log: %s; merge its logs again", what);
}

static bool lies_in_file(const struct cup_merged_header *header, uint64_t at, uint64_t bytes)
{
    return at <= header->file_bytes && bytes <= header->file_bytes - at;
}

static int check_header(const struct cup_merged *merged, uint64_t file_bytes,
                        struct cup_error *error)
{
    const struct cup_merged_header *header = &merged->header;
    if (header->byte_order != CUP_LOG_BYTE_ORDER)
        return cup_error_set(error, merged->path, 8,
                             "written on a machine of the other byte order, or damaged");
    if (header->version == 0 || header->version > CUP_MERGED_VERSION)
        return cup_error_set(
            error, merged->path, 12,
            "a merged log of format %u; this cupping reads up to %d: use a newer cupping",
            header->version, CUP_MERGED_VERSION);
    if (header->packing == CUP_PACKING_ZSTD && !cup_can_compress)
        return cup_error_set(error, merged->path, 14,
                             "compressed with zstd, and this cupping was built without it");
    if (file_bytes < header->file_bytes)
        return cup_error_set(error, merged->path, file_bytes,
                             "truncated: %llu of the %llu bytes of a merged log; copy or merge it "
                             "again",
                             (unsigned long long)file_bytes,
                             (unsigned long long)header->file_bytes);
    if (header->packing != CUP_PACKING_ZSTD && header->packing != CUP_PACKING_NONE)
        return refuse_damaged(merged, "unknown compression", error);
    if (header->block_bytes == 0 || header->block_bytes % 8 || header->block_bytes > 1 << 24 ||
        header->dictionary_bytes > 1 << 24 ||
        header->dictionary_packed > header->dictionary_bytes ||
        !lies_in_file(header, header->dictionary_at, header->dictionary_packed) ||
        !lies_in_file(header, header->index_at, header->index_bytes) ||
        header->block_count > header->index_bytes / sizeof *merged->blocks ||
        header->collected_bytes > header->index_bytes ||
        header->log_count * sizeof *merged->logs + header->block_count * sizeof *merged->blocks >
            header->index_bytes - header->collected_bytes)
        return refuse_damaged(merged, "impossible header", error);
    return 0;
}

static bool log_is_sound(const struct cup_merged *merged, uint32_t i, uint64_t first_block,
                         size_t name_room)
{
    const struct cup_merged_log *log = &merged->logs[i];
    uint64_t blocks =
        log->bytes / merged->header.block_bytes + (log->bytes % merged->header.block_bytes != 0);
    return log->first_block == first_block && blocks <= merged->header.block_count - first_block &&
           log->name_at <= name_room && log->name_bytes <= name_room - log->name_at &&
           lies_in_file(&merged->header, log->prepared_at, log->prepared_packed) &&
           log->name_bytes > 0 && !memchr(merged->names + log->name_at, '/', log->name_bytes) &&
           !memchr(merged->names + log->name_at, '\0', log->name_bytes) &&
           (i == 0 ||
            cup_text_compare(cup_merged_name(merged, log - 1), cup_merged_name(merged, log)) < 0);
}

static bool index_is_sound(const struct cup_merged *merged, size_t name_room)
{
    const struct cup_merged_header *header = &merged->header;
    uint64_t block = 0;
    for (uint32_t i = 0; i < header->log_count; i++) {
        const struct cup_merged_log *log = &merged->logs[i];
        if (!log_is_sound(merged, i, block, name_room))
            return false;
        for (uint64_t at = 0; at < log->bytes; at += header->block_bytes, block++) {
            const struct cup_merged_block *of = &merged->blocks[block];
            size_t bytes = cup_merged_block_bytes(merged, log, block - log->first_block);
            if (of->packed > bytes || of->first_record > bytes ||
                !lies_in_file(header, of->at, of->packed))
                return false;
        }
    }
    return block == header->block_count;
}

/* ---- one file ------------------------------------------------------------------------------- */

static int read_index(struct cup_merged *merged, struct cup_error *error)
{
    const struct cup_merged_header *header = &merged->header;
    merged->index = read_part(merged->fd, header->index_at, header->index_bytes);
    if (!merged->index)
        return cup_error_memory(error, merged->path);
    struct cup_text index = {(const char *)merged->index, header->index_bytes};
    if (cup_text_hash(index) != header->index_hash)
        return refuse_damaged(merged, "its index is not what was written", error);
    merged->logs = (const struct cup_merged_log *)merged->index;
    merged->blocks = (const struct cup_merged_block *)(merged->logs + header->log_count);
    merged->names = (const char *)(merged->blocks + header->block_count);
    const char *end = index.bytes + index.length - header->collected_bytes;
    size_t name_room = (size_t)(end - merged->names);
    merged->collected = (struct cup_text){end, header->collected_bytes};
    return index_is_sound(merged, name_room) ? 0
                                             : refuse_damaged(merged, "impossible index", error);
}

static bool unpack_dictionary(struct cup_merged *merged, const unsigned char *packed)
{
    const struct cup_merged_header *header = &merged->header;
    size_t bytes = header->dictionary_bytes;
    if (header->dictionary_packed == bytes)
        return cup_dictionary_to_unpack(&merged->dictionary, packed, bytes) == 0;
    struct cup_packer *packer = cup_packer_new(NULL);
    unsigned char *dictionary = malloc(bytes);
    bool done = packer && dictionary &&
                cup_unpack(packer, packed, header->dictionary_packed, dictionary, bytes) &&
                cup_dictionary_to_unpack(&merged->dictionary, dictionary, bytes) == 0;
    free(dictionary);
    cup_packer_free(packer);
    return done;
}

static int read_dictionary(struct cup_merged *merged, struct cup_error *error)
{
    const struct cup_merged_header *header = &merged->header;
    if (header->dictionary_packed == 0)
        return 0;
    unsigned char *packed = read_part(merged->fd, header->dictionary_at, header->dictionary_packed);
    bool done = packed && unpack_dictionary(merged, packed);
    free(packed);
    return done ? 0 : refuse_damaged(merged, "its dictionary cannot be unpacked", error);
}

static void free_merged(struct cup_merged *merged)
{
    if (merged->fd >= 0)
        close(merged->fd);
    cup_dictionary_clear(&merged->dictionary);
    free(merged->index);
    free(merged->path);
    free(merged);
}

static struct cup_merged *read_merged(const char *path, int fd, const struct stat *status,
                                      struct cup_error *error)
{
    struct cup_merged *merged = calloc(1, sizeof *merged);
    if (!merged || !(merged->path = strdup(path))) {
        cup_error_memory(error, path);
        free(merged);
        close(fd);
        return NULL;
    }
    merged->fd = fd;
    merged->device = status->st_dev;
    merged->inode = status->st_ino;
    merged->changed_ns = status->st_mtim.tv_sec * INT64_C(1000000000) + status->st_mtim.tv_nsec;
    merged->users = 1;
    ssize_t got = pread(fd, &merged->header, sizeof merged->header, 0);
    int result = 0;
    if (got != sizeof merged->header)
        result =
            cup_error_set(error, path, CUP_NO_OFFSET, "truncated in the header of a merged log");
    else if (memcmp(merged->header.magic, CUP_MERGED_MAGIC, sizeof merged->header.magic) != 0)
        result = cup_error_set(error, path, 0, "not a merged log");
    if (result == 0)
        result = check_header(merged, (uint64_t)status->st_size, error);
    if (result != 0 || read_index(merged, error) != 0 || read_dictionary(merged, error) != 0) {
        free_merged(merged);
        return NULL;
    }
    return merged;
}

/* ---- all files ------------------------------------------------------------------------------ */

/* A file stays open after its last user, because its logs are usually read one after the other. */
enum { MOST_IDLE = 4 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* protects what follows */
static struct cup_merged *opened;                        /* the last one that was opened first */

static struct cup_merged *find_opened(const char *path, const struct stat *status)
{
    int64_t changed_ns = status->st_mtim.tv_sec * INT64_C(1000000000) + status->st_mtim.tv_nsec;
    for (struct cup_merged *merged = opened; merged; merged = merged->next)
        if (merged->device == status->st_dev && merged->inode == status->st_ino &&
            merged->changed_ns == changed_ns &&
            merged->header.file_bytes == (uint64_t)status->st_size &&
            strcmp(merged->path, path) == 0)
            return merged;
    return NULL;
}

static struct cup_merged *open_shared(const char *path, int fd, struct cup_error *error)
{
    struct stat status;
    if (fstat(fd, &status) != 0 || !S_ISREG(status.st_mode)) {
        close(fd);
        cup_error_set(error, path, CUP_NO_OFFSET, "not a regular file");
        return NULL;
    }
    struct cup_merged *merged = find_opened(path, &status);
    if (merged) {
        close(fd);
        merged->users++;
        return merged;
    }
    merged = read_merged(path, fd, &status, error);
    if (merged) {
        merged->next = opened;
        opened = merged;
    }
    return merged;
}

struct cup_merged *cup_merged_open(const char *path, struct cup_error *error)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0) {
        cup_error_system(error, path, "open");
        return NULL;
    }
    pthread_mutex_lock(&lock);
    struct cup_merged *merged = open_shared(path, fd, error);
    pthread_mutex_unlock(&lock);
    return merged;
}

/* Frees those without users, but the newest of them. */
static void close_idle(void)
{
    unsigned idle = 0;
    for (struct cup_merged **at = &opened; *at;) {
        struct cup_merged *merged = *at;
        if (merged->users > 0 || ++idle <= MOST_IDLE) {
            at = &merged->next;
            continue;
        }
        *at = merged->next;
        free_merged(merged);
    }
}

void cup_merged_close(struct cup_merged *merged)
{
    pthread_mutex_lock(&lock);
    merged->users--;
    close_idle();
    pthread_mutex_unlock(&lock);
}

struct cup_text cup_merged_name(const struct cup_merged *merged, const struct cup_merged_log *log)
{
    return (struct cup_text){merged->names + log->name_at, log->name_bytes};
}

const struct cup_merged_log *cup_merged_find(const struct cup_merged *merged, const char *name)
{
    const struct cup_text text = {name, strlen(name)};
    uint32_t from = 0, to = merged->header.log_count;
    while (from < to) {
        uint32_t middle = from + (to - from) / 2;
        if (cup_text_compare(cup_merged_name(merged, &merged->logs[middle]), text) < 0)
            from = middle + 1;
        else
            to = middle;
    }
    bool found = from < merged->header.log_count &&
                 cup_text_compare(cup_merged_name(merged, &merged->logs[from]), text) == 0;
    return found ? &merged->logs[from] : NULL;
}

size_t cup_merged_block_bytes(const struct cup_merged *merged, const struct cup_merged_log *log,
                              uint64_t i)
{
    uint64_t left = log->bytes - i * merged->header.block_bytes;
    return left < merged->header.block_bytes ? (size_t)left : merged->header.block_bytes;
}
