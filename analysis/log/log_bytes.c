#define _FILE_OFFSET_BITS 64

#include "analysis/log/log_bytes.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- opening -------------------------------------------------------------------------------- */

/* Opens a log in a merged log: what stands before the last "/" is a file. */
static int open_in_merged(struct cup_log_bytes *bytes, const char *path, struct cup_error *error)
{
    const char *slash = strrchr(path, '/');
    char *folder = slash ? strndup(path, (size_t)(slash - path)) : NULL;
    errno = ENOTDIR;
    if (!folder)
        return -1;
    if (cup_merged_is(folder))
        bytes->merged = cup_merged_open(folder, error);
    else
        errno = ENOTDIR;
    free(folder);
    if (!bytes->merged)
        return -1;
    bytes->log = cup_merged_find(bytes->merged, slash + 1);
    if (bytes->log)
        return 0;
    cup_log_bytes_close(bytes);
    cup_error_set(error, path, CUP_NO_OFFSET, "the merged log has no log of this name");
    return -1;
}

int cup_log_bytes_open(struct cup_log_bytes *bytes, const char *path, struct cup_error *error)
{
    *bytes = (struct cup_log_bytes){.fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK),
                                    .number = UINT64_MAX};
    if (bytes->fd >= 0)
        return 0;
    return errno == ENOTDIR ? open_in_merged(bytes, path, error) : -1;
}

int cup_log_bytes_open_or_report(struct cup_log_bytes *bytes, const char *path,
                                 struct cup_error *error)
{
    *error = (struct cup_error){0};
    if (cup_log_bytes_open(bytes, path, error) == 0)
        return 0;
    return error->text[0] ? -1 : cup_error_system(error, path, "open");
}

int cup_log_bytes_refuse(const char *path, struct cup_error *error)
{
    return cup_error_set(error, path, CUP_NO_OFFSET,
                         "damaged: a block of the merged log cannot be unpacked; merge its logs "
                         "again");
}

int cup_log_bytes_size(const struct cup_log_bytes *bytes, uint64_t *size, bool *regular)
{
    struct stat status;
    if (bytes->merged) {
        *regular = true;
        *size = bytes->log->bytes;
        return 0;
    }
    if (fstat(bytes->fd, &status) != 0 || status.st_size < 0)
        return -1;
    *regular = S_ISREG(status.st_mode);
    *size = (uint64_t)status.st_size;
    return 0;
}

void cup_log_bytes_close(struct cup_log_bytes *bytes)
{
    if (bytes->fd >= 0)
        close(bytes->fd);
    if (bytes->merged)
        cup_merged_close(bytes->merged);
    cup_packer_free(bytes->packer);
    free(bytes->block);
    free(bytes->packed);
    *bytes = (struct cup_log_bytes){.fd = -1};
}

/* ---- reading -------------------------------------------------------------------------------- */

static size_t read_file(int fd, void *to, size_t count, uint64_t offset)
{
    size_t done = 0;
    while (done < count) {
        ssize_t got = pread(fd, (char *)to + done, count - done, (off_t)(offset + done));
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            break;
        done += (size_t)got;
    }
    return done;
}

static bool make_buffers(struct cup_log_bytes *bytes)
{
    size_t room = bytes->merged->header.block_bytes;
    if (!bytes->block)
        bytes->block = malloc(room);
    if (!bytes->packed)
        bytes->packed = malloc(room);
    if (!bytes->packer && bytes->merged->header.packing == CUP_PACKING_ZSTD)
        bytes->packer = cup_packer_new(&bytes->merged->dictionary);
    return bytes->block && bytes->packed;
}

static bool unpack_block(struct cup_log_bytes *bytes, const struct cup_merged_block *block,
                         unsigned char *to, size_t count)
{
    if (block->packed == 0) {
        memset(to, 0, count);
        return true;
    }
    unsigned char *packed = block->packed == count ? to : bytes->packed;
    if (read_file(bytes->merged->fd, packed, block->packed, block->at) != block->packed)
        return false;
    if (packed != to &&
        (!bytes->packer || !cup_unpack(bytes->packer, packed, block->packed, to, count)))
        return false;
    if (packed != to)
        cup_block_undo_difference(to, count, block->first_record, bytes->merged->header.version);
    return true;
}

/* Reads from one block. Returns the number of bytes. */
static size_t read_from_block(struct cup_log_bytes *bytes, unsigned char *to, size_t count,
                              uint64_t offset)
{
    uint32_t block_bytes = bytes->merged->header.block_bytes;
    uint64_t number = offset / block_bytes;
    size_t held = cup_merged_block_bytes(bytes->merged, bytes->log, number);
    size_t from = offset % block_bytes;
    const struct cup_merged_block *block = &bytes->merged->blocks[bytes->log->first_block + number];
    bool whole = from == 0 && count >= held;
    if (whole || bytes->number != number) {
        unsigned char *unpacked = whole ? to : bytes->block;
        if (!unpack_block(bytes, block, unpacked, held)) {
            bytes->damaged = true;
            memset(unpacked, 0, held);
        }
        bytes->number = whole ? bytes->number : number;
    }
    if (whole)
        return held;
    if (count > held - from)
        count = held - from;
    memcpy(to, bytes->block + from, count);
    return count;
}

size_t cup_log_bytes_whole(const struct cup_log_bytes *bytes, uint64_t offset, size_t count)
{
    size_t block = bytes->merged ? bytes->merged->header.block_bytes : 1;
    uint64_t beyond = (offset + count) % block;
    return beyond ? count + block - beyond : count;
}

size_t cup_log_bytes_read(struct cup_log_bytes *bytes, void *to, size_t count, uint64_t offset)
{
    size_t done = 0;
    if (!bytes->merged)
        return read_file(bytes->fd, to, count, offset);
    if (offset >= bytes->log->bytes || !make_buffers(bytes))
        return 0;
    if (count > bytes->log->bytes - offset)
        count = (size_t)(bytes->log->bytes - offset);
    while (done < count)
        done += read_from_block(bytes, (unsigned char *)to + done, count - done, offset + done);
    return done;
}
