#include "analysis/profile/sections.h"

#include "analysis/profile/profile_builder.h"

static const bool is_largest[CUP_SECTION_VALUE_COUNT] = {
#define SUM false
#define LARGEST true
#define X(id, name, kind, text) kind,
    CUP_SECTION_VALUES(X)
#undef X
#undef SUM
#undef LARGEST
};

static void add_one(uint64_t *to, uint64_t value, bool largest)
{
    if (!largest)
        *to += value;
    else if (value > *to)
        *to = value;
}

void cup_section_add(uint64_t *to, const uint64_t *values)
{
    for (int i = 0; i < CUP_SECTION_VALUE_COUNT; i++)
        add_one(&to[i], values[i], is_largest[i]);
}

void cup_named_value_add(struct cup_named_value *to, const struct cup_named_value *more)
{
    if (to->count == 0 || more->least < to->least)
        to->least = more->least;
    if (to->count == 0 || more->most > to->most)
        to->most = more->most;
    to->tasks += more->tasks;
    to->count += more->count;
    to->sum += more->sum;
}

/* ---- entries by name ---------------------------------------------------------------------- */

uint32_t cup_builder_section_of(struct cup_builder *builder, uint32_t name, uint32_t parent,
                                uint32_t prefix)
{
    struct cup_profile *profile = builder->profile;
    uint32_t first = cup_pair_map_get(&builder->sections, name, parent), at = first;
    while (at && profile->sections[at - 1].prefix != prefix)
        at = profile->sections[at - 1].next;
    if (at)
        return at;
    struct cup_section *section = CUP_APPEND(builder, sections, section);
    if (!section)
        return 0;
    *section =
        (struct cup_section){.name = name, .parent = parent, .prefix = prefix, .next = first};
    cup_builder_map_pair(builder, &builder->sections, name, parent,
                         (uint32_t)profile->section_count);
    return (uint32_t)profile->section_count;
}

uint32_t cup_builder_value_of(struct cup_builder *builder, uint32_t name, uint32_t prefix)
{
    struct cup_profile *profile = builder->profile;
    uint32_t first = cup_pair_map_get(&builder->named_values, name, 0), at = first;
    while (at && profile->named_values[at - 1].prefix != prefix)
        at = profile->named_values[at - 1].next;
    if (at)
        return at;
    struct cup_named_value *value = CUP_APPEND(builder, named_values, named_value);
    if (!value)
        return 0;
    *value = (struct cup_named_value){.name = name, .prefix = prefix, .next = first};
    cup_builder_map_pair(builder, &builder->named_values, name, 0,
                         (uint32_t)profile->named_value_count);
    return (uint32_t)profile->named_value_count;
}

/* ---- rows by task ------------------------------------------------------------------------- */

/* In a map of rows, of a row that is left out. */
#define LEFT_OUT UINT32_MAX

/* Finds or adds the row of a section and task, because a task may have several records of one
 * section. Returns NULL if there are too many rows, or without memory. */
static struct cup_section_row *row_of(struct cup_builder *builder, uint32_t section, uint32_t task)
{
    struct cup_profile *profile = builder->profile;
    uint32_t at = task ? cup_pair_map_get(&builder->section_rows, section, task) : 0;
    if (at)
        return at == LEFT_OUT ? NULL : &profile->section_rows[at - 1];
    profile->sections[section - 1].tasks += task != 0;
    if (profile->section_row_count >= CUP_SECTION_ROWS_MOST) {
        if (task)
            cup_builder_map_pair(builder, &builder->section_rows, section, task, LEFT_OUT);
        profile->section_rows_left_out++;
        return NULL;
    }
    struct cup_section_row *row = CUP_APPEND(builder, section_rows, section_row);
    if (!row)
        return NULL;
    *row = (struct cup_section_row){.section = section - 1, .task = task};
    cup_builder_map_pair(builder, &builder->section_rows, section, task,
                         (uint32_t)profile->section_row_count);
    return row;
}

void cup_builder_section(struct cup_builder *builder, uint32_t name, uint32_t parent,
                         uint32_t prefix, uint32_t task,
                         const uint64_t values[CUP_SECTION_VALUE_COUNT])
{
    uint32_t section = cup_builder_section_of(builder, name, parent, prefix);
    if (!section)
        return;
    cup_section_add(builder->profile->sections[section - 1].values, values);
    struct cup_section_row *row = row_of(builder, section, task);
    if (!row)
        return;
    row->entries += values[CUP_V_ENTRIES];
    row->wall_ns += values[CUP_V_WALL_NS];
    row->cpu_ns += values[CUP_V_CPU_NS] + values[CUP_V_HELPER_CPU_NS];
    row->read_bytes += values[CUP_V_READ_BYTES] + values[CUP_V_RECV_BYTES];
    row->alloc_bytes += values[CUP_V_ALLOC_BYTES];
    add_one(&row->peak_bytes, values[CUP_V_PEAK_LIVE_BYTES], true);
}

/* As row_of(): a task may have several records of one named value. */
static struct cup_value_row *value_row_of(struct cup_builder *builder, uint32_t value,
                                          uint32_t task)
{
    struct cup_profile *profile = builder->profile;
    uint32_t at = cup_pair_map_get(&builder->value_rows, value, task);
    if (at)
        return at == LEFT_OUT ? NULL : &profile->value_rows[at - 1];
    profile->named_values[value - 1].tasks += task != 0;
    if (profile->value_row_count >= CUP_SECTION_ROWS_MOST) {
        cup_builder_map_pair(builder, &builder->value_rows, value, task, LEFT_OUT);
        profile->section_rows_left_out++;
        return NULL;
    }
    struct cup_value_row *row = CUP_APPEND(builder, value_rows, value_row);
    if (!row)
        return NULL;
    *row = (struct cup_value_row){.value = value - 1, .task = task};
    cup_builder_map_pair(builder, &builder->value_rows, value, task,
                         (uint32_t)profile->value_row_count);
    return row;
}

void cup_builder_named_value(struct cup_builder *builder, uint32_t name, uint32_t prefix,
                             uint32_t task, const struct cup_r_value *record)
{
    struct cup_profile *profile = builder->profile;
    uint32_t index = cup_builder_value_of(builder, name, prefix);
    if (!index)
        return;
    cup_named_value_add(&profile->named_values[index - 1],
                        &(struct cup_named_value){.count = record->count,
                                                  .sum = record->sum,
                                                  .least = record->least,
                                                  .most = record->most});
    struct cup_value_row *row = value_row_of(builder, index, task);
    if (!row)
        return;
    row->count += record->count;
    row->sum += record->sum;
    row->last = record->last;
}
