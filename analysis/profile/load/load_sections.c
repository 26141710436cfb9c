/* Sections and values that the program named. */
#include "analysis/profile/load/loader.h"

#include <math.h>

#include "analysis/log/log_pairs.h"

/* Finds the task (index + 1) and the prefix of a record. A task that began in a full log is 0, of
 * the prefix of unknown tasks. Returns false if the options exclude the task, or if its TASK_BEGIN
 * record is lost, which is counted. */
static bool owner_of(struct cup_loader *loader, uint32_t number, uint32_t *task, uint32_t *prefix)
{
    *task = 0;
    *prefix = CUP_NO_PREFIX;
    bool in_full_log = loader->log->totals && !cup_id_map_get(&loader->tasks, number);
    if (number && in_full_log)
        *prefix = 0;
    if (number == 0 || in_full_log)
        return !is_selective(loader);
    const struct cup_task *found = find_task(loader, number);
    if (!found)
        return false;
    *task = (uint32_t)(found - profile_of(loader)->tasks) + 1;
    *prefix = cup_task_prefix(profile_of(loader), found);
    return true;
}

void cup_load_section(struct cup_loader *loader, const struct cup_record *record)
{
    uint64_t values[CUP_SECTION_VALUE_COUNT] = {0};
    uint32_t task, prefix;
    struct cup_r_section fixed = cup_read_section(record);
    uint32_t name = string_of(loader, fixed.name), parent = string_of(loader, fixed.parent);
    if (!owner_of(loader, fixed.task, &task, &prefix))
        return;
    cup_pairs_set(cup_record_tail(record), cup_record_tail_bytes(record), values,
                  CUP_SECTION_VALUE_COUNT);
    cup_builder_section(loader->builder, name, parent, prefix, task, values);
}

void cup_load_value(struct cup_loader *loader, const struct cup_record *record)
{
    uint32_t task, prefix;
    struct cup_r_value fixed = cup_read_value(record);
    uint32_t name = string_of(loader, fixed.name);
    if (owner_of(loader, fixed.task, &task, &prefix) && !isnan(fixed.sum))
        cup_builder_named_value(loader->builder, name, prefix, task, &fixed);
}
