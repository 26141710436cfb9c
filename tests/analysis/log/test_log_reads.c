/* Rows of READS records, sound and damaged. */
#include <criterion/criterion.h>

#include <stdlib.h>
#include <string.h>

#include "analysis/log/log_reads.h"

static struct cup_record *make_record(const unsigned char *rows, size_t bytes)
{
    size_t length = (sizeof(struct cup_r_reads) + bytes + 8) / 8 * 8;
    struct cup_r_reads *record = calloc(1, length);
    *record = (struct cup_r_reads){
        .head = {.length = (uint32_t)length, .type = CUP_R_READS, .fixed = sizeof *record},
        .start_ns = 1000000000};
    memcpy(record + 1, rows, bytes);
    return &record->head;
}

/* Task 5 (runs) reads file 3 at 1000: 100 bytes, 64 ns before the record began, for 128 ns. */
#define FIRST CUP_READS_ROW | CUP_READS_TASK | CUP_READS_FILE, 21, 3, 0xd0, 0x0f, 100, 1, 2

Test(log_reads, rows)
{
    struct cup_read_rows rows;
    const unsigned char bytes[] = {
        FIRST, CUP_READS_ROW, 0, 50, 4, 0, CUP_READS_ROW | CUP_READS_PART, 3, 7};
    struct cup_record *record = make_record(bytes, sizeof bytes);
    cup_read_rows_start(&rows, record);
    cr_assert(cup_read_rows_next(&rows));
    cr_expect(rows.row.task == 5 && rows.row.own == CUP_BLOCK_RUNS && rows.row.file == 3);
    cr_expect(rows.row.offset == 1000 && rows.row.bytes == 100);
    cr_expect(rows.row.start_ns == 1000000000 - 64 && rows.row.ns == 128);
    cr_assert(cup_read_rows_next(&rows));
    cr_expect(rows.row.task == 5 && rows.row.file == 3 && !rows.row.is_part);
    cr_expect(rows.row.offset == 1100 && rows.row.bytes == 50);
    cr_expect(rows.row.start_ns == 1000000000 + 64 && rows.row.ns == 0);
    cr_assert(cup_read_rows_next(&rows));
    cr_expect(rows.row.is_part && rows.row.offset == 1148 && rows.row.bytes == 7);
    cr_expect(rows.row.start_ns == 1000000000 + 64);
    cr_expect(!cup_read_rows_next(&rows) && !rows.damaged);
    free(record);
}

static void expect_damage(const unsigned char *bytes, size_t count, int sound)
{
    struct cup_read_rows rows;
    struct cup_record *record = make_record(bytes, count);
    cup_read_rows_start(&rows, record);
    while (cup_read_rows_next(&rows))
        sound--;
    cr_expect_eq(sound, 0);
    cr_expect(rows.damaged);
    free(record);
}

#define EXPECT_DAMAGE(sound, ...)                                                                  \
    expect_damage((const unsigned char[]){__VA_ARGS__},                                            \
                  sizeof(const unsigned char[]){__VA_ARGS__}, sound)

Test(log_reads, damage_ends_the_rows)
{
    EXPECT_DAMAGE(1, FIRST, 2, 0, 0, 0, 0, 0, 0);
    EXPECT_DAMAGE(1, FIRST, CUP_READS_ROW, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80,
                  0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80);
    EXPECT_DAMAGE(1, FIRST, CUP_READS_ROW, 0xff, 0xff, 0xff, 0xff, 0x0f, 9, 0, 0);
    EXPECT_DAMAGE(0, CUP_READS_ROW | CUP_READS_FILE, 0xff, 0xff, 0xff, 0xff, 0x7f, 0, 9, 0, 0);
}
