/* Records that are handed out while logs are loaded. */
#include <criterion/criterion.h>

#include <stdio.h>
#include <string.h>

#include "tests/analysis/fixture.h"

enum { LOGS = 3, STRING_BYTES = 500000, MANY = 40, FEW = 3 };

TestSuite(record_taker, .init = start_fixture, .fini = end_fixture);

/* What a taker got of each log. */
struct taken {
    struct cup_profile *profile;
    size_t logs, strings[LOGS], others[LOGS];
    uint32_t pids[LOGS];
    int rewound[LOGS];
};

static void take(void *context, uint32_t process, struct cup_kept_records *records)
{
    struct taken *taken = context;
    const struct cup_process *of = &taken->profile->processes[process];
    const struct cup_record *record;
    size_t log = taken->logs++;
    cr_assert_lt(log, LOGS);
    taken->pids[log] = of->header.pid;
    taken->rewound[log] = cup_kept_rewind(records, of->log_path);
    while ((record = cup_kept_next(records)) != NULL)
        *(record->type == CUP_R_STRING ? &taken->strings[log] : &taken->others[log]) += 1;
}

/* A log with STRINGS strings of STRING_BYTES bytes, and a record that is not asked for. */
static void save_strings(uint32_t pid, uint32_t strings, const char *name)
{
    static char text[STRING_BYTES];
    struct cup_r_run run = {.run = 1};
    struct log_builder log;
    builder_start(&log);
    builder_header(&log)->pid = pid;
    BUILDER_ADD(&log, CUP_R_RUN, run);
    memset(text, 'x', sizeof text - 1);
    for (uint32_t i = 1; i <= strings; i++)
        builder_string(&log, i, text);
    builder_finish(&log);
    save_log(&log, scratch, name);
    builder_free(&log);
}

static struct taken load_logs(void)
{
    struct taken taken = {.profile = &profile};
    const struct cup_record_taker taker = {UINT64_C(1) << CUP_R_STRING, take, &taken};
    load_fixture_profile(&(struct cup_load_options){.taker = &taker});
    return taken;
}

Test(record_taker, gets_the_records_of_each_log_in_the_order_of_the_profile)
{
    save_strings(13, FEW, "c.cup");
    save_strings(11, FEW + 1, "a.cup");
    save_strings(12, 0, "b.cup");
    struct taken taken = load_logs();
    cr_expect_eq(taken.logs, 3);
    for (uint32_t i = 0; i < LOGS; i++)
        cr_expect(taken.pids[i] == 11 + i && taken.others[i] == 0 && taken.rewound[i] == 0);
    cr_expect_eq(taken.strings[0], FEW + 1);
    cr_expect_eq(taken.strings[1], 0);
    cr_expect_eq(taken.strings[2], FEW);
}

/* 20 MB of records are not kept in memory. */
Test(record_taker, reads_a_log_again_that_has_too_many)
{
    save_strings(11, MANY, "a.cup");
    save_strings(12, FEW, "b.cup");
    struct taken taken = load_logs();
    cr_expect_eq(taken.logs, 2);
    cr_expect(taken.strings[0] == MANY && taken.strings[1] == FEW, "%zu, %zu", taken.strings[0],
              taken.strings[1]);
}

Test(record_taker, is_not_called_for_a_log_that_cannot_be_read)
{
    save_strings(11, FEW, "a.cup");
    char path[SUPPORT_PATH + 8];
    snprintf(path, sizeof path, "%s/b.cup", scratch);
    FILE *file = fopen(path, "w");
    cr_assert(file && fputs("no log", file) >= 0 && fclose(file) == 0);
    save_strings(13, FEW, "c.cup");
    struct taken taken = load_logs();
    cr_expect_eq(taken.logs, 2);
    cr_expect(taken.pids[0] == 11 && taken.pids[1] == 13);
    cr_expect_eq(profile.logs_unreadable, 1);
}
