#include "preload/io/opening.h"

#include "preload/attribution/attribution.h"
#include "preload/io/file_class.h"
#include "preload/io/known_files.h"
#include "preload/io/open_sums.h"
#include "preload/lifecycle/thread.h"
#include "preload/log/log.h"
#include "preload/sys/lazy_table.h"

#include <errno.h>
#include <string.h>

/* When the open of a descriptor began and ended, in ticks. Kept until the descriptor is first used;
 * 0: nothing is kept. */
struct open_time {
    uint64_t start, stop;
};

static void *table; /* see lazy_table.h */
enum { TABLE_BYTES = CUP_DESCRIPTORS * sizeof(struct open_time) };
static uint32_t records;

void cup_opening_reset(void)
{
    cup_lazy_table_clear(&table, TABLE_BYTES);
    records = 0;
}

/* ---- records ------------------------------------------------------------------------------- */

static void count_open(struct cup_block *block, const struct cup_opened *opened, uint64_t ns)
{
    if (!block || opened->kind == CUP_OPEN_CONNECT)
        return;
    block->counters[CUP_C_OPEN_NS] += ns;
    block->counters[CUP_C_FAILED_OPENS] += opened->error != 0;
}

void cup_opening_record(const struct cup_opened *opened, struct cup_block *block)
{
    uint64_t ns = cup_ticks_ns(opened->stop - opened->start);
    count_open(block, opened, ns);
    bool whole = __atomic_load_n(&records, __ATOMIC_RELAXED) < CUP_OPENS_WHOLE;
    struct cup_r_open record = {.task = opened->task,
                                .file = opened->file,
                                .kind = opened->kind,
                                .error = opened->error,
                                .start_ns = cup_ticks_realtime_ns(opened->start),
                                .ns = ns,
                                .server = opened->server,
                                .redirects = opened->redirects};
    if (whole) {
        __atomic_fetch_add(&records, 1, __ATOMIC_RELAXED);
        record.path = opened->file ? 0 : cup_log_cstring(opened->path);
        cup_log_write(CUP_R_OPEN, &record, NULL, 0);
    } else {
        record.path = opened->file ? cup_known_place(opened->file) : cup_place_of(opened->path);
        cup_open_sums_add(&record, opened->stop);
    }
}

/* ---- files --------------------------------------------------------------------------------- */

/* FD belongs to this thread from open() on, until close(): descriptor.c says so to ThreadSanitizer.
 */
static void keep_time(int fd, uint64_t start)
{
    uint64_t stop = cup_ticks();
    struct open_time *times =
        (unsigned)fd < CUP_DESCRIPTORS ? cup_lazy_table_make(&table, TABLE_BYTES) : NULL;
    if (times)
        times[fd] = (struct open_time){start, stop};
}

void cup_opening_used(const struct cup_descriptor *descriptor, struct cup_block *block)
{
    size_t fd = (size_t)(descriptor - cup_descriptor_table);
    struct open_time *times = cup_lazy_table(&table);
    struct open_time *time = times && fd < CUP_DESCRIPTORS ? &times[fd] : NULL;
    if (!time || !time->stop)
        return;
    const struct cup_opened opened = {.kind = CUP_OPEN_LOCAL,
                                      .task = block->task,
                                      .file = descriptor->file,
                                      .start = time->start,
                                      .stop = time->stop};
    *time = (struct open_time){0};
    cup_opening_record(&opened, block);
}

/* True: the kernel has read the whole path, so it can be read here. */
static bool was_looked_up(int error)
{
    return error != EFAULT && error != EINVAL && error != ENAMETOOLONG && error != ENOMEM;
}

static void record_failure(const char *path, int error, uint64_t start)
{
    uint64_t stop = cup_ticks();
    if (cup_self.guard || !path || !was_looked_up(error) || !cup_attribution_task())
        return;
    cup_guard();
    struct cup_block *block = cup_attribution(NULL).block;
    if (block && block->task && cup_file_class_of(path) == CUP_FILE_DATA) {
        const struct cup_opened opened = {.kind = CUP_OPEN_LOCAL,
                                          .task = block->task,
                                          .error = (uint32_t)error,
                                          .start = start,
                                          .stop = stop,
                                          .path = path};
        cup_opening_record(&opened, block);
    }
    cup_unguard();
}

void cup_opening_returned(int fd, const char *path, uint64_t start)
{
    int saved = errno;
    if (fd < 0) {
        record_failure(path, saved, start);
    } else if (cup_descriptor_is_ours()) {
        cup_descriptor_opened(fd, path);
        keep_time(fd, start);
    }
    errno = saved;
}
