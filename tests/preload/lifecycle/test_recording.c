/* What a process can record, and the notes in its log. */
#include "preload/lifecycle/recording.h"

#include "preload/lifecycle/thread.h"
#include "tests/preload/log_records.h"

enum { FILES = CUP_FEATURE_FILES, HEAP = CUP_FEATURE_HEAP };

static void set_up(void)
{
    cr_assert_eq(cup_thread_init(), 0);
    cr_assert_not_null(mkdtemp(test_directory));
    cup_recording_want(test_directory, 64 << 20, 12, false);
}

static void tear_down(void)
{
    *cup_active_word = 0;
    test_log_close();
}

TestSuite(recording, .init = set_up, .fini = tear_down);

static int count_notes(void)
{
    uint64_t at = 0;
    int count = 0;
    while (test_next(&at, CUP_R_NOTE))
        count++;
    return count;
}

Test(recording, what_was_found_before_the_log_is_in_it)
{
    cup_recording_add_feature(FILES | HEAP);
    cup_recording_drop_feature(HEAP, "the heap", "for a reason");
    cup_recording_note("a setting", "for another");
    cup_recording_note("a setting", "for another");
    cr_assert(cup_recording_wanted() && !cup_active());
    cr_assert(cup_recording_open() && cup_active());
    cr_expect_eq(cup_log_header()->features, FILES);
    cr_expect_eq(cup_log_header()->hook_count, 12);
    cr_expect_eq(count_notes(), 2, "the same note is written once");
}

Test(recording, so_is_what_is_found_later)
{
    cr_assert(cup_recording_open());
    cup_recording_add_feature(FILES | HEAP);
    cup_recording_drop_feature(HEAP, "the heap", "for a reason");
    cr_expect_eq(cup_log_header()->features, FILES);
    cr_expect_eq(count_notes(), 1);
}

static void write_notes(char from, char to)
{
    char what[] = "note 0";
    for (what[5] = from; what[5] <= to; what[5]++)
        cup_recording_note(what, "why");
}

/* The notes of some before the log opens, and of others later. */
Test(recording, every_note_is_in_the_log)
{
    write_notes('0', '9');
    cr_assert(cup_recording_open());
    write_notes('a', 'u');
    cr_expect_eq(count_notes(), 10 + 21);
}

/* The last one says that there were more. */
Test(recording, no_more_notes_are_kept_than_there_is_room_for)
{
    uint64_t at = 0;
    uint32_t last = 0;
    cr_assert(cup_recording_open());
    write_notes('0', 'z');
    cr_expect_eq(count_notes(), 32);
    for (const struct cup_r_note *note; (note = (const void *)test_next(&at, CUP_R_NOTE));)
        last = note->text;
    cr_expect_eq(last, cup_log_cstring("there were more notes, which are not recorded"));
}

Test(recording, the_end_marks_the_log)
{
    cr_assert(cup_recording_open());
    cr_expect_eq(cup_log_header()->log_stop_ns, 0);
    cup_recording_end();
    cr_expect_gt(cup_log_header()->log_stop_ns, 0);
}
