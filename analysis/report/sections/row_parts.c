#include "analysis/report/sections/row_parts.h"

size_t cup_report_prefixes_alone(const struct cup_page *page, const uint32_t *order, size_t count)
{
    bool all = page->alone || page->terminal.html;
    return all ? count : cup_prefixes_alone(page->totals, order, count);
}

struct cup_value cup_row_algorithms(struct cup_report_rows *rows, uint32_t algorithms)
{
    char room[CUP_ALGORITHMS_ROOM];
    return algorithms ? cup_row_string(rows, cup_algorithm_names(algorithms, room)) : cup_null();
}

struct cup_value cup_worker_address(const struct cup_profile *profile, uint32_t process)
{
    const struct cup_server *found = NULL;
    for (size_t i = 0; i < profile->server_count; i++) {
        const struct cup_server *server = &profile->servers[i];
        if (server->process != process || server->role != CUP_ROLE_WORKER)
            continue;
        if (found)
            return cup_null();
        found = server;
    }
    uint32_t text = found ? found->address : profile->processes[process].parsl_worker;
    return text ? cup_text(cup_profile_text(profile, text)) : cup_null();
}

/* ---- waits -------------------------------------------------------------------------------- */

enum { OWN = 0, NOT_TOLD_APART = CUP_WAITED_COUNT, HELPERS };

const char *cup_wait_key(unsigned index, char room[CUP_KEY_ROOM])
{
    (void)room;
    if (index == NOT_TOLD_APART)
        return "not_told_apart_s";
    return index < NOT_TOLD_APART ? cup_wait_parts[index].name
                                  : cup_wait_parts[index - HELPERS].helper_name;
}

void cup_fill_waits(const struct cup_profile *profile, const struct cup_wait_sums *sums,
                    const struct cup_measured_waits *helpers, struct cup_value *values)
{
    bool any = sums->tasks > 0, timed = any || sums->unmeasured_tasks > 0;
    for (int i = 0; i < CUP_WAITED_COUNT; i++) {
        bool measured = cup_profile_measured(profile, cup_wait_parts[i].needs);
        bool of_helpers = i < CUP_WAITED_MEASURED && measured;
        values[OWN + i] = cup_ns_if(any && measured, sums->ns[i]);
        values[HELPERS + i] = of_helpers ? cup_ns(helpers->ns[i]) : cup_null();
    }
    values[NOT_TOLD_APART] = cup_ns_if(timed, sums->unmeasured_noncpu_ns);
}
