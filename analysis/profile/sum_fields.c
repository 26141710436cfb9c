#include "analysis/profile/sum_fields.h"

#include <string.h>

#include "analysis/log/log_pairs.h"
#include "analysis/profile/profile.h"
#include "include/log_pairs.h"

/* Some numbers of an entry: COUNT of them, of 4 or 8 bytes each (a double counts as 8 bytes).
 * NUMBER, the first one's in the pairs, is part of the format. Those of a list grow at its end, so
 * the next row leaves room. */
struct field {
    uint16_t number, count, bytes;
    size_t offset;
};
#define SIZE(type, member) sizeof(((type *)0)->member)
#define ONE(type, number, member)                                                                  \
    {                                                                                              \
        number, 1, SIZE(type, member), offsetof(type, member)                                      \
    }
#define ALL(type, number, member, one)                                                             \
    {                                                                                              \
        number, SIZE(type, member) / sizeof(one), sizeof(one), offsetof(type, member)              \
    }
#define LIST(type, number, member) ALL(type, number, member, uint64_t)

_Static_assert(CUP_PLACE_COUNT == 2, "struct cup_process_sum has waits of two places");

#define P(number, member) ONE(struct cup_process_sum, number, member)
static const struct field process[] = {
    P(1, tasks),
    P(2, kept),
    P(3, threads),
    P(4, gaps),
    P(5, between_ns),
    P(6, first_ns),
    P(7, last_start_ns),
    LIST(struct cup_process_sum, 128, with_task),
    LIST(struct cup_process_sum, 256, waits[0]),
    LIST(struct cup_process_sum, 320, waits[1]),
    LIST(struct cup_process_sum, 384, helper_waits),
};

static const struct field prefix[] = {
    ONE(struct cup_prefix, 1, tasks),           ONE(struct cup_prefix, 2, longest_task_ns),
    LIST(struct cup_prefix, 128, counters),     LIST(struct cup_prefix, 256, waits),
    LIST(struct cup_prefix, 384, helper_waits), LIST(struct cup_prefix, 448, durations),
};

static const struct field tasks[] = {LIST(struct cup_task_sum, 128, values)};

static const struct field file[] = {
    ONE(struct cup_file_sum, 1, tasks),
    LIST(struct cup_file_sum, 128, counters),
};

#define O(number, member) ONE(struct cup_open_sum, number, member)
static const struct field opens[] = {
    O(1, opened),
    O(2, failed),
    O(3, ns),
    O(4, failed_ns),
    O(5, shortest_ns),
    O(6, longest_ns),
    O(7, redirects),
    O(8, elsewhere),
    O(9, elsewhere_failed),
    O(10, elsewhere_ns),
    O(16, errors[0].error),
    O(17, errors[0].count),
    O(18, errors[1].error),
    O(19, errors[1].count),
    O(20, errors[2].error),
    O(21, errors[2].count),
    O(22, errors[3].error),
    O(23, errors[3].count),
    ALL(struct cup_open_sum, 128, buckets, uint32_t),
};
_Static_assert(CUP_OPEN_ERRORS == 4, "each has two numbers");

static const struct field requests[] = {
    LIST(struct cup_request_sum, 128, answered),
    LIST(struct cup_request_sum, 192, failed),
    LIST(struct cup_request_sum, 256, buckets),
    LIST(struct cup_request_sum, 320, first_buckets),
};

static const struct field request[] = {
    ONE(struct cup_request_row, 1, start_ns),
    ONE(struct cup_request_row, 2, stop_ns),
    LIST(struct cup_request_row, 128, values),
};

/* The numbers of struct cup_basket_sums, as the member SUMS. */
#define B(type, number, member) ONE(type, number, sums.member)
#define BASKET_SUMS(type)                                                                          \
    B(type, 16, baskets), B(type, 17, compressed), B(type, 18, uncompressed),                      \
        B(type, 19, key_bytes), B(type, 20, entries), B(type, 21, unseen),                         \
        B(type, 22, unseen_compressed), B(type, 23, by_place), B(type, 24, by_place_compressed),   \
        B(type, 25, embedded), B(type, 26, again), B(type, 27, again_bytes),                       \
        B(type, 28, incidental), B(type, 29, incidental_bytes), B(type, 30, algorithms),           \
        B(type, 31, sources)

