#include "analysis/log/log_copies.h"

#include <string.h>
#include <unistd.h>

#include "analysis/base/process.h"
#include "analysis/log/log_bytes.h"
#include "analysis/log/log_reader.h"
#include "include/log_format.h"

/* *ERROR says why the merged log PATH cannot be read. */
static int refuse_merged(const char *path, struct cup_error *error)
{
    struct cup_merged *merged = cup_merged_open(path, error);
    if (!merged)
        return -1;
    cup_merged_close(merged);
    return cup_error_set(error, path, CUP_NO_OFFSET,
                         "is a merged log with the name of a process's log (HOST-PID-TIME.cup): "
                         "rename it");
}

/* The process of a log has not ended, as far as this machine knows. */
static bool may_live(const struct cup_log_header *header)
{
    char host[sizeof header->host] = "";
    return header->log_stop_ns == 0 && gethostname(host, sizeof host - 1) == 0 &&
           strncmp(host, header->host, sizeof host) == 0 &&
           cup_process_is_there(header->pid, header->log_start_ns);
}

static int read_copy(struct cup_log_copy *copy, struct cup_log_bytes *bytes, const char *path,
                     struct cup_error *error)
{
    struct cup_log_header header = {0};
    bool regular = false;
    if (cup_log_bytes_size(bytes, &copy->bytes, &regular) != 0)
        return cup_error_system(error, path, "read");
    if (!regular)
        return cup_error_set(error, path, CUP_NO_OFFSET, "not a regular file");
    size_t got = cup_log_bytes_read(bytes, &header, sizeof header, 0);
    if (bytes->damaged)
        return cup_log_bytes_refuse(path, error);
    if (got != sizeof header || memcmp(header.magic, CUP_LOG_MAGIC, sizeof header.magic) != 0)
        return bytes->merged || !cup_merged_is(path) ? 0 : refuse_merged(path, error);
    if (cup_log_check_reader(&header, path, error) != 0)
        return -1;
    copy->tasks = header.health[CUP_H_TASKS_BEGUN] + header.health[CUP_H_TASKS_ENDED];
    copy->records_end = header.records_end;
    copy->summed = cup_log_is_summed(&header);
    copy->stop_ns = header.log_stop_ns;
    copy->living = !bytes->merged && may_live(&header);
    return 0;
}

int cup_log_copy_read(struct cup_log_copy *copy, const char *path, struct cup_error *error)
{
    struct cup_log_bytes bytes;
    *copy = (struct cup_log_copy){0};
    if (cup_log_bytes_open_or_report(&bytes, path, error) != 0)
        return -1;
    int result = read_copy(copy, &bytes, path, error);
    cup_log_bytes_close(&bytes);
    return result;
}

static int more_first(uint64_t a, uint64_t b)
{
    return (a < b) - (a > b);
}

int cup_log_copy_order(const struct cup_log_copy *a, const struct cup_log_copy *b)
{
    int order = more_first(a->tasks, b->tasks);
    if (order == 0)
        order = a->summed - b->summed;
    if (order == 0)
        order = more_first(a->records_end, b->records_end);
    if (order == 0)
        order = more_first((uint64_t)a->stop_ns, (uint64_t)b->stop_ns);
    return order ? order : more_first(a->bytes, b->bytes);
}
