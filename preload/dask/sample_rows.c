#include "preload/dask/sample_rows.h"

#include "include/log_pairs.h"
#include "preload/log/log.h"

static uint32_t samples, workers; /* numbers of the last records of this process */

_Static_assert(CUP_ROW_LONGEST >= 2 * CUP_PAIR_LONGEST + (CUP_WV_COUNT + CUP_HV_COUNT) * 12 &&
                   CUP_PAIR_LONGEST == 12,
               "a row fits");

void cup_rows_begin(struct cup_rows_batch *batch, struct cup_rows *rows)
{
    batch->rows = rows;
    batch->sample = ++samples;
    batch->lost = false;
    batch->used = 0;
    cup_log_health(CUP_H_SAMPLES_TAKEN, 1);
}

bool cup_rows_add_worker(const struct cup_rows *rows, struct cup_last_written *written,
                         uint32_t address, uint32_t name)
{
    const struct cup_r_worker record = {
        .worker = workers + 1, .server = rows->server, .address = address, .name = name};
    if (cup_log_write(CUP_R_WORKER, &record, NULL, 0))
        written->worker = ++workers;
    return written->worker != 0;
}

/* Lost rows use up a number too, so that a reader sees the gap. */
static void write_rows(struct cup_rows_batch *batch)
{
    if (!batch->used)
        return;
    const struct cup_r_rows record = {.sample = batch->sample, .rows = ++batch->rows->rows};
    batch->lost |= !cup_log_write(CUP_R_ROWS, &record, batch->bytes, batch->used);
    batch->used = 0;
}

static void add_row(struct cup_rows_batch *batch, uint32_t worker, enum cup_row_kind kind,
                    const unsigned char *pairs, size_t bytes)
{
    if (batch->used + bytes + 2 * CUP_PAIR_LONGEST > sizeof batch->bytes)
        write_rows(batch);
    unsigned char *at = batch->bytes + batch->used;
    at += cup_pairs_number(at, worker);
    at += cup_pairs_number(at, bytes * CUP_ROW_KINDS + kind);
    if (bytes)
        memcpy(at, pairs, bytes);
    batch->used = (size_t)(at - batch->bytes) + bytes;
}

static bool needs_whole_row(const struct cup_rows_batch *batch,
                            const struct cup_last_written *written)
{
    return written->losses != batch->rows->losses + 1 ||
           (batch->sample + written->worker) % CUP_ROWS_WHOLE_EVERY == 0;
}

void cup_rows_add(struct cup_rows_batch *batch, struct cup_last_written *written,
                  const uint64_t *values, const uint64_t *heartbeat)
{
    unsigned char pairs[CUP_ROW_LONGEST];
    bool whole = needs_whole_row(batch, written);
    const uint64_t *beat = heartbeat ? heartbeat : written->heartbeat;
    size_t bytes;
    if (whole) {
        bytes = cup_pairs_known(pairs, values, CUP_WV_COUNT, 0);
        bytes += cup_pairs_known(pairs + bytes, beat, CUP_HV_COUNT, CUP_PAIR_HEARTBEAT);
    } else {
        bytes = cup_pairs_changed(pairs, values, written->values, CUP_WV_COUNT, 0);
        if (heartbeat)
            bytes += cup_pairs_changed(pairs + bytes, heartbeat, written->heartbeat, CUP_HV_COUNT,
                                       CUP_PAIR_HEARTBEAT);
    }
    if (!whole && !bytes)
        return;
    add_row(batch, written->worker, whole ? CUP_ROW_WHOLE : CUP_ROW_CHANGED, pairs, bytes);
    written->losses = batch->rows->losses + 1;
    memcpy(written->values, values, sizeof written->values);
    if (heartbeat)
        memcpy(written->heartbeat, heartbeat, sizeof written->heartbeat);
}

void cup_rows_add_gone(struct cup_rows_batch *batch, const struct cup_last_written *written)
{
    add_row(batch, written->worker, CUP_ROW_GONE, NULL, 0);
}

static void write_sample(struct cup_rows_batch *batch, int64_t time_ns, const uint64_t *values)
{
    unsigned char pairs[CUP_SV_COUNT * CUP_PAIR_LONGEST + CUP_PAIRS_UNIT];
    size_t bytes = cup_pairs_known(pairs, values, CUP_SV_COUNT, 0);
    const struct cup_r_sample record = {.sample = batch->sample,
                                        .server = batch->rows->server,
                                        .time_ns = time_ns,
                                        .rows = batch->rows->rows};
    batch->lost |= !cup_log_write(CUP_R_SAMPLE, &record, pairs, cup_pairs_pad(pairs, bytes));
}

bool cup_rows_end(struct cup_rows_batch *batch, int64_t time_ns, const uint64_t *values)
{
    write_rows(batch);
    if (!batch->lost)
        write_sample(batch, time_ns, values);
    if (batch->lost) {
        batch->rows->losses++;
        cup_log_health(CUP_H_SAMPLES_DROPPED, 1);
    }
    return !batch->lost;
}

void cup_rows_reset(void)
{
    samples = workers = 0;
}
