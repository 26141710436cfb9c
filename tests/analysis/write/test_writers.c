#include <criterion/criterion.h>

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/base/error.h"
#include "analysis/base/units.h"
#include "analysis/base/utf8.h"
#include "analysis/write/cell_writer.h"
#include "analysis/write/column_writer.h"
#include "analysis/write/exposition.h"
#include "analysis/write/json_writer.h"
#include "analysis/write/table.h"
#include "analysis/write/terminal.h"

static struct cup_text text_of(const char *bytes, size_t length)
{
    return (struct cup_text){bytes, length};
}

/* ---- numbers ---------------------------------------------------------------------------- */

static void expect_number(struct cup_value value, const char *expected)
{
    char to[CUP_NUMBER_ROOM];
    to[cup_print_number(to, value)] = '\0';
    cr_assert_str_eq(to, expected);
}

Test(value, numbers_lose_nothing)
{
    expect_number(cup_count(UINT64_MAX), "18446744073709551615");
    expect_number(cup_signed(INT64_MIN), "-9223372036854775808");
    expect_number(cup_seconds(1700000000123456789), "1700000000.123456789");
    expect_number(cup_seconds(1500000000), "1.5");
    expect_number(cup_seconds(-1), "-0.000000001");
    expect_number(cup_seconds(0), "0.0");
    expect_number(cup_real(0.1), "0.1");
    expect_number(cup_real(1.0 / 3), "0.3333333333333333");
    expect_number(cup_bool(1), "true");
    expect_number(cup_time(1700000000123456789), "2023-11-14T22:13:20.123456Z");
}

Test(value, what_is_no_number_is_null)
{
    cr_assert_eq(cup_real(NAN).kind, CUP_VALUE_NULL);
    cr_assert_eq(cup_real(INFINITY).kind, CUP_VALUE_NULL);
    cr_assert_eq(cup_ratio(1, 0).kind, CUP_VALUE_NULL);
    cr_assert_eq(cup_ratio(0, 0).kind, CUP_VALUE_NULL);
    cr_assert_eq(cup_count_or_null(UINT64_MAX).kind, CUP_VALUE_NULL);
    cr_assert_eq(cup_text(text_of(NULL, 0)).kind, CUP_VALUE_NULL);
    expect_number(cup_null(), "");
}

static void expect_humane(struct cup_value value, enum cup_unit unit, const char *expected)
{
    char to[CUP_HUMAN_READABLE_ROOM];
    cr_assert_str_eq(cup_print_human_readable(to, value, unit), expected);
}

Test(units, powers_of_a_thousand)
{
    expect_humane(cup_count(999), CUP_UNIT_BYTES, "999 B");
    expect_humane(cup_count(1000), CUP_UNIT_BYTES, "1.00 kB");
    expect_humane(cup_count(115847168), CUP_UNIT_BYTES, "116 MB");
    expect_humane(cup_count(999999), CUP_UNIT_BYTES, "1.00 MB");
    expect_humane(cup_signed(-1450000), CUP_UNIT_BYTES, "-1.45 MB");
    expect_humane(cup_count(600000), CUP_UNIT_COUNT, "600,000");
    expect_humane(cup_count(12), CUP_UNIT_COUNT, "12");
    expect_humane(cup_real(7196), CUP_UNIT_MBS, "7.20 GB/s");
    expect_humane(cup_real(22999), CUP_UNIT_HZ, "23.0 kHz");
}

Test(units, times)
{
    expect_humane(cup_seconds(0), CUP_UNIT_SECONDS, "0 s");
    expect_humane(cup_seconds(1500), CUP_UNIT_SECONDS, "1.50 us");
    expect_humane(cup_seconds(12345678), CUP_UNIT_SECONDS, "12.3 ms");
    expect_humane(cup_seconds(5440000000), CUP_UNIT_SECONDS, "5.44 s");
    expect_humane(cup_seconds(125000000000), CUP_UNIT_SECONDS, "2 min 05 s");
    expect_humane(cup_seconds(5000000000000), CUP_UNIT_SECONDS, "1 h 23 min");
}

