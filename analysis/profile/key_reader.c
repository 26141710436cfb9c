#define _POSIX_C_SOURCE 200809L
#define _FILE_OFFSET_BITS 64

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "analysis/log/log_reader.h"
#include "analysis/profile/profile.h"

uint64_t cup_key_hash(struct cup_text key)
{
    uint64_t value = UINT64_C(0x9e3779b97f4a7c15) ^ key.length;
    for (size_t at = 0; at < key.length; at += 8) {
        uint64_t word = 0;
        memcpy(&word, key.bytes + at, key.length - at < 8 ? key.length - at : 8);
        value = (value ^ word) * UINT64_C(0xff51afd7ed558ccd);
        value ^= value >> 32;
    }
    return value ? value : 1;
}

void cup_key_reader_open(struct cup_key_reader *reader, const struct cup_profile *profile)
{
    *reader = (struct cup_key_reader){.profile = profile, .fd = -1};
}

static int open_log(struct cup_key_reader *reader, uint32_t process)
{
    if (reader->fd >= 0 && reader->process == process)
        return 0;
    if (reader->fd >= 0)
        close(reader->fd);
    reader->process = process;
    reader->fd = open(reader->profile->processes[process].log_path, O_RDONLY | O_CLOEXEC);
    return reader->fd >= 0 ? 0 : -1;
}

/* Reads the first BYTES bytes of the record at OFFSET into the buffer. */
static int fill_buffer(struct cup_key_reader *reader, uint64_t offset, size_t bytes)
{
    if (bytes > reader->room) {
        char *buffer = realloc(reader->buffer, bytes);
        if (!buffer)
            return -1;
        reader->buffer = buffer;
        reader->room = bytes;
    }
    return pread(reader->fd, reader->buffer, bytes, (off_t)offset) == (ssize_t)bytes ? 0 : -1;
}

enum { FIRST_READ = 256 }; /* most TASK_BEGIN records are shorter */

struct cup_text cup_key_read(struct cup_key_reader *reader, const struct cup_task *task)
{
    const struct cup_text none = {0};
    uint64_t offset = (uint64_t)task->key_at * 8;
    if (offset == 0 || open_log(reader, task->process) != 0)
        return none;
    if (fill_buffer(reader, offset, FIRST_READ) != 0 &&
        fill_buffer(reader, offset, sizeof(struct cup_r_task_begin)) != 0)
        return none;
    struct cup_r_task_begin begin;
    memcpy(&begin, reader->buffer, sizeof begin);
    uint64_t end = (uint64_t)begin.head.fixed + begin.key_bytes;
    if (begin.head.type != CUP_R_TASK_BEGIN || end > begin.head.length || end > CUP_RECORD_MAX)
        return none; /* the log was replaced after it was loaded */
    if (end > FIRST_READ && fill_buffer(reader, offset, (size_t)end) != 0)
        return none;
    return (struct cup_text){reader->buffer + begin.head.fixed, begin.key_bytes};
}

void cup_key_reader_close(struct cup_key_reader *reader)
{
    if (reader->fd >= 0)
        close(reader->fd);
    free(reader->buffer);
    *reader = (struct cup_key_reader){.fd = -1};
}
