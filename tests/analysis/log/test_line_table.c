/* Lines of Python functions: as the interpreters at hand read their own tables, and tables that no
 * compiler made. */
#include <criterion/criterion.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/log/line_table.h"

/* Bytes of a word in hex; "-" has none. */
static size_t from_hex(const char *hex, unsigned char *to)
{
    size_t count = 0;
    for (; hex[0] != '-' && hex[0] && hex[0] != ' '; hex += 2)
        to[count++] = (unsigned char)strtoul((const char[]){hex[0], hex[1], '\0'}, NULL, 16);
    return count;
}

/* A line of line_tables.py; returns how many instructions it has. */
static unsigned check_function(const char *told)
{
    char *at;
    unsigned count = 0;
    struct cup_line_table table = {.minor = (unsigned)strtoul(told, &at, 10)};
    table.first_line = (uint32_t)strtoul(at, &at, 10);
    at++;
    unsigned char *bytes = malloc(strlen(at) / 2 + 1);
    table.size = from_hex(at, bytes);
    table.bytes = bytes;
    for (at = strchr(at, ' '); at; at = strchr(at, ' '), count++) {
        uint32_t offset = (uint32_t)strtoul(at, &at, 10);
        uint32_t line = (uint32_t)strtoul(at + 1, &at, 10), ours = cup_line_at(&table, offset);
        cr_assert_eq(ours, line, "offset %u: line %u, not %u, of %.60s", offset, ours, line, told);
    }
    free(bytes);
    return count;
}

static void check_python(const char *python)
{
    char command[1000], *line = NULL;
    size_t room = 0;
    unsigned functions = 0, instructions = 0;
    snprintf(command, sizeof command, "%s " CUP_TOP "/tests/workloads/line_tables.py", python);
    FILE *told = popen(command, "r");
    cr_assert(told);
    while (getline(&line, &room, told) > 0) {
        instructions += check_function(line);
        functions++;
    }
    cr_assert_eq(pclose(told), 0, "%s", command);
    free(line);
    cr_assert_gt(functions, 4000);
    cr_assert_gt(instructions, 100 * 1000);
}

Test(line_table, lines_are_those_of_python_3_9)
{
    check_python(CUP_PYTHON_3_9);
}

Test(line_table, lines_are_those_of_python_3_11)
{
    check_python(CUP_PYTHON);
}

Test(line_table, lines_are_those_of_python_3_13)
{
    check_python(CUP_PYTHON_3_13);
}

/* Form of 3.10: two instructions of line 5, one of none, one of line 8, one of line 6. */
Test(line_table, lines_of_python_3_10)
{
    static const unsigned char bytes[] = {4, 0, 2, 0x80, 0, 100, 2, (unsigned char)-97, 2, 0xfe};
    const struct cup_line_table table = {bytes, sizeof bytes, 10, 5};
    static const uint32_t lines[] = {5, 5, 0, 8, 6, 0};
    for (uint32_t i = 0; i < 6; i++)
        cr_assert_eq(cup_line_at(&table, 2 * i), lines[i], "instruction %u", i);
}

/* In 3.9 a function that stands on one line has an empty one. */
Test(line_table, nothing_is_known_without_a_table)
{
    for (unsigned minor = 9; minor < 14; minor++) {
        const struct cup_line_table table = {NULL, 0, minor, 5};
        cr_assert_eq(cup_line_at(&table, 0), minor == 9 ? 5 : 0);
    }
}

/* Each in room of its own, so that a sanitizer sees a byte beyond it. */
Test(line_table, any_bytes_are_read_within_their_bounds)
{
    unsigned random = 1;
    for (int round = 0; round < 20000; round++) {
        size_t size = 1 + round % 40;
        unsigned char *bytes = malloc(size);
        for (size_t i = 0; i < size; i++)
            bytes[i] = (unsigned char)((random = random * 1664525 + 1013904223) >> 24);
        const struct cup_line_table table = {bytes, size, 9 + (unsigned)round % 5, random};
        cr_assert_leq(cup_line_at(&table, (uint32_t)round % 200), (uint32_t)INT32_MAX);
        cr_assert_leq(cup_line_at(&table, UINT32_MAX), (uint32_t)INT32_MAX);
        free(bytes);
    }
}
