#include "preload/transfer.h"

#include "preload/block.h"
#include "preload/log.h"
#include "preload/series.h"

#include <errno.h>

static bool begin_at_leisure(struct cup_transfer *transfer, int fd)
{
    bool counted = false;
    int saved = errno; /* programs set it to 0 before a call that need not set it */
    cup_guard();
    transfer->descriptor = cup_descriptor_get(fd, &transfer->spare);
    if (transfer->descriptor && transfer->descriptor->class < CUP_FILE_SOCKET) {
        transfer->owner = cup_attribution(transfer->descriptor);
        counted = transfer->owner.block != NULL;
    }
    cup_unguard();
    errno = saved;
    transfer->start = cup_ticks();
    return counted;
}

bool cup_transfer_begin_slowly(struct cup_transfer *transfer, int fd)
{
    struct cup_descriptor *known = cup_descriptor_known(fd);
    if (known && known->class >= CUP_FILE_SOCKET)
        return false;
    struct cup_block *helped = known && !cup_self.own ? cup_attribution_context() : NULL;
    if (!helped)
        return begin_at_leisure(transfer, fd);
    cup_descriptor_used(known, helped->task);
    transfer->descriptor = known;
    transfer->owner = (struct cup_owner){helped, CUP_WAY_CONTEXT, 0};
    transfer->start = cup_ticks();
    return true;
}

/* 0 to 100 bytes, to 1 KiB, ... as in the list of file counters. */
static enum cup_file_counter size_class(uint64_t bytes)
{
    static const uint64_t limits[] = {100,     1 << 10,  10 << 10,  100 << 10, 1 << 20,
                                      4 << 20, 10 << 20, 100 << 20, 1 << 30};
    int at = 0;
    while (at < 9 && bytes > limits[at])
        at++;
    return CUP_F_SIZE_0_100 + at;
}

static void count_opened(struct cup_transfer *transfer, struct cup_file_use *use)
{
    if (!transfer->descriptor->opened)
        return;
    transfer->descriptor->opened = 0;
    transfer->owner.block->counters[CUP_C_OPEN_CALLS]++;
    if (use)
        use->counters[CUP_F_OPENS]++;
}

static void count_data_read(struct cup_transfer *transfer, uint64_t bytes, int64_t offset,
                            uint64_t end)
{
    struct cup_descriptor *descriptor = transfer->descriptor;
    uint64_t *counters = transfer->owner.block->counters;
    uint64_t ns = cup_ticks_ns(end - transfer->start);
    counters[CUP_C_READ_OWN_BYTES + transfer->owner.way] += bytes;
    counters[CUP_C_READ_CALLS]++;
    counters[CUP_C_READ_NS] += ns;
    int64_t from = offset == CUP_AT_CURSOR ? descriptor->cursor : offset;
    struct cup_file_use *use =
        descriptor->file ? cup_block_file(transfer->owner.block, descriptor->file) : NULL;
    count_opened(transfer, use);
    if (use) {
        use->counters[CUP_F_READ_BYTES] += bytes;
        use->counters[CUP_F_READ_CALLS]++;
        use->counters[CUP_F_READ_NS] += ns;
        use->counters[CUP_F_SEQUENTIAL_CALLS] += from == descriptor->end;
        use->counters[size_class(bytes)]++;
    }
    descriptor->end = from + (int64_t)bytes;
    if (offset == CUP_AT_CURSOR)
        descriptor->cursor = descriptor->end;
    cup_series_count(end, bytes, ns, 0);
}

static void count_read(struct cup_transfer *transfer, uint64_t bytes, int64_t offset, uint64_t end)
{
    uint64_t *counters = transfer->owner.block->counters;
    switch (transfer->descriptor->class) {
    case CUP_FILE_DATA:
        count_data_read(transfer, bytes, offset, end);
        break;
    case CUP_FILE_IMPORT:
        counters[CUP_C_IMPORT_BYTES] += bytes;
        counters[CUP_C_IMPORT_CALLS]++;
        break;
    case CUP_FILE_SPILL:
        counters[CUP_C_SPILL_READ_BYTES] += bytes;
        break;
    case CUP_FILE_PIPE:
        counters[CUP_C_PIPE_BYTES] += bytes;
        break;
    }
}

