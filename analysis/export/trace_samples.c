/* Samples of stacks in a trace: events as V8's profiler has them, "Profile" for a process, then
 * "ProfileChunk" with the frames that are new, and samples of one thread. Perfetto's viewer shows
 * them on a lane above the thread's tasks, and those of a selection as a flame graph. */
#include <stdlib.h>

#include "analysis/export/trace.h"
#include "analysis/metrics/functions/folded.h"

/* The id of a tree's node in the trace, as a running frame or as one in which the thread is
 * blocked.
 */
enum frame { FRAME, BLOCKED, FRAMES };

/* Samples of one thread share an event: with one event each they would be most of the trace. */
enum { BATCH = 256 };

struct samples {
    struct cup_trace *trace;
    const struct cup_call_tree *tree;
    struct cup_call_samples batch[BATCH];
    size_t count;         /* of those */
    uint32_t process;     /* index + 1 of the one whose profile is begun; 0: none */
    int64_t last_us;      /* of the last sample of that, since the trace began */
    uint32_t *introduced; /* owned; by number of a frame: the process in which it is known */
    size_t room;
};

static uint32_t number_of(uint32_t node, enum frame frame)
{
    return node * FRAMES + frame;
}

/* As a string of hexadecimal digits, as all ids in traces of Chrome. */
static struct cup_value id_of(const struct samples *samples, char to[16])
{
    snprintf(to, 16, "%#x", samples->process);
    return cup_string(to);
}

static void begin_data(struct samples *samples, const char *name)
{
    const struct cup_call_samples *first = &samples->batch[0];
    struct cup_trace *trace = samples->trace;
    const struct cup_clock *clock = &trace->profile->processes[first->process].clock;
    char id[16];
    cup_trace_begin(trace, "P", cup_string(name).text, first->process, first->tid,
                    cup_clock_time(clock, first->start_ns));
    cup_trace_put(trace, "cat", cup_string("samples"));
    cup_trace_put(trace, "id", id_of(samples, id));
    cup_trace_arguments(trace);
    cup_json_object(&trace->json, "data");
}

static void end_data(struct samples *samples)
{
    cup_json_end_object(&samples->trace->json);
    cup_trace_end_arguments(samples->trace);
}

static void begin_process(struct samples *samples)
{
    samples->process = samples->batch[0].process + 1;
    samples->last_us = 0;
    begin_data(samples, "Profile");
    cup_trace_put(samples->trace, "startTime", cup_count(0));
    end_data(samples);
}

/* ---- frames ------------------------------------------------------------------------------- */

/* The tree grows while it is read. */
static bool make_room(struct samples *samples)
{
    size_t wanted = samples->tree->node_count * FRAMES;
    if (wanted <= samples->room)
        return true;
    size_t room = wanted > 2 * samples->room ? wanted : 2 * samples->room;
    uint32_t *introduced = realloc(samples->introduced, room * sizeof *introduced);
    if (!introduced)
        return false;
    memset(introduced + samples->room, 0, (room - samples->room) * sizeof *introduced);
    samples->introduced = introduced;
    samples->room = room;
    return true;
}

static bool is_new(struct samples *samples, uint32_t number)
{
    bool known = samples->introduced[number] == samples->process;
    samples->introduced[number] = samples->process;
    return !known;
}

static void put_frame(struct samples *samples, uint32_t number, uint32_t parent, const char *name)
{
    struct cup_trace *trace = samples->trace;
    cup_json_object(&trace->json, NULL);
    cup_trace_put(trace, "id", cup_count(number));
    if (parent)
        cup_trace_put(trace, "parent", cup_count(parent));
    cup_json_object(&trace->json, "callFrame");
    cup_trace_put(trace, "functionName", cup_string(name));
    cup_trace_put(trace, "scriptId", cup_count(0));
    cup_json_end_object(&trace->json);
    cup_json_end_object(&trace->json);
}

/* Callers first: those from the first on that this process has not had. */
static void put_stack(struct samples *samples, uint32_t node)
{
    const struct cup_call_tree *tree = samples->tree;
    uint32_t path[CUP_CALL_DEPTH_MOST + 1], depth = 0;
    char name[CUP_FRAME_ROOM];
    for (; node && is_new(samples, number_of(node, FRAME)); node = tree->nodes[node].parent)
        path[depth++] = node;
    while (depth-- > 0) {
        uint32_t parent = tree->nodes[path[depth]].parent;
        cup_function_text(tree, tree->frames[tree->nodes[path[depth]].frame].function, 0, name);
        put_frame(samples, number_of(path[depth], FRAME), parent ? number_of(parent, FRAME) : 0,
                  name);
    }
}

