#include "analysis/log/log_reads.h"

#include "analysis/log/log_access.h"
#include "analysis/log/log_number.h"
#include "include/log_pairs.h"

void cup_read_rows_start(struct cup_read_rows *rows, const struct cup_record *record)
{
    struct cup_r_reads fixed = cup_read_reads(record);
    *rows = (struct cup_read_rows){.start_ns = cup_sane_time(fixed.start_ns)};
    rows->at = cup_record_tail(record);
    rows->end = rows->at + cup_record_tail_bytes(record);
}

static bool read_number(struct cup_read_rows *rows, uint64_t *number)
{
    return cup_number_next(&rows->at, rows->end, number);
}

static bool read_owner(struct cup_read_rows *rows, unsigned bits)
{
    uint64_t task, file;
    if (bits & CUP_READS_TASK) {
        if (!read_number(rows, &task) || task >> 2 > UINT32_MAX)
            return false;
        rows->row.task = (uint32_t)(task >> 2);
        rows->row.own = task & 3;
    }
    if (bits & CUP_READS_FILE) {
        if (!read_number(rows, &file) || file > UINT32_MAX)
            return false;
        rows->row.file = (uint32_t)file;
    }
    return true;
}

static bool read_place(struct cup_read_rows *rows)
{
    uint64_t offset, bytes, end = rows->row.offset + rows->row.bytes;
    if (!read_number(rows, &offset) || !read_number(rows, &bytes))
        return false;
    rows->row.offset = cup_pairs_undo(offset, end);
    rows->row.bytes = bytes;
    return rows->row.offset < CUP_ACCESS_LIMIT && bytes < CUP_ACCESS_LIMIT;
}

static bool read_times(struct cup_read_rows *rows)
{
    uint64_t start, time;
    if (!read_number(rows, &start) || !read_number(rows, &time))
        return false;
    rows->units = cup_pairs_undo(start, rows->units);
    rows->row.start_ns = rows->start_ns + (int64_t)(rows->units << CUP_READS_TIME_BITS);
    rows->row.ns = time << CUP_READS_TIME_BITS;
    return rows->row.start_ns == cup_sane_time(rows->row.start_ns) && time < CUP_ACCESS_LIMIT;
}

bool cup_read_rows_next(struct cup_read_rows *rows)
{
    if (rows->damaged || rows->at == rows->end || *rows->at == 0)
        return false;
    unsigned bits = *rows->at++;
    rows->row.is_part = bits & CUP_READS_PART;
    rows->damaged = !(bits & CUP_READS_ROW) || !read_owner(rows, bits) || !read_place(rows) ||
                    (!rows->row.is_part && !read_times(rows));
    return !rows->damaged;
}
