#include "preload/sample_record.h"

#include "preload/clock.h"
#include "preload/log.h"
#include "preload/pairs.h"

#include <time.h>

static uint32_t taken;
static bool slow_noted;

/* ---- values ------------------------------------------------------------------------------ */

void cup_sample_forget(uint64_t *values, int count)
{
    for (int i = 0; i < count; i++)
        values[i] = CUP_UNKNOWN64;
}

static uint64_t cup_sample_drop(cup_object *value, double scale)
{
    uint64_t amount = cup_python_amount(value, scale);
    cup_python_drop(value);
    return amount;
}

uint64_t cup_sample_amount(cup_object *object, const char *name, double scale)
{
    return cup_sample_drop(cup_python_attribute(object, name), scale);
}

uint64_t cup_sample_item(cup_object *dict, const char *name, double scale)
{
    return cup_sample_drop(cup_python_item(dict, name), scale);
}

uint64_t cup_sample_size(cup_object *object, const char *name)
{
    cup_object *value = cup_python_attribute(object, name);
    ssize_t size = value ? cup_py.PyObject_Size(value) : 0;
    if (size < 0)
        cup_py.PyErr_Clear();
    cup_python_drop(value);
    return value && size >= 0 ? (uint64_t)size : CUP_UNKNOWN64;
}

/* Of Dask's HeapSet, whose own len() is Python code. */
uint64_t cup_sample_heap_size(cup_object *object, const char *name)
{
    cup_object *heap = cup_python_attribute(object, name);
    uint64_t size = cup_sample_size(heap, "_data");
    cup_python_drop(heap);
    return size;
}

/* ---- the server -------------------------------------------------------------------------- */

/* The members of Dask's Status, which are few and stay, and their names in the log. */
static uint32_t status_name(cup_object *status)
{
    enum { STATUSES = 16 };
    static struct {
        cup_object *status; /* a reference is held */
        uint32_t pid, name;
    } known[STATUSES];
    uint32_t pid = cup_log_header()->pid; /* a forked child has a log of its own */
    for (int i = 0; i < STATUSES; i++) {
        if (!known[i].status) {
            cup_py.Py_IncRef(status);
            known[i].status = status;
        }
        if (known[i].status != status)
            continue;
        if (known[i].pid != pid) {
            known[i].pid = pid;
            known[i].name = cup_python_string_at(status, "_name_");
        }
        return known[i].name;
    }
    return 0;
}

uint32_t cup_sample_status(cup_object *object, const char *name)
{
    cup_object *status = cup_python_attribute(object, name);
    uint32_t id = status ? status_name(status) : 0;
    cup_python_drop(status);
    return id;
}

/* Said once. */
static void note_slow_tick(uint64_t tick_ns, int64_t interval_ns)
{
    if (slow_noted || tick_ns == CUP_UNKNOWN64 || tick_ns <= (uint64_t)interval_ns)
        return;
    slow_noted = true;
    cup_log_note("samples are fewer than CUPPING_INTERVAL asks for: they are taken by Dask's tick "
                 "(distributed.admin.tick.interval), which is longer");
}

void cup_sample_loop(uint64_t *values, cup_object *server, const struct cup_sampling *sampling)
{
    values[CUP_SV_LOOP_INTERVAL_NS] =
        cup_sample_amount(server, "_tick_interval_observed", CUP_SECONDS);
    values[CUP_SV_TICK_NS] = cup_sample_amount(server, "_tick_interval", CUP_SECONDS);
    values[CUP_SV_LOOP_LONGEST_NS] =
        sampling->longest_ns ? (uint64_t)sampling->longest_ns : CUP_UNKNOWN64;
    values[CUP_SV_TOOK_NS] = sampling->took_ns;
    note_slow_tick(values[CUP_SV_TICK_NS], sampling->interval_ns);
}

/* Ahead of us in LD_PRELOAD there may be a library that shows the program another time (faketime):
 * Dask's figures are by that one, our times are not. */
static double seconds_ahead(void)
{
    struct timespec shown = {0, 0};
    if (clock_gettime(CLOCK_REALTIME, &shown) != 0)
        return 0;
    int64_t shown_ns = (int64_t)shown.tv_sec * 1000000000 + shown.tv_nsec;
    return (double)(shown_ns - cup_clock_realtime_ns()) / CUP_SECONDS;
}

void cup_sample_clock(uint64_t *values, double delay_s)
{
    const double most_s = 1e9; /* more is no clock's */
    double behind_s = delay_s + seconds_ahead();
    if (behind_s >= 0 && behind_s < most_s)
        values[CUP_SV_BEHIND_NS] = (uint64_t)(behind_s * CUP_SECONDS);
    else if (behind_s < 0 && behind_s > -most_s)
        values[CUP_SV_AHEAD_NS] = (uint64_t)(-behind_s * CUP_SECONDS);
}

/* ---- writing ----------------------------------------------------------------------------- */

uint32_t cup_sample_write(const struct cup_sampling *sampling, const uint64_t *values)
{
    unsigned char pairs[CUP_SV_COUNT * CUP_PAIR_LONGEST];
    size_t bytes = cup_pairs_known(pairs, values, CUP_SV_COUNT, 0);
    struct cup_r_sample *record = cup_log_reserve(sizeof *record, bytes);
    if (!record)
        return 0;
    uint32_t sample = ++taken;
    record->sample = sample;
    record->server = sampling->server;
    record->time_ns = sampling->now_ns;
    cup_pairs_fill(record, sizeof *record, pairs, bytes);
    cup_log_commit(record, CUP_R_SAMPLE);
    return sample;
}

bool cup_sample_write_worker(uint32_t sample, const struct cup_sampled_worker *worker)
{
    unsigned char pairs[(CUP_WV_COUNT + CUP_HV_COUNT) * CUP_PAIR_LONGEST];
    size_t bytes = cup_pairs_known(pairs, worker->values, CUP_WV_COUNT, 0);
    bytes += cup_pairs_known(pairs + bytes, worker->heartbeat, CUP_HV_COUNT, CUP_PAIR_HEARTBEAT);
    struct cup_r_sample_worker *record = cup_log_reserve(sizeof *record, bytes);
    if (!record)
        return false;
    record->sample = sample;
    record->address = worker->address;
    record->name = worker->name;
    record->status = worker->status;
    cup_pairs_fill(record, sizeof *record, pairs, bytes);
    cup_log_commit(record, CUP_R_SAMPLE_WORKER);
    return true;
}

void cup_sample_record_reset(void)
{
    taken = 0;
    slow_noted = false;
}