Test(units, shares_never_round_to_all_or_nothing)
{
    expect_humane(cup_real(1), CUP_UNIT_SHARE, "100.0 %");
    expect_humane(cup_real(0.99995), CUP_UNIT_SHARE, ">99.99 %");
    expect_humane(cup_real(0.9996), CUP_UNIT_SHARE, "99.9 %");
    expect_humane(cup_real(0.0002), CUP_UNIT_SHARE, "<0.1 %");
    expect_humane(cup_real(0), CUP_UNIT_SHARE, "0.0 %");
    expect_humane(cup_null(), CUP_UNIT_SHARE, "n/a");
}

/* ---- UTF-8 ------------------------------------------------------------------------------ */

Test(utf8, decodes_and_rejects)
{
    static const struct {
        const char *bytes;
        size_t length;
        uint32_t code;
    } cases[] = {
        {"a", 1, 'a'},
        {"\xc3\xa9", 2, 0xe9},
        {"\xe2\x82\xac", 3, 0x20ac},
        {"\xf0\x9f\x98\x80", 4, 0x1f600},
        {"\xff", 1, CUP_UTF8_BAD},
        {"\x80", 1, CUP_UTF8_BAD},
        {"\xc0\xaf", 1, CUP_UTF8_BAD},         /* overlong */
        {"\xe0\x80\x80", 1, CUP_UTF8_BAD},     /* overlong */
        {"\xed\xa0\x80", 1, CUP_UTF8_BAD},     /* surrogate */
        {"\xf4\x90\x80\x80", 1, CUP_UTF8_BAD}, /* beyond Unicode */
        {"\xe2\x82", 1, CUP_UTF8_BAD},         /* cut */
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        uint32_t code;
        const char *bytes = cases[i].bytes;
        size_t length = cup_utf8_next(bytes, bytes + strlen(bytes), &code);
        cr_assert_eq(length, cases[i].length, "case %zu", i);
        cr_assert_eq(code, cases[i].code, "case %zu", i);
    }
}

/* ---- JSON and CSV ----------------------------------------------------------------------- */

static const char nasty[] = "a\"b\\c\n\t\x01,\xff\xc3(\xe2\x82\xac\0z";

Test(json, is_valid_whatever_the_text)
{
    char *written = NULL;
    size_t bytes = 0;
    struct cup_json json;
    FILE *out = open_memstream(&written, &bytes);
    cup_json_start(&json, out);
    cup_json_object(&json, NULL);
    cup_json_value(&json, "text", cup_text(text_of(nasty, sizeof nasty - 1)));
    cup_json_value(&json, "none", cup_null());
    cup_json_array(&json, "empty");
    cup_json_end_array(&json);
    cup_json_array(&json, "rows");
    for (int i = 0; i < 2; i++) {
        cup_json_row(&json, NULL);
        cup_json_value(&json, "i", cup_count((uint64_t)i));
        cup_json_array(&json, "inner");
        cup_json_value(&json, NULL, cup_real(0.5));
        cup_json_end_array(&json);
        cup_json_end_object(&json);
    }
    cup_json_end_array(&json);
    cup_json_value(&json, "after", cup_bool(0));
    cup_json_end_object(&json);
    fclose(out);
    json_error_t error;
    json_t *root = json_loadb(written, bytes, JSON_ALLOW_NUL | JSON_REJECT_DUPLICATES, &error);
    cr_assert_not_null(root, "%s in %s", error.text, written);
    static const char expected[] = "a\"b\\c\n\t\x01,\xef\xbf\xbd\xef\xbf\xbd(\xe2\x82\xac\0z";
    json_t *text = json_object_get(root, "text");
    cr_assert_eq(json_string_length(text), sizeof expected - 1);
    cr_assert_eq(memcmp(json_string_value(text), expected, sizeof expected - 1), 0);
    cr_assert(json_is_null(json_object_get(root, "none")));
    cr_assert_eq(json_array_size(json_object_get(root, "rows")), 2);
    cr_assert(json_is_false(json_object_get(root, "after")));
    json_decref(root);
    free(written);
}

