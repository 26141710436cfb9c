/* The memory of workers, by the samples of Dask's servers. */
#include "analysis/live/live_log.h"
#include "analysis/log/log_pairs.h"
#include "include/log_pairs.h"

void cup_live_worker(struct cup_live *live, struct cup_live_log *log, const struct cup_record *r)
{
    struct cup_r_worker fixed = cup_read_worker(r);
    struct cup_live_seen *seen = CUP_LIVE_APPEND(live, log, seen, seen);
    if (!seen)
        return;
    seen->number = fixed.worker;
    seen->server = fixed.server;
    seen->address = cup_live_string(log, fixed.address);
    cup_live_map(live, &log->seen_at, fixed.worker, (uint32_t)log->seen_count);
}

static struct cup_live_seen *find_seen(struct cup_live_log *log, const struct cup_row *row)
{
    uint32_t at =
        row->worker <= UINT32_MAX ? cup_id_map_get(&log->seen_at, (uint32_t)row->worker) : 0;
    return at ? &log->seen[at - 1] : NULL;
}

static void take_row(struct cup_live_seen *seen, const struct cup_row *row)
{
    const unsigned char *at = row->pairs;
    uint64_t index, value;
    bool is_whole = row->kind == CUP_ROW_WHOLE;
    if (row->kind == CUP_ROW_GONE)
        seen->present = seen->known = false;
    if (!is_whole && !(row->kind == CUP_ROW_CHANGED && seen->known))
        return;
    seen->present = seen->known = true;
    for (size_t i = 0; is_whole && i < CUP_ROW_VALUES; i++)
        seen->values[i] = CUP_UNKNOWN64;
    while (cup_pairs_next(&at, row->pairs + row->bytes, &index, &value))
        if (index < CUP_ROW_VALUES)
            seen->values[index] = is_whole ? value : cup_pairs_undo(value, seen->values[index]);
}

/* If records are missing, the values of this server's workers are not known until a record has all
 * of them again. */
static void check_number(struct cup_live *live, struct cup_live_log *log, uint32_t server,
                         uint32_t rows)
{
    bool follows = rows == cup_id_map_get(&log->last_rows, server) + 1;
    for (size_t i = 0; !follows && i < log->seen_count; i++)
        if (log->seen[i].server == server)
            log->seen[i].known = false;
    cup_live_map(live, &log->last_rows, server, rows);
}

void cup_live_rows(struct cup_live *live, struct cup_live_log *log, const struct cup_record *r)
{
    struct cup_row row;
    struct cup_r_rows fixed = cup_read_rows(r);
    const unsigned char *at = cup_record_tail(r), *end = at + cup_record_tail_bytes(r);
    bool is_first = true;
    while (cup_row_next(&at, end, &row)) {
        struct cup_live_seen *seen = find_seen(log, &row);
        if (seen && is_first)
            check_number(live, log, seen->server, fixed.rows);
        if (seen)
            take_row(seen, &row);
        is_first = is_first && !seen;
    }
}

void cup_live_take_rows(struct cup_live *live, const struct cup_live_log *log)
{
    for (size_t i = 0; i < log->seen_count; i++) {
        const struct cup_live_seen *seen = &log->seen[i];
        uint32_t at = seen->known ? cup_pair_map_get(&live->worker_at, seen->address, 0) : 0;
        if (!at)
            continue;
        struct cup_live_worker *worker = &live->workers[at - 1];
        /* A worker's sample of itself is newer than what its scheduler has heard, until the
         * worker's log is full. Times are by the worker's clock. */
        const uint64_t *heartbeat = seen->values + CUP_PAIR_HEARTBEAT;
        uint64_t time_ns = heartbeat[CUP_HV_RSS] == CUP_UNKNOWN64 ? 0 : heartbeat[CUP_HV_TIME_NS];
        if (time_ns < worker->sampled_ns)
            continue;
        worker->sampled_ns = time_ns;
        worker->rss = heartbeat[CUP_HV_RSS];
        worker->cpu_ns_per_s = heartbeat[CUP_HV_CPU_NS_PER_S];
        uint64_t limit = seen->values[CUP_WV_MEMORY_LIMIT];
        if (limit && limit != CUP_UNKNOWN64)
            worker->memory_limit = limit;
    }
}