void cup_transfer_end_read(struct cup_transfer *transfer, ssize_t bytes, int64_t offset)
{
    int saved = errno;
    uint64_t end = cup_ticks();
    cup_guard();
    if (transfer->owner.way == CUP_WAY_SOLE)
        cup_attribution_confirm(&transfer->owner);
    if (bytes >= 0 && transfer->owner.block)
        count_read(transfer, (uint64_t)bytes, offset, end);
    cup_unguard();
    errno = saved;
}

static void count_write(struct cup_transfer *transfer, uint64_t bytes, int64_t offset, uint64_t end)
{
    struct cup_descriptor *descriptor = transfer->descriptor;
    uint64_t *counters = transfer->owner.block->counters;
    uint64_t ns = cup_ticks_ns(end - transfer->start);
    if (descriptor->class == CUP_FILE_SPILL) {
        counters[CUP_C_SPILL_WRITE_BYTES] += bytes;
        return;
    }
    if (descriptor->class == CUP_FILE_PIPE)
        return;
    counters[CUP_C_WRITE_BYTES] += bytes;
    counters[CUP_C_WRITE_CALLS]++;
    counters[CUP_C_WRITE_NS] += ns;
    struct cup_file_use *use =
        descriptor->file ? cup_block_file(transfer->owner.block, descriptor->file) : NULL;
    count_opened(transfer, use);
    if (use) {
        use->counters[CUP_F_WRITE_BYTES] += bytes;
        use->counters[CUP_F_WRITE_CALLS]++;
        use->counters[CUP_F_WRITE_NS] += ns;
    }
    if (offset == CUP_AT_CURSOR)
        descriptor->cursor += (int64_t)bytes;
    cup_series_count(end, 0, 0, bytes);
}

void cup_transfer_end_write(struct cup_transfer *transfer, ssize_t bytes, int64_t offset)
{
    int saved = errno;
    uint64_t end = cup_ticks();
    cup_guard();
    if (transfer->owner.way == CUP_WAY_SOLE)
        cup_attribution_confirm(&transfer->owner);
    if (bytes >= 0 && transfer->owner.block)
        count_write(transfer, (uint64_t)bytes, offset, end);
    cup_unguard();
    errno = saved;
}

static void count_data_character(struct cup_block *block, uint32_t file, bool read)
{
    block->counters[read ? CUP_C_READ_OWN_BYTES : CUP_C_WRITE_BYTES]++;
    block->counters[read ? CUP_C_READ_CALLS : CUP_C_WRITE_CALLS]++;
    if (!file)
        return;
    struct cup_file_use *use = cup_block_file(block, file);
    use->counters[read ? CUP_F_READ_BYTES : CUP_F_WRITE_BYTES]++;
    use->counters[read ? CUP_F_READ_CALLS : CUP_F_WRITE_CALLS]++;
    use->counters[CUP_F_SEQUENTIAL_CALLS] += read;
    use->counters[CUP_F_SIZE_0_100] += read;
}

void cup_transfer_character(struct cup_descriptor *descriptor, bool read)
{
    struct cup_block *block = cup_self.own;
    if (!block || cup_self.guard)
        return;
    cup_guard();
    if (descriptor->class == CUP_FILE_DATA)
        count_data_character(block, descriptor->file, read);
    else if (descriptor->class == CUP_FILE_IMPORT && read)
        block->counters[CUP_C_IMPORT_BYTES]++;
    else if (descriptor->class == CUP_FILE_PIPE && read)
        block->counters[CUP_C_PIPE_BYTES]++;
    cup_unguard();
}
