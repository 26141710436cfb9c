#include "preload/sampler/cpu_samples.h"

#include "include/cpu_rows.h"
#include "preload/log/log.h"
#include "preload/sampler/thread_slots.h"
#include "preload/stacks/stack_events.h"
#include "preload/stacks/stack_tables.h"
#include "preload/sys/clock.h"

#include <string.h>

/* At 8 samples per second and 3 to 5 bytes per row, four threads that are never twice at the same
 * place write half a megabyte per hour. */
enum {
    KEPT_EVERY_NS = 125000000,
    GAP_PERIODS = 4,  /* a pause this long, in mean periods, begins a new row */
    ROWS_BYTES = 256, /* with so many bytes of rows a record is written */
};
static const uint64_t WRITTEN_AFTER_NS = 4000000000; /* a killed process loses at most this */

static struct track {
    uint32_t tid;
    uint32_t rows, samples; /* encoded rows; all samples */
    uint32_t bytes;
    uint64_t start;                 /* ticks: the first sample; 0: there is none */
    struct cup_cpu_run run, before; /* the current run of equal samples, and the last encoded one */
    unsigned char encoded[ROWS_BYTES + 2 * CUP_CPU_ROW_LONGEST];
} tracks[CUP_THREAD_SLOTS];

static struct {
    uint32_t used;     /* tracks[used] and later were never used */
    uint64_t now, due; /* ticks: this look; the next look that is kept comes at DUE or later */
    uint64_t period;   /* mean time between two kept looks, in units of CUP_CPU_SAMPLES_NS */
} looks;

/* ---- writing ------------------------------------------------------------------------------ */

static void write_record(const struct track *track)
{
    const struct cup_r_cpu_samples record = {.tid = track->tid,
                                             .rows = track->rows,
                                             .start_ns = cup_ticks_realtime_ns(track->start),
                                             .period = (uint32_t)looks.period};
    cup_nodes_write();
    if (!cup_log_write(CUP_R_CPU_SAMPLES, &record, track->encoded, track->bytes))
        cup_log_health(CUP_H_CPU_SAMPLES_DROPPED, track->samples);
}

static void end_run(struct track *track)
{
    if (!track->run.samples)
        return;
    track->run.node = cup_node_record(track->run.node);
    track->bytes +=
        (uint32_t)cup_cpu_row_code(track->encoded + track->bytes, &track->run, &track->before);
    track->rows++;
    track->before = track->run;
    track->run.samples = 0;
}

static void write_track(struct track *track)
{
    end_run(track);
    if (track->rows)
        write_record(track);
    track->rows = track->bytes = track->samples = 0;
    track->before = (struct cup_cpu_run){0};
    track->start = 0;
}

/* Writes the samples of tracks that began LEAST_NS ago or earlier. */
static void write_tracks(uint64_t least_ns)
{
    for (uint32_t i = 0; i < looks.used; i++)
        if (tracks[i].start && cup_ticks_ns(looks.now - tracks[i].start) >= least_ns)
            write_track(&tracks[i]);
}

/* ---- keeping ----------------------------------------------------------------------------- */

/* The next kept look comes after between half and one and a half times KEPT_EVERY_NS. */
bool cup_cpu_samples_begin(uint64_t now, uint64_t look_ns)
{
    if (now < looks.due)
        return false;
    uint64_t mean_ns = look_ns > KEPT_EVERY_NS ? look_ns : KEPT_EVERY_NS;
    uint64_t share = cup_event_random() % 1024;
    looks.due = now + cup_ns_ticks(KEPT_EVERY_NS / 2 + KEPT_EVERY_NS * share / 1024);
    looks.now = now;
    looks.period = mean_ns / CUP_CPU_SAMPLES_NS;
    write_tracks(WRITTEN_AFTER_NS);
    return true;
}

static bool continues_run(const struct cup_cpu_run *run, const struct cup_cpu_run *now)
{
    return run->samples && run->task == now->task && run->node == now->node &&
           run->on_core == now->on_core && now->first - run->last <= GAP_PERIODS * looks.period;
}

static void add_sample(struct track *track, const struct cup_cpu_run *now)
{
    track->samples++;
    if (continues_run(&track->run, now)) {
        track->run.last = now->last;
        track->run.samples++;
        return;
    }
    end_run(track);
    track->run = *now;
}

void cup_cpu_samples_keep(uint32_t slot, uint32_t tid, uint32_t task, uint32_t node, bool on_core)
{
    struct track *track = &tracks[slot];
    if (track->tid != tid || track->bytes > ROWS_BYTES)
        write_track(track);
    if (looks.used <= slot)
        looks.used = slot + 1;
    track->tid = tid;
    if (!track->start)
        track->start = looks.now;
    uint64_t units = cup_ticks_ns(looks.now - track->start) / CUP_CPU_SAMPLES_NS;
    add_sample(track, &(struct cup_cpu_run){task, node, on_core, units, units, 1});
}

/* ---- flush and reset ---------------------------------------------------------------------- */

void cup_cpu_samples_flush(void)
{
    write_tracks(0);
}

void cup_cpu_samples_reset(void)
{
    memset(tracks, 0, looks.used * sizeof *tracks);
    looks.used = 0;
    looks.due = 0;
}