Test(csv, quotes_what_needs_it)
{
    char *written = NULL;
    size_t bytes = 0;
    FILE *out = open_memstream(&written, &bytes);
    struct cup_cells cells = {.out = out};
    cup_put_cell(&cells, cup_string("plain"));
    cup_put_cell(&cells, cup_string("a,b"));
    cup_put_cell(&cells, cup_string("say \"hi\""));
    cup_put_cell(&cells, cup_string("two\nlines"));
    cup_put_cell(&cells, cup_null());
    cup_put_cell(&cells, cup_string(""));
    cup_put_cell(&cells, cup_count(7));
    cup_put_cell(&cells, cup_text(text_of("x\xffy", 3)));
    cup_end_row(&cells);
    cup_put_cell(&cells, cup_string("('x', 0)"));
    cup_end_row(&cells);
    fclose(out);
    cr_assert_str_eq(written,
                     "plain,\"a,b\",\"say \"\"hi\"\"\",\"two\nlines\",,\"\",7,x\xef\xbf\xbdy"
                     "\r\n\"('x', 0)\"\r\n");
    free(written);
}

Test(csv, no_cell_begins_a_formula)
{
    char *written = NULL;
    size_t bytes = 0;
    FILE *out = open_memstream(&written, &bytes);
    struct cup_cells cells = {.out = out};
    static const char *const texts[] = {"=cmd|' /C calc'!A0",
                                        "+1-2",
                                        "@SUM(A1)",
                                        "-2+3",
                                        "@; a mark",
                                        "-",
                                        "a=b",
                                        "= 1+1",
                                        "+ 1",
                                        "- 1"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        cup_put_cell(&cells, cup_string(texts[i]));
    cup_put_cell(&cells, cup_real(-2.5));
    fclose(out);
    cr_assert_str_eq(written, "'=cmd|' /C calc'!A0,'+1-2,'@SUM(A1),'-2+3,@; a mark,-,a=b,"
                              "'= 1+1,'+ 1,- 1,-2.5");
    free(written);
}

/* ---- control characters ------------------------------------------------------------------ */

#define CONTROLS "\033]0;t\007 \x0c\x7f \xc2\x9b" /* the last one is a single character, U+009B */

static void expect_harmless(const char *written, const char *expected)
{
    cr_expect_str_eq(written, expected);
    for (const char *at = written; *at; at++)
        cr_expect((unsigned char)*at >= 0x20 && *at != 0x7f &&
                      ((unsigned char)at[0] != 0xc2 || (unsigned char)at[1] >= 0xa0),
                  "byte %ld of: %s", (long)(at - written), written);
}

/* A user may look at any of these files on a terminal. */
Test(files, have_no_control_characters)
{
    char *written;
    size_t bytes;
    FILE *out = open_memstream(&written, &bytes);
    struct cup_cells cells = {.out = out};
    cup_put_cell(&cells, cup_string(CONTROLS));
    fflush(out);
    expect_harmless(written, "\xef\xbf\xbd]0;t\xef\xbf\xbd \xef\xbf\xbd\xef\xbf\xbd \xef\xbf\xbd");
    rewind(out);
    struct cup_json json;
    cup_json_start(&json, out);
    cup_json_value(&json, NULL, cup_string(CONTROLS));
    fclose(out);
    expect_harmless(written, "\"\\u001b]0;t\\u0007 \\u000c\\u007f \\u009b\"");
    free(written);
}

Test(csv, only_a_line_end_has_a_carriage_return)
{
    char *written;
    size_t bytes;
    FILE *out = open_memstream(&written, &bytes);
    struct cup_cells cells = {.out = out};
    cup_put_cell(&cells, cup_string("true\rfalse\r\ntab\t\r"));
    fclose(out);
    cr_assert_str_eq(written, "\"true\xef\xbf\xbd"
                              "false\r\ntab\t\xef\xbf\xbd\"");
    free(written);
}

Test(exposition, has_no_control_characters)
{
    char *written;
    size_t bytes;
    struct cup_exposition exposition = {.out = open_memstream(&written, &bytes)};
    cup_exposition_family(&exposition, "cupping_x", CONTROLS);
    fclose(exposition.out);
    written[strcspn(written, "\n")] = '\0';
    expect_harmless(written,
                    "# HELP cupping_x \xef\xbf\xbd]0;t\xef\xbf\xbd \xef\xbf\xbd\xef\xbf\xbd "
                    "\xef\xbf\xbd");
    free(written);
}

Test(terminal, prints_no_control_characters)
{
    char *written;
    size_t bytes;
    struct cup_terminal terminal = {.out = open_memstream(&written, &bytes), .width = 80};
    cup_print(&terminal, CUP_BOLD, "%s", CONTROLS);
    fclose(terminal.out);
    expect_harmless(written, "?]0;t? ?? ?");
    free(written);
}

Test(errors, have_no_control_characters)
{
    char *written;
    size_t bytes;
    struct cup_error error;
    FILE *out = open_memstream(&written, &bytes);
    cup_error_set(&error, "a" CONTROLS, CUP_NO_OFFSET, "%s is missing", CONTROLS);
    cup_error_print(out, &error);
    fclose(out);
    written[strcspn(written, "\n")] = '\0';
    expect_harmless(written, "cupping: a?]0;t? ?? ?: ?]0;t? ?? ? is missing");
    free(written);
}

/* ---- texts that fit --------------------------------------------------------------------- */

static void expect_fit(const char *text, unsigned width, enum cup_fit fit, const char *expected)
{
    char *written = NULL;
    size_t bytes = 0;
    struct cup_terminal terminal = {.out = open_memstream(&written, &bytes), .width = 80};
    cup_print_fit(&terminal, text_of(text, strlen(text)), width, fit);
    fclose(terminal.out);
    cr_assert_str_eq(written, expected);
    free(written);
}

Test(terminal, fills_up_and_shortens_in_the_middle)
{
    expect_fit("abc", 5, CUP_FIT_LEFT, "abc  ");
    expect_fit("abc", 5, CUP_FIT_RIGHT, "  abc");
    expect_fit("abc", 5, CUP_FIT_NONE, "abc");
    expect_fit("abcdefghij", 5, CUP_FIT_LEFT, "ab…ij");
    expect_fit("abcdefghij", 10, CUP_FIT_LEFT, "abcdefghij");
    expect_fit("\xc3\xa9t\xc3\xa9\xc3\xa9t\xc3\xa9\xc3\xa9t\xc3\xa9", 5, CUP_FIT_RIGHT,
               "\xc3\xa9t…t\xc3\xa9");
}

Test(terminal, control_characters_are_made_harmless)
{
    expect_fit("a\033[31mb", 10, CUP_FIT_NONE, "a?[31mb");
    expect_fit("a\nb\xff", 10, CUP_FIT_NONE, "a?b?");
    expect_fit("\xc2\x9b", 10, CUP_FIT_NONE, "?"); /* a control sequence in one character */
}

Test(terminal, control_characters_in_sentences_are_made_harmless)
{
    char *written;
    size_t bytes;
    struct cup_terminal terminal = {.out = open_memstream(&written, &bytes), .width = 40};
    cup_print_wrapped(&terminal, CUP_PLAIN, 2, "known: a\033[2Jb, c\x9b\xc2\x9b\r\b\x7f, µs");
    fclose(terminal.out);
    cr_assert_str_eq(written, "  known: a?[2Jb, c?????, µs\n");
    free(written);
}

Test(terminal, numbers_keep_their_units)
{
    char *written;
    size_t bytes;
    struct cup_terminal terminal = {.out = open_memstream(&written, &bytes), .width = 40};
    cup_print_wrapped(&terminal, CUP_PLAIN, 0,
                      "(that is more than its threshold of 10 %): it took long, and longer 2.46 s, "
                      "17 tasks are no unit");
    fclose(terminal.out);
    cr_assert_str_eq(written, "(that is more than its threshold of\n"
                              "10 %): it took long, and longer 2.46 s,\n"
                              "17 tasks are no unit\n");
    free(written);
}

Test(terminal, width_comes_from_COLUMNS)
{
    struct cup_terminal terminal;
    setenv("COLUMNS", "123", 1);
    cup_terminal_open(&terminal, &(struct cup_output){.file = stdout});
    cr_assert_eq(terminal.width, 123);
    setenv("COLUMNS", "junk", 1);
    FILE *file = tmpfile();
    cup_terminal_open(&terminal, &(struct cup_output){.file = file});
    cr_assert_eq(terminal.width, 80);
    cr_assert_not(terminal.colour);
    cup_terminal_open(&terminal, &(struct cup_output){.file = file, .colour = CUP_COLOUR_ALWAYS});
    cr_assert(terminal.colour);
    fclose(file);
}

Test(terminal, what_cupping_writes_is_ascii_unless_the_locale_is_utf8)
{
    static const struct {
        const char *all, *type, *lang;
        bool ascii;
    } locales[] = {{"", "", "", true},
                   {"", "", "C", true},
                   {"", "", "de_DE.UTF-8", false},
                   {"C", "", "de_DE.UTF-8", true},
                   {"", "C.utf8", "C", false}};
    for (size_t i = 0; i < sizeof locales / sizeof *locales; i++) {
        struct cup_terminal terminal;
        setenv("LC_ALL", locales[i].all, 1);
        setenv("LC_CTYPE", locales[i].type, 1);
        setenv("LANG", locales[i].lang, 1);
        cup_terminal_open(&terminal, &(struct cup_output){.file = stdout});
        cr_expect_eq(terminal.ascii, locales[i].ascii, "%zu", i);
    }
}

/* ---- columns ---------------------------------------------------------------------------- */

/* The description that ends the file. */
static json_t *description_of(const char *file, size_t bytes)
{
    uint64_t length;
    memcpy(&length, file + bytes - 16, sizeof length);
    cr_assert(length < bytes - 24);
    json_t *root = json_loadb(file + bytes - 16 - length, length, 0, NULL);
    cr_assert(root);
    return root;
}

static json_int_t part_of(json_t *root, size_t column, size_t part, size_t field)
{
    json_t *parts =
        json_object_get(json_array_get(json_object_get(root, "columns"), column), "parts");
    return json_integer_value(json_array_get(json_array_get(parts, part), field));
}

enum { OFFSET = 1, WIDTH, BASE, NULLS };

/* Writes ROWS rows with values of each kind, cell by cell or column by column. */
static char *write_mixture(bool by_column, size_t rows, size_t *bytes)
{
    enum { COLUMNS = 4 };
    static struct cup_value values[COLUMNS][3 * CUP_COLUMNS_BLOCK];
    char *file = NULL;
    FILE *out = open_memstream(&file, bytes);
    struct cup_columns *columns = cup_columns_open(out);
    for (size_t i = 0; i < rows; i++) {
        values[0][i] = i % 5 ? cup_string(i % 3 ? "a" : "b") : cup_null();
        values[1][i] = i == 700 ? cup_string("none") : cup_count(i);
        values[2][i] = i % 2 ? cup_real((double)i / 4) : cup_signed(-(int64_t)i);
        values[3][i] = cup_seconds((int64_t)i - 9);
    }
    for (size_t column = 0; column < COLUMNS; column++)
        cup_columns_put(columns, cup_string("name"));
    cup_columns_end_row(columns);
    for (size_t i = 0; i < rows && !by_column; i++) {
        for (size_t column = 0; column < COLUMNS; column++)
            cup_columns_put(columns, values[column][i]);
        cup_columns_end_row(columns);
    }
    for (size_t i = 0; i < rows && by_column; i += CUP_COLUMNS_BLOCK) {
        size_t count = rows - i < CUP_COLUMNS_BLOCK ? rows - i : CUP_COLUMNS_BLOCK;
        for (size_t column = 0; column < COLUMNS; column++) {
            cup_columns_fill(columns, column, 0, &values[column][i], 1);
            cup_columns_fill(columns, column, 1, &values[column][i + 1], count - 1);
        }
        cup_columns_end_rows(columns, count);
    }
    cr_assert_eq(cup_columns_close(columns), 0);
    fclose(out);
    return file;
}

Test(columns, column_by_column_is_the_same_as_cell_by_cell)
{
    size_t bytes[2];
    char *files[] = {write_mixture(false, 2 * CUP_COLUMNS_BLOCK + 7, &bytes[0]),
                     write_mixture(true, 2 * CUP_COLUMNS_BLOCK + 7, &bytes[1])};
    cr_assert_eq(bytes[0], bytes[1]);
    cr_expect_eq(memcmp(files[0], files[1], bytes[0]), 0);
    json_t *root = description_of(files[0], bytes[0]);
    static const char *const kinds[] = {"text", "text", "real", "seconds"};
    for (size_t column = 0; column < 4; column++) {
        json_t *part = json_array_get(
            json_object_get(json_array_get(json_object_get(root, "columns"), column), "parts"), 0);
        cr_expect_str_eq(json_string_value(json_array_get(part, 0)), kinds[column]);
    }
    json_decref(root);
    free(files[0]);
    free(files[1]);
}

Test(columns, numbers_take_the_bytes_of_their_range)
{
    enum { ROWS = 16384 + 1 };
    char *file = NULL;
    size_t bytes = 0;
    FILE *out = open_memstream(&file, &bytes);
    struct cup_columns *columns = cup_columns_open(out);
    struct cup_cells cells = {.out = out, .columns = columns};
    cup_put_cell(&cells, cup_string("count"));
    cup_put_cell(&cells, cup_string("same"));
    cup_put_cell(&cells, cup_string("below"));
    cup_end_row(&cells);
    for (unsigned row = 0; row < ROWS; row++) {
        cup_put_cell(&cells, row == 1 ? cup_null() : cup_count(1000000 + row % 300));
        cup_put_cell(&cells, cup_string("text"));
        cup_put_cell(&cells, cup_signed(-(int64_t)row));
        cup_end_row(&cells);
    }
    cr_assert_eq(cup_columns_close(columns), 0);
    fclose(out);
    json_t *root = description_of(file, bytes);
    cr_expect_eq(json_integer_value(json_object_get(root, "rows")), ROWS);
    cr_expect_eq(part_of(root, 0, 0, WIDTH), 2);
    cr_expect_eq(part_of(root, 0, 0, BASE), 1000000);
    uint16_t more[3];
    memcpy(more, file + part_of(root, 0, 0, OFFSET), sizeof more);
    cr_expect(more[0] == 0 && more[2] == 2);
    cr_expect_eq(memcmp(file + part_of(root, 0, 0, NULLS), "\0\1\0", 3), 0);
    cr_expect_eq(part_of(root, 0, 1, NULLS), 0);
    cr_expect_eq(part_of(root, 1, 0, WIDTH), 0);
    cr_expect_eq(part_of(root, 2, 0, BASE), -16383);
    cr_expect_eq(part_of(root, 2, 1, BASE), -16384);
    json_decref(root);
    free(file);
}

/* ---- tables ------------------------------------------------------------------------------- */

/* The sign has two bytes and one column. */
Test(table, headings_stand_above_their_columns)
{
    const struct cup_column columns[] = {
        {"figure", CUP_FIT_LEFT, 0}, {"A \u00b1", CUP_FIT_RIGHT, 0}, {"B", CUP_FIT_RIGHT, 0}};
    struct cup_terminal terminal = {.width = 80};
    struct cup_table table;
    char *written = NULL;
    size_t bytes;
    terminal.out = open_memstream(&written, &bytes);
    cup_table_start(&table, columns, 3);
    cup_table_add_string(&table, "wall time");
    cup_table_add_string(&table, "12.5 s");
    cup_table_add_string(&table, "7 s");
    cup_table_finish(&table, &terminal);
    fclose(terminal.out);
    cr_expect_str_eq(written, "  figure        A \u00b1    B\n"
                              "  wall time  12.5 s  7 s\n");
    free(written);
}
