#include "analysis/profile/waits.h"

#include "analysis/base/array.h"

const struct cup_wait_part cup_wait_parts[CUP_WAITED_COUNT] = {
#define X(id, name, label, text, needs, source) {name, "helper_" name, label, text, needs},
    CUP_WAITS(X)
#undef X
};

#define SANE_NS                                                                                    \
    (UINT64_MAX / 16) /* so that the sum of all parts of a damaged log does not overflow */

static int largest_part(const struct cup_wait_split *split)
{
    int largest = 0;
    for (int i = 1; i < CUP_WAITED_MEASURED; i++)
        if (split->ns[i] > split->ns[largest])
            largest = i;
    return largest;
}

/* Subtracts the excess from the largest part. If that is not enough, the part becomes 0 and the
 * rest is subtracted from the next largest one, and so on. */
static void cut_excess(struct cup_wait_split *split)
{
    for (uint64_t left = split->excess_ns; left > 0;) {
        uint64_t *part = &split->ns[largest_part(split)];
        uint64_t cut = left < *part ? left : *part;
        *part -= cut;
        left -= cut;
    }
}

struct cup_wait_split cup_wait_split(uint64_t noncpu_ns, const struct cup_measured_waits *measured,
                                     uint64_t major_faults)
{
    struct cup_wait_split split = {.excess_ns = 0};
    uint64_t sum = 0;
    for (int i = 0; i < CUP_WAITED_MEASURED; i++)
        sum += split.ns[i] = measured->ns[i] < SANE_NS ? measured->ns[i] : SANE_NS;
    if (sum > noncpu_ns) {
        split.excess_ns = sum - noncpu_ns;
        cut_excess(&split);
    } else {
        split.ns[major_faults ? CUP_WAITED_FAULT : CUP_WAITED_OTHER] = noncpu_ns - sum;
    }
    return split;
}

static void add_measured(struct cup_wait_sums *sums, uint64_t noncpu_ns,
                         const struct cup_measured_waits *measured, uint64_t major_faults)
{
    const struct cup_wait_split split = cup_wait_split(noncpu_ns, measured, major_faults);
    for (int i = 0; i < CUP_WAITED_COUNT; i++)
        sums->ns[i] += split.ns[i];
    sums->excess_ns += split.excess_ns;
}

void cup_wait_sums_add_task(struct cup_wait_sums *sums, uint64_t wall_ns, uint64_t cpu_ns,
                            const struct cup_measured_waits *measured, uint64_t major_faults)
{
    uint64_t cpu_in_wall_ns = cpu_ns < wall_ns ? cpu_ns : wall_ns;
    sums->below_zero_ns += cpu_ns - cpu_in_wall_ns;
    if (measured) {
        sums->tasks++;
        sums->cpu_ns += cpu_in_wall_ns;
        add_measured(sums, wall_ns - cpu_in_wall_ns, measured, major_faults);
    } else {
        sums->unmeasured_tasks++;
        sums->unmeasured_cpu_ns += cpu_in_wall_ns;
        sums->unmeasured_noncpu_ns += wall_ns - cpu_in_wall_ns;
    }
}

void cup_wait_sums_add(struct cup_wait_sums *sums, const struct cup_wait_sums *others)
{
    cup_add_all((uint64_t *)sums, (const uint64_t *)others, sizeof *sums / sizeof(uint64_t));
}

uint64_t cup_wait_sums_wall_ns(const struct cup_wait_sums *sums)
{
    uint64_t wall_ns = sums->cpu_ns;
    for (int i = 0; i < CUP_WAITED_COUNT; i++)
        wall_ns += sums->ns[i];
    return wall_ns;
}
