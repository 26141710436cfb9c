/* Advice on the size of chunks and the memory of workers, from fits over chunks of different sizes.
 */
#include "analysis/advice/advice_rules.h"

/* Sizes that differ by a smaller factor count as the same. */
static const double another_size = 1.25;
/* A larger size is advised only if it saves this share of the chunks' time. */
static const double worthwhile = 0.05;

bool cup_chunks_too_small(const struct cup_totals *t)
{
    const struct cup_chunk_size *size = &t->fits->size;
    bool gains = size->fixed_share - size->new_fixed_share >= worthwhile ||
                 size->least_by == CUP_BOUND_SCHEDULER;
    return !size->missing && size->events >= another_size * size->present && gains;
}

static bool chunks_too_large(const struct cup_totals *t)
{
    const struct cup_chunk_size *size = &t->fits->size;
    return !size->missing && size->events * another_size <= size->present &&
           (size->most_by == CUP_BOUND_WALL || size->most_by == CUP_BOUND_MEMORY);
}

/* What a worker needs at the advised chunk size, as far as it is known. */
static void describe_memory(const struct cup_memory_need *need, char *to, size_t room)
{
    char bytes[CUP_HUMAN_READABLE_ROOM], error[CUP_HUMAN_READABLE_ROOM],
        request[CUP_HUMAN_READABLE_ROOM];
    if (!(need->new_request_bytes > 0)) {
        snprintf(to, room, " How much memory a worker then needs is not known.");
        return;
    }
    snprintf(to, room, " A worker of %u thread%s then needs %s (error %s): set its limit to %s.",
             need->threads, need->threads == 1 ? "" : "s",
             with_unit(bytes, need->new_bytes, CUP_UNIT_BYTES),
             with_unit(error, need->new_error_bytes, CUP_UNIT_BYTES),
             with_unit(request, need->new_request_bytes, CUP_UNIT_BYTES));
}

static const char *reason_of(const struct cup_chunk_size *size)
{
    if (size->most_by == CUP_BOUND_FILE && size->events >= size->most)
        return " (the largest file holds no more)";
    return fmod(size->events, size->cluster_events) == 0 ? " (whole clusters)" : "";
}

/* " of TTbar", where the fit is not over all chunks. */
static const char *name_dataset(const struct cup_totals *t, char to[80])
{
    uint32_t dataset = t->fits->size.fit->dataset;
    struct cup_text name = cup_profile_text(t->profile, dataset);
    *to = '\0';
    if (dataset)
        snprintf(to, 80, " of %.*s", (int)(name.length < 60 ? name.length : 60), name.bytes);
    return to;
}

static void advise_larger(const struct cup_totals *t, struct cup_advice *advice)
{
    const struct cup_chunk_size *size = &t->fits->size;
    char fixed[CUP_HUMAN_READABLE_ROOM], error[CUP_HUMAN_READABLE_ROOM],
        present[CUP_HUMAN_READABLE_ROOM], events[CUP_HUMAN_READABLE_ROOM],
        wall[CUP_HUMAN_READABLE_ROOM], memory[200], dataset[80];
    double gain = size->fixed_share - size->new_fixed_share;
    describe_memory(&t->fits->memory, memory, sizeof memory);
    cup_advise(
        advice, cup_share_of_threads(t, gain * (double)t->chunk_wall_ns / 1e9),
        "Chunks%s are small: each has a fixed part of %s (error %s), by a fit over %zu of them. "
        "That is %.0f %% of its time at %s events (threshold %.0f %%, or tasks of less than %.0f "
        "ms "
        "x threads). Use chunks of %s events%s: the fixed part is then %.0f %% of %s.%s",
        name_dataset(t, dataset), with_unit(fixed, size->fixed_s, CUP_UNIT_SECONDS),
        with_unit(error, size->fixed_error_s, CUP_UNIT_SECONDS), size->fit->time.count,
        100 * size->fixed_share, with_unit(present, round(size->present), CUP_UNIT_COUNT),
        100 * CUP_SIZE_FIXED_SHARE, 1e3 * CUP_SIZE_SCHEDULER_S,
        with_unit(events, round(size->events), CUP_UNIT_COUNT), reason_of(size),
        100 * size->new_fixed_share, with_unit(wall, size->new_wall_s, CUP_UNIT_SECONDS), memory);
}

