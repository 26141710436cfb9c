#include "analysis/log/line_table.h"

static uint32_t check_line(int64_t line)
{
    return line > 0 && line <= INT32_MAX ? (uint32_t)line : 0;
}

/* Python 3.9 and older: pairs of a step in offset and a step in line. A line covers the
 * instructions up to the pair whose offset lies beyond them. The table of a function on one line
 * is empty. */
static uint32_t line_by_steps(const struct cup_line_table *table, uint32_t at)
{
    int64_t line = table->first_line;
    uint64_t offset = 0;
    for (size_t i = 0; i + 1 < table->size; i += 2) {
        offset += table->bytes[i];
        if (offset > at)
            break;
        line += (signed char)table->bytes[i + 1];
    }
    return check_line(line);
}

/* Python 3.10: pairs of a length in bytes and a step in line. The step is taken first; the new
 * line then covers LENGTH bytes of instructions. Step -128 means that these instructions have no
 * line. */
static uint32_t line_by_lengths(const struct cup_line_table *table, uint32_t at)
{
    enum { NO_LINE = -128 };
    int64_t line = table->first_line;
    uint64_t end = 0;
    for (size_t i = 0; i + 1 < table->size; i += 2) {
        int step = table->bytes[i + 1];
        step -= step > INT8_MAX ? 256 : 0;
        line += step == NO_LINE ? 0 : step;
        end += table->bytes[i];
        if (end > at)
            return step == NO_LINE ? 0 : check_line(line);
    }
    return 0;
}

/* Six bits in each byte, lowest bits first; 0x40 is set if another byte follows. */
static uint64_t read_varint(const unsigned char *at, const unsigned char *end)
{
    uint64_t value = 0;
    for (unsigned shift = 0; at < end && shift < 42; shift += 6) {
        value |= (uint64_t)(*at & 0x3f) << shift;
        if (!(*at++ & 0x40))
            break;
    }
    return value;
}

/* The lowest bit is the sign. */
static int64_t read_signed(const unsigned char *at, const unsigned char *end)
{
    uint64_t value = read_varint(at, end);
    int64_t size = (int64_t)(value >> 1);
    return value & 1 ? -size : size;
}

/* Python 3.11 and newer: entries. Only the first byte of an entry has its highest bit set; its next
 * four bits are the entry's form, its last three the number of code units (of two bytes), less 1.
 */
enum { ENTRY = 0x80, ONE_LINE_FIRST = 10, ONE_LINE_LAST = 12, NO_COLUMNS = 13, LONG = 14 };
enum { NONE = 15 };

static int64_t step_of(const unsigned char *entry, const unsigned char *end)
{
    unsigned form = *entry >> 3 & 15;
    if (form >= ONE_LINE_FIRST && form <= ONE_LINE_LAST)
        return form - ONE_LINE_FIRST;
    return form == NO_COLUMNS || form == LONG ? read_signed(entry + 1, end) : 0;
}

static uint32_t line_by_entries(const struct cup_line_table *table, uint32_t at)
{
    const unsigned char *entry = table->bytes, *end = table->size ? entry + table->size : entry;
    int64_t line = table->first_line;
    uint64_t stop = 0;
    while (entry < end) {
        line += step_of(entry, end);
        stop += ((*entry & 7u) + 1) * 2;
        if (stop > at)
            return (*entry >> 3 & 15) == NONE ? 0 : check_line(line);
        do
            entry++;
        while (entry < end && !(*entry & ENTRY));
    }
    return 0;
}

uint32_t cup_line_at(const struct cup_line_table *table, uint32_t at)
{
    if (table->minor >= 11)
        return line_by_entries(table, at);
    return table->minor == 10 ? line_by_lengths(table, at) : line_by_steps(table, at);
}
