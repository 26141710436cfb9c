/* The texts that records refer to. */
#include "analysis/anonymize/record_texts.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 8 };

static uint32_t noted[MOST];
static size_t noted_count;

static void note_string(void *user, uint32_t string, enum cup_name_kind kind)
{
    (void)user, (void)kind;
    if (noted_count < MOST)
        noted[noted_count] = string;
    noted_count++;
}

/* Processes do not write such a record: the flag comes from damage or from a newer version. */
Test(record_texts, of_a_packed_columns_record_are_in_its_tail)
{
    const struct cup_record head = {
        .length = 24, .type = CUP_R_COLUMNS, .fixed = CUP_FIXED_PACKED | 16};
    const uint32_t names[] = {5, 6};
    unsigned char *record = calloc(1, head.length);
    memcpy(record, &head, sizeof head);
    memcpy(record + 16, names, sizeof names);
    cup_record_texts((const struct cup_record *)record, note_string, NULL);
    free(record);
    cr_assert_eq(noted_count, 2, "%zu", noted_count);
    cr_expect(noted[0] == 5 && noted[1] == 6);
}
