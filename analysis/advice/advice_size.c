/* Advice on the size of chunks and the memory of workers, by what chunks of different sizes took.
 */
#include "analysis/advice/advice_rules.h"

/* Sizes that differ by less than this are the same. */
static const double another_size = 1.25;
/* Of the chunks' time, to be won. */
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

/* What is known of the memory that chunks of the size that is advised would need. */
static void say_memory(const struct cup_memory_need *need, char *to, size_t room)
{
    char bytes[CUP_HUMAN_READABLE_ROOM], error[CUP_HUMAN_READABLE_ROOM],
        request[CUP_HUMAN_READABLE_ROOM];
    if (!(need->new_request_bytes > 0)) {
        snprintf(to, room, " What memory they would need is not known.");
        return;
    }
    snprintf(to, room, " A worker of %u thread%s would then need %s (error %s): a limit of %s.",
             need->threads, need->threads == 1 ? "" : "s",
             humane(bytes, need->new_bytes, CUP_UNIT_BYTES),
             humane(error, need->new_error_bytes, CUP_UNIT_BYTES),
             humane(request, need->new_request_bytes, CUP_UNIT_BYTES));
}

static const char *reason_of(const struct cup_chunk_size *size)
{
    if (size->most_by == CUP_BOUND_FILE && size->events >= size->most)
        return " (the largest file holds no more)";
    return fmod(size->events, size->cluster_events) == 0 ? " (whole clusters)" : "";
}

/* " of TTbar", where the fit is not over all chunks. */
static const char *say_dataset(const struct cup_totals *t, char to[80])
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
    advice->weight =
        gain * (double)t->chunk_wall_ns / (double)(t->budget.threads_ns ? t->budget.threads_ns : 1);
    say_memory(&t->fits->memory, memory, sizeof memory);
    snprintf(
        advice->text, sizeof advice->text,
        "Chunks%s are small: by a fit over %zu of them %s (error %s) of each, %.0f %% of its time "
        "at %s events, does not depend on its size (threshold %.0f %%, or tasks of less than "
        "%.0f ms x threads). With %s events it would be %.0f %%, in chunks of %s%s.%s",
        say_dataset(t, dataset), size->fit->time.count,
        humane(fixed, size->fixed_s, CUP_UNIT_SECONDS),
        humane(error, size->fixed_error_s, CUP_UNIT_SECONDS), 100 * size->fixed_share,
        humane(present, round(size->present), CUP_UNIT_COUNT), 100 * CUP_SIZE_FIXED_SHARE,
        1e3 * CUP_SIZE_SCHEDULER_S, humane(events, round(size->events), CUP_UNIT_COUNT),
        100 * size->new_fixed_share, humane(wall, size->new_wall_s, CUP_UNIT_SECONDS),
        reason_of(size), memory);
}

static void advise_smaller(const struct cup_totals *t, struct cup_advice *advice)
{
    const struct cup_chunk_size *size = &t->fits->size;
    bool memory = size->most_by == CUP_BOUND_MEMORY;
    char event[CUP_HUMAN_READABLE_ROOM], present[CUP_HUMAN_READABLE_ROOM],
        wall[CUP_HUMAN_READABLE_ROOM], events[CUP_HUMAN_READABLE_ROOM],
        later[CUP_HUMAN_READABLE_ROOM], dataset[80];
    advice->weight = memory ? 0.8 : 0.1;
    snprintf(
        advice->text, sizeof advice->text,
        "Chunks%s are large: with %s events they take %s (threshold %.0f s, or a worker's memory "
        "limit%s), by %s an event over %zu chunks; what is lost with a worker, or ends last, "
        "is that large. With %s events they would take %s, of which %.0f %% is fixed.",
        say_dataset(t, dataset), humane(present, round(size->present), CUP_UNIT_COUNT),
        humane(wall, size->wall_s, CUP_UNIT_SECONDS), CUP_SIZE_MOST_S, memory ? ", as here" : "",
        humane(event, size->event_s, CUP_UNIT_SECONDS), size->fit->time.count,
        humane(events, round(size->events), CUP_UNIT_COUNT),
        humane(later, size->new_wall_s, CUP_UNIT_SECONDS), 100 * size->new_fixed_share);
}

bool cup_rule_chunk_size(const struct cup_totals *t, struct cup_advice *advice)
{
    bool small = cup_chunks_too_small(t);
    if (!small && !chunks_too_large(t))
        return false;
    (small ? advise_larger : advise_smaller)(t, advice);
    return true;
}

/* Memory that nobody uses matters where it was asked for: on one host it is what there is. */
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
    advice->weight = scarce ? 0.7 : 0.01;
    snprintf(
        advice->text, sizeof advice->text,
        "Workers of %u thread%s need %s (error %s) at this chunk size, by the peak live heap "
        "of %zu chunks (%s each) on top of the process itself: a limit of %s would suit. They "
        "have %s, %s (threshold: less than that, or more than twice as "
        "much).",
        need->threads, need->threads == 1 ? "" : "s", humane(bytes, need->bytes, CUP_UNIT_BYTES),
        humane(error, need->error_bytes, CUP_UNIT_BYTES), need->fit->heap.count,
        humane(chunk, need->chunk_bytes, CUP_UNIT_BYTES),
        humane(request, need->request_bytes, CUP_UNIT_BYTES),
        humane(limit, need->limit_bytes, CUP_UNIT_BYTES),
        scarce ? "which is too little" : "which more threads, or less memory, would suit better");
    return true;
}