static const struct field branch[] = {
    ONE(struct cup_branch, 1, tasks),
    ONE(struct cup_branch, 2, chunks),
    BASKET_SUMS(struct cup_branch),
};

static const struct field root_file[] = {
    ONE(struct cup_root_file, 1, records),
    ONE(struct cup_root_file, 2, rows),
    BASKET_SUMS(struct cup_root_file),
};

static const struct field section[] = {
    ONE(struct cup_section, 1, tasks),
    LIST(struct cup_section, 128, values),
};

static const struct field value[] = {
    ONE(struct cup_named_value, 1, tasks), ONE(struct cup_named_value, 2, count),
    ONE(struct cup_named_value, 3, sum),   ONE(struct cup_named_value, 4, least),
    ONE(struct cup_named_value, 5, most),
};

static const struct {
    const struct field *rows;
    size_t count;
} kinds[CUP_SUM_KIND_COUNT] = {
#define FIELDS(list)                                                                               \
    {                                                                                              \
        list, sizeof(list) / sizeof *(list)                                                        \
    }
    [CUP_SUM_PROCESS] = FIELDS(process),     [CUP_SUM_PREFIX] = FIELDS(prefix),
    [CUP_SUM_TASKS] = FIELDS(tasks),         [CUP_SUM_FILE] = FIELDS(file),
    [CUP_SUM_OPENS] = FIELDS(opens),         [CUP_SUM_REQUESTS] = FIELDS(requests),
    [CUP_SUM_REQUEST] = FIELDS(request),     [CUP_SUM_BRANCH] = FIELDS(branch),
    [CUP_SUM_ROOT_FILE] = FIELDS(root_file), [CUP_SUM_SECTION] = FIELDS(section),
    [CUP_SUM_VALUE] = FIELDS(value),
};

/* ---- pairs ---------------------------------------------------------------------------------- */

static const struct field *find_field(enum cup_sum_kind kind, uint64_t number)
{
    for (size_t i = 0; i < kinds[kind].count; i++) {
        const struct field *field = &kinds[kind].rows[i];
        if (number >= field->number && number - field->number < field->count)
            return field;
    }
    return NULL;
}

void cup_sum_read(enum cup_sum_kind kind, const struct cup_record *record, void *entry)
{
    const unsigned char *at = cup_record_tail(record), *end = at + cup_record_tail_bytes(record);
    uint64_t number, wide;
    while (cup_pairs_next(&at, end, &number, &wide)) {
        const struct field *field = find_field(kind, number);
        uint32_t narrow = (uint32_t)wide;
        if (field)
            memcpy((char *)entry + field->offset + (number - field->number) * field->bytes,
                   field->bytes == sizeof narrow ? (void *)&narrow : &wide, field->bytes);
    }
}

static uint64_t number_at(const struct field *field, const void *entry, unsigned i)
{
    uint32_t narrow = 0;
    uint64_t wide = 0;
    const char *from = (const char *)entry + field->offset + i * field->bytes;
    if (field->bytes == sizeof wide)
        memcpy(&wide, from, sizeof wide);
    else
        memcpy(&narrow, from, sizeof narrow);
    return wide + narrow;
}

size_t cup_sum_write(enum cup_sum_kind kind, const void *entry, unsigned char *to)
{
    unsigned char *at = to;
    for (size_t row = 0; row < kinds[kind].count; row++) {
        const struct field *field = &kinds[kind].rows[row];
        for (unsigned i = 0; i < field->count; i++)
            if (number_at(field, entry, i)) {
                at += cup_pairs_number(at, field->number + i);
                at += cup_pairs_number(at, number_at(field, entry, i));
            }
    }
    while ((at - to) % 8)
        *at++ = CUP_PAIR_PADDING;
    return (size_t)(at - to);
}
