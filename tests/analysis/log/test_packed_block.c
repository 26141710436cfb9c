/* Differences of records in the blocks of merged logs. */
#include "analysis/log/packed_block.h"

#include <criterion/criterion.h>
#include <string.h>

#include "include/log_format.h"
#include "include/merged_log.h"

enum { RECORDS = 5, PACKED = 2, BYTES = RECORDS * sizeof(struct cup_r_string) };

/* Records of one type with fixed parts of 16 bytes. One in the middle is packed. */
static void make_block(unsigned char *block)
{
    for (uint32_t i = 0; i < RECORDS; i++) {
        struct cup_r_string record = {
            .head = {.length = sizeof record, .type = CUP_R_STRING, .fixed = sizeof record},
            .id = 10 + 3 * i,
            .bytes = 100 + i};
        if (i == PACKED)
            record.head.fixed = CUP_FIXED_PACKED | sizeof record;
        memcpy(block + i * sizeof record, &record, sizeof record);
    }
}

Test(packed_block, differences_go_on_behind_a_packed_record)
{
    unsigned char block[BYTES], changed[BYTES];
    struct cup_r_string last;
    make_block(block);
    memcpy(changed, block, BYTES);
    cup_block_difference(changed, BYTES, 0);
    memcpy(&last, changed + BYTES - sizeof last, sizeof last);
    cr_expect_eq(last.id, 3);
    cup_block_undo_difference(changed, BYTES, 0, CUP_MERGED_VERSION);
    cr_expect_arr_eq(changed, block, BYTES);
}

/* Writers of version 1 took a packed record for the end of the records. */
Test(packed_block, of_version_1_end_at_a_packed_record)
{
    unsigned char block[BYTES], changed[BYTES];
    make_block(block);
    memcpy(changed, block, BYTES);
    cup_block_difference(changed, PACKED * sizeof(struct cup_r_string), 0);
    cup_block_undo_difference(changed, BYTES, 0, 1);
    cr_expect_arr_eq(changed, block, BYTES);
}
