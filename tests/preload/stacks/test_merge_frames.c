/* Merging the Python and the native frames of one stack: their order, and which are left out. */
#include "preload/stacks/merge_frames.h"

#include <criterion/criterion.h>
#include <string.h>

static struct cup_merged merged;

/* Python frames are letters from a on, with | after the outermost one of each segment; native
 * frames are given by their kinds. */
static struct cup_merge_python python_of(const char *text)
{
    struct cup_merge_python python = {0};
    for (; *text; text++) {
        if (*text == '|')
            python.ends[python.count - 1] = true;
        else
            python.count++;
    }
    return python;
}

static uint32_t kinds_of(const char *text, enum cup_native_kind *kinds)
{
    uint32_t count = 0;
    for (; *text; text++)
        kinds[count++] = *text == 'E'   ? CUP_NATIVE_EVAL
                         : *text == 'I' ? CUP_NATIVE_INTERPRETER
                         : *text == 'S' ? CUP_NATIVE_OWN
                                        : CUP_NATIVE_OTHER;
    return count;
}

/* The result as a text, innermost first: letters of Python frames, indexes of native ones. */
static const char *merge(const char *python_text, const char *native_text)
{
    static char text[CUP_MERGE_MOST + 1];
    enum cup_native_kind kinds[CUP_NATIVE_MOST];
    struct cup_merge_python python = python_of(python_text);
    cup_merge(&python, kinds, kinds_of(native_text, kinds), false, &merged);
    for (uint32_t i = 0; i < merged.count; i++)
        text[i] = (char)((merged.frames[i].kind ? '0' : 'a') + merged.frames[i].index);
    text[merged.count] = '\0';
    return text;
}

static void expect(const char *python, const char *native, const char *expected)
{
    const char *text = merge(python, native);
    cr_expect_str_eq(text, expected, "%s with %s: %s, not %s", python, native, text, expected);
    cr_expect_not(merged.apart, "%s with %s", python, native);
    cr_expect_not(merged.cut);
}

Test(merge, native_frames_stand_on_the_function_that_called_them)
{
    expect("ab|", "OIE", "01ab");
    expect("a|", "E", "a");
    expect("abc|", "OOIEII", "012abc");
}

Test(merge, between_functions_the_interpreters_own_are_left_out)
{
    expect("a|bc|d|", "OIEIOOIEIIEII", "01a45bcd");
    expect("a|b|", "IEIIIE", "0ab");
    expect("a|b|", "EOE", "a1b");
}

Test(merge, the_librarys_own_are_left_out_everywhere)
{
    expect("a|b|", "SOESOSES", "1a4b");
}

Test(merge, without_python_functions_all_are_told)
{
    expect("", "OSIO", "023");
    expect("", "", "");
}

Test(merge, without_native_frames_python_functions_are_as_they_were)
{
    expect("a|bc|", "", "abc");
}

/* ---- stacks that do not match
 * -------------------------------------------------------------------- */

static void expect_apart(const char *python, const char *native, const char *expected)
{
    const char *text = merge(python, native);
    cr_expect_str_eq(text, expected, "%s with %s: %s, not %s", python, native, text, expected);
    cr_expect(merged.apart, "%s with %s", python, native);
}

Test(merge, stacks_that_do_not_match_are_put_one_above_the_other)
{
    expect_apart("a|b|", "OIEIOIO", "01ab");
    expect_apart("a|", "OEOEO", "0a");
    expect_apart("ab|", "OIO", "012ab");
    expect_apart("", "OEO", "0");
}

/* ---- stacks that are cut
 * ---------------------------------------------------------------------------- */

static void merge_cut(const char *python_text, bool python_cut, const char *native_text,
                      bool native_cut)
{
    enum cup_native_kind kinds[CUP_NATIVE_MOST];
    struct cup_merge_python python = python_of(python_text);
    python.cut = python_cut;
    cup_merge(&python, kinds, kinds_of(native_text, kinds), native_cut, &merged);
}

Test(merge, of_a_stack_that_is_cut_the_inner_part_matches)
{
    merge_cut("a|b", true, "OEOEOEOE", false);
    cr_expect_not(merged.apart);
    cr_expect(merged.cut);
    cr_assert_eq(merged.count, 4);
    cr_expect(merged.frames[2].kind == CUP_MERGED_NATIVE && merged.frames[2].index == 2);
    merge_cut("a|b|c|", false, "OEO", true);
    cr_expect_not(merged.apart);
    cr_expect_not(merged.cut, "all Python functions are told");
    cr_assert_eq(merged.count, 5);
    cr_expect(merged.frames[2].kind == CUP_MERGED_NATIVE && merged.frames[2].index == 2);
    cr_expect_eq(merged.frames[4].kind, CUP_MERGED_PYTHON);
    merge_cut("", false, "OOO", true);
    cr_expect(merged.cut);
}

/* Native frames of all kinds between Python functions, and more of them than are kept. */
Test(merge, native_frames_that_are_too_many_leave_a_gap)
{
    enum cup_native_kind kinds[CUP_NATIVE_MOST];
    struct cup_merge_python python = {.count = CUP_MERGE_PYTHON_MOST, .cut = true};
    for (uint32_t i = 0; i < CUP_NATIVE_MOST; i++)
        kinds[i] = i < 60 || i % 2 ? CUP_NATIVE_OTHER : CUP_NATIVE_EVAL;
    memset(python.ends, true, sizeof python.ends);
    cup_merge(&python, kinds, CUP_NATIVE_MOST, true, &merged);
    uint32_t of[3] = {0}, next = 0;
    for (uint32_t i = 0; i < merged.count; i++) {
        of[merged.frames[i].kind]++;
        if (merged.frames[i].kind == CUP_MERGED_PYTHON)
            cr_expect_eq(merged.frames[i].index, next++);
    }
    cr_expect_leq(merged.count, CUP_MERGE_MOST);
    cr_expect_eq(of[CUP_MERGED_PYTHON], CUP_MERGE_PYTHON_MOST);
    cr_expect_eq(of[CUP_MERGED_NATIVE], CUP_MERGE_NATIVE_MOST);
    cr_expect_eq(of[CUP_MERGED_GAP], 1);
    cr_expect(merged.cut);
}