static void advise_smaller(const struct cup_totals *t, struct cup_advice *advice)
{
    const struct cup_chunk_size *size = &t->fits->size;
    bool memory = size->most_by == CUP_BOUND_MEMORY;
    char event[CUP_HUMAN_READABLE_ROOM], present[CUP_HUMAN_READABLE_ROOM],
        wall[CUP_HUMAN_READABLE_ROOM], events[CUP_HUMAN_READABLE_ROOM],
        later[CUP_HUMAN_READABLE_ROOM], dataset[80];
    cup_advise(
        advice, memory ? 0.8 : 0.1,
        "Chunks%s are large: with %s events they take %s (threshold %.0f s, or a worker's memory "
        "limit%s), at %s per event in a fit over %zu chunks. A worker that dies loses that much "
        "work, and the run's end waits for the last chunk. Use chunks of %s events: they take %s, "
        "of which %.0f %% is fixed.",
        name_dataset(t, dataset), with_unit(present, round(size->present), CUP_UNIT_COUNT),
        with_unit(wall, size->wall_s, CUP_UNIT_SECONDS), CUP_SIZE_MOST_S, memory ? ", as here" : "",
        with_unit(event, size->event_s, CUP_UNIT_SECONDS), size->fit->time.count,
        with_unit(events, round(size->events), CUP_UNIT_COUNT),
        with_unit(later, size->new_wall_s, CUP_UNIT_SECONDS), 100 * size->new_fixed_share);
}

bool cup_rule_chunk_size(const struct cup_totals *t, struct cup_advice *advice)
{
    bool small = cup_chunks_too_small(t);
    if (!small && !chunks_too_large(t))
        return false;
    (small ? advise_larger : advise_smaller)(t, advice);
    return true;
}

/* Too much memory costs something only if workers on several hosts requested it; on one host, the
 * memory is there anyway. */
static bool is_plenty(const struct cup_totals *t, double share)
{
    return share < 0.5 && t->hosts->count > 1;
}

bool cup_rule_memory_request(const struct cup_totals *t, struct cup_advice *advice)
{
    const struct cup_memory_need *need = &t->fits->memory;
    double share = need->request_bytes / need->limit_bytes;
    bool scarce = share > 1;
    char chunk[CUP_HUMAN_READABLE_ROOM], bytes[CUP_HUMAN_READABLE_ROOM],
        error[CUP_HUMAN_READABLE_ROOM], limit[CUP_HUMAN_READABLE_ROOM],
        request[CUP_HUMAN_READABLE_ROOM];
    if (need->missing || !(scarce || is_plenty(t, share)))
        return false;
    return cup_advise(
        advice, scarce ? 0.7 : 0.01,
        "Workers of %u thread%s need %s (error %s) at this chunk size: what the process holds "
        "before "
        "a chunk, and for each thread the peak live heap of a chunk, by a fit over %zu chunks (%s "
        "each). They have %s, %s (threshold: less than the limit advised here, or more than twice "
        "that). %s a limit of %s.",
        need->threads, need->threads == 1 ? "" : "s", with_unit(bytes, need->bytes, CUP_UNIT_BYTES),
        with_unit(error, need->error_bytes, CUP_UNIT_BYTES), need->fit->heap.count,
        with_unit(chunk, need->chunk_bytes, CUP_UNIT_BYTES),
        with_unit(limit, need->limit_bytes, CUP_UNIT_BYTES),
        scarce ? "which is too little" : "which is more than they use",
        scarce ? "Set" : "Use more threads, or less memory:",
        with_unit(request, need->request_bytes, CUP_UNIT_BYTES));
}