static void put_frames(struct samples *samples)
{
    cup_json_list(&samples->trace->json, "nodes");
    for (size_t i = 0; i < samples->count; i++) {
        const struct cup_call_samples *of = &samples->batch[i];
        uint32_t blocked = number_of(of->node, BLOCKED);
        put_stack(samples, of->node);
        if (!of->on_core && is_new(samples, blocked))
            put_frame(samples, blocked, number_of(of->node, FRAME), "(blocked)");
    }
    cup_json_end_array(&samples->trace->json);
}

/* ---- samples ------------------------------------------------------------------------------ */

static void put_leaves(struct samples *samples)
{
    cup_json_list(&samples->trace->json, "samples");
    for (size_t i = 0; i < samples->count; i++) {
        const struct cup_call_samples *of = &samples->batch[i];
        uint32_t leaf = number_of(of->node, of->on_core ? FRAME : BLOCKED);
        for (uint64_t k = 0; k < of->count; k++)
            cup_trace_put(samples->trace, NULL, cup_count(leaf));
        samples->trace->samples += of->count;
    }
    cup_json_end_array(&samples->trace->json);
}

/* Time since the trace began. A row stands for several samples without their times, which are
 * written at equal distances. */
static int64_t time_us(const struct samples *samples, const struct cup_call_samples *of, uint64_t k)
{
    double step =
        of->count > 1 ? (double)(of->stop_ns - of->start_ns) / (double)(of->count - 1) : 0;
    const struct cup_clock *clock = &samples->trace->profile->processes[of->process].clock;
    int64_t ns = cup_clock_time(clock, of->start_ns + (int64_t)(step * (double)k));
    return ns > samples->trace->start_ns ? (ns - samples->trace->start_ns) / 1000 : 0;
}

static void put_times(struct samples *samples)
{
    cup_json_list(&samples->trace->json, "timeDeltas");
    for (size_t i = 0; i < samples->count; i++)
        for (uint64_t k = 0; k < samples->batch[i].count; k++) {
            int64_t us = time_us(samples, &samples->batch[i], k);
            cup_trace_put(samples->trace, NULL, cup_signed(us - samples->last_us));
            samples->last_us = us;
        }
    cup_json_end_array(&samples->trace->json);
}

static void put_batch(struct samples *samples)
{
    if (!samples->count || samples->trace->out_of_memory)
        return;
    if (!make_room(samples)) {
        samples->trace->out_of_memory = true;
        return;
    }
    if (samples->process != samples->batch[0].process + 1)
        begin_process(samples);
    cup_trace_name_thread(samples->trace, samples->batch[0].process, samples->batch[0].tid,
                          "helper");
    begin_data(samples, "ProfileChunk");
    cup_json_object(&samples->trace->json, "cpuProfile");
    put_frames(samples);
    put_leaves(samples);
    cup_json_end_object(&samples->trace->json);
    put_times(samples);
    end_data(samples);
    samples->count = 0;
}

/* Samples are at least a unit apart, and none is from after the end: a damaged row of billions
 * would fill a disk. */
static bool is_plausible(const struct samples *samples, const struct cup_call_samples *of)
{
    enum { LATE_S = 60 };
    const struct cup_process *process = &samples->trace->profile->processes[of->process];
    int64_t end_ns = cup_process_last_sign_ns(process) + LATE_S * INT64_C(1000000000);
    return of->stop_ns >= of->start_ns && cup_clock_time(&process->clock, of->stop_ns) <= end_ns &&
           of->count / 2 <= (uint64_t)(of->stop_ns - of->start_ns) / CUP_CPU_SAMPLES_NS + 1;
}

static void take(void *context, const struct cup_call_tree *tree, const struct cup_call_samples *of)
{
    struct samples *samples = context;
    const struct cup_call_samples *first = &samples->batch[0];
    samples->tree = tree;
    if (cup_output_failed(samples->trace->output))
        return;
    if (!is_plausible(samples, of)) {
        samples->trace->damaged_samples++;
        return;
    }
    if (samples->count == BATCH || first->process != of->process || first->tid != of->tid)
        put_batch(samples);
    if (!samples->trace->out_of_memory)
        samples->batch[samples->count++] = *of;
}

int cup_trace_samples(struct cup_trace *trace)
{
    struct samples samples = {.trace = trace};
    const struct cup_call_ask ask = {.samples = take, .context = &samples};
    struct cup_call_tree tree;
    int result = cup_call_tree_make(&tree, trace->profile, &ask);
    if (result == 0)
        put_batch(&samples);
    trace->damaged_samples += tree.damaged;
    cup_call_tree_free(&tree);
    free(samples.introduced);
    return result != 0 || trace->out_of_memory ? -1 : 0;
}
