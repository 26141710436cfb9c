#include "preload/dask/occupancy.h"

#include "preload/dask/sample_record.h"

/* Dask's guess for a prefix of which no task has ended yet
 * (SchedulerState._get_prefix_duration). */
static double guess_duration(cup_object *scheduler, cup_object *prefix)
{
    CUP_OWNED cup_object *longest = cup_python_attribute(prefix, "max_exec_time");
    double longest_s = longest ? cup_python_number(longest) : -1;
    if (longest_s > 0)
        return 2 * longest_s;
    CUP_OWNED cup_object *otherwise = cup_python_attribute(scheduler, "UNKNOWN_TASK_DURATION");
    return otherwise ? cup_python_number(otherwise) : -1;
}

/* Negative: unknown. */
static double expected_duration(cup_object *scheduler, cup_object *prefixes, cup_object *name)
{
    CUP_OWNED cup_object *prefix = cup_python_get(prefixes, name);
    CUP_OWNED cup_object *average = cup_python_attribute(prefix, "duration_average");
    double duration_s = average ? cup_python_number(average) : -1;
    return average && duration_s < 0 ? guess_duration(scheduler, prefix) : duration_s;
}

/* Collects the names before durations are read: that may run Python code, which may change the dict
 * while it is iterated. */
static void collect_names(struct cup_occupancy *occupancy, cup_object *counts)
{
    ssize_t at = 0;
    cup_object *name, *value;
    while (occupancy->count < CUP_OCCUPANCY_PREFIXES &&
           cup_py.PyDict_Next(counts, &at, &name, &value))
        occupancy->prefixes[occupancy->count++].name = cup_python_hold(name);
}

void cup_occupancy_begin(struct cup_occupancy *occupancy, cup_object *scheduler)
{
    CUP_OWNED cup_object *counts = cup_python_attribute(scheduler, "_task_prefix_count_global");
    CUP_OWNED cup_object *prefixes = cup_python_attribute(scheduler, "task_prefixes");
    ssize_t size = counts && prefixes ? cup_py.PyDict_Size(counts) : -1;
    if (counts && prefixes && size < 0)
        cup_py.PyErr_Clear(); /* no dict at all */
    occupancy->count = 0;
    if (size > 0 && size <= CUP_OCCUPANCY_PREFIXES)
        collect_names(occupancy, counts);
    for (int i = 0; i < occupancy->count; i++)
        occupancy->prefixes[i].duration_s =
            expected_duration(scheduler, prefixes, occupancy->prefixes[i].name);
    CUP_OWNED cup_object *bandwidth = cup_python_attribute(scheduler, "bandwidth");
    occupancy->bandwidth = bandwidth ? cup_python_number(bandwidth) : 0;
    if (size < 0 || size > CUP_OCCUPANCY_PREFIXES || !(occupancy->bandwidth > 0))
        cup_occupancy_end(occupancy);
}

void cup_occupancy_end(struct cup_occupancy *occupancy)
{
    for (int i = 0; i < occupancy->count; i++)
        cup_python_drop(occupancy->prefixes[i].name);
    occupancy->count = -1;
}

static double expected_s(const struct cup_occupancy *occupancy, cup_object *name)
{
    for (int i = 0; i < occupancy->count; i++)
        if (occupancy->prefixes[i].name == name)
            return occupancy->prefixes[i].duration_s;
    return -1;
}

/* Negative: one of the prefixes is unknown. Allocates no object, so the dict cannot change while it
 * is iterated. */
static double tasks_s(const struct cup_occupancy *occupancy, cup_object *prefix_count)
{
    ssize_t at = 0;
    double sum = 0;
    cup_object *name, *count;
    ssize_t size = cup_py.PyDict_Size(prefix_count);
    if (size < 0)
        cup_py.PyErr_Clear();
    if (size <= 0) /* saves iterating over an idle worker's dict, which is in no CPU cache */
        return size < 0 ? -1 : 0;
    while (cup_py.PyDict_Next(prefix_count, &at, &name, &count)) {
        double each_s = expected_s(occupancy, name);
        if (each_s < 0 || cup_python_type(count) != cup_py.int_type)
            return -1;
        sum += each_s * cup_python_number(count);
    }
    return sum;
}

uint64_t cup_occupancy_of(const struct cup_occupancy *occupancy, cup_object *prefix_count,
                          cup_object *network_bytes, cup_object *kept)
{
    uint64_t kept_ns = cup_sample_value(kept, CUP_SECONDS);
    uint64_t bytes = cup_sample_value(network_bytes, 1);
    if (kept_ns != CUP_UNKNOWN64 && kept_ns != 0) /* Dask treats a cached 0 as "not cached" */
        return kept_ns;
    if (occupancy->count < 0 || !prefix_count || bytes == CUP_UNKNOWN64)
        return CUP_UNKNOWN64;
    double seconds = tasks_s(occupancy, prefix_count);
    if (seconds < 0)
        return CUP_UNKNOWN64;
    return (uint64_t)((seconds + (double)bytes / occupancy->bandwidth) * CUP_SECONDS);
}
