/* Feeds arbitrary bytes to the log reader and to everything that is computed from a log:
 *
 *     clang -std=c17 -D_GNU_SOURCE -g -O1 -I. -fsanitize=fuzzer,address,undefined -o fuzz_log \
 *         tests/fuzz/fuzz_log.c ALL SOURCES OF analysis/ \
 *         -ljansson -ldw -lelf -liberty -lm -lpthread
 *     ./fuzz_log -max_len=30000 CORPUS
 *
 * A corpus is made by `generate_log DIR 10 1`. An input may be a whole log, or (where it does not
 * begin as one) records, which are then put behind a sound header: the fuzzer need not guess it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analysis/advice/advice.h"
#include "analysis/metrics/functions/call_tree.h"
#include "analysis/metrics/metrics.h"
#include "analysis/metrics/totals.h"
#include "analysis/profile/access_feed.h"
#include "analysis/profile/load/loader.h"
#include "analysis/profile/process_ancestry.h"
#include "analysis/report/report.h"
#include "tests/analysis/log_builder.c"

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size);

static void report(const struct cup_profile *profile)
{
    struct cup_totals totals;
    const struct cup_target target = {0};
    struct cup_output output = {.file = fopen("/dev/null", "w")};
    if (output.file && cup_totals_make(&totals, profile) == 0) {
        static const struct cup_call_ask all;
        struct cup_call_tree calls;
        if (cup_call_tree_make(&calls, profile, &all) == 0)
            totals.calls = &calls;
        cup_report_text(&totals, &target, &output, NULL, false);
        cup_report_text(&totals, &target, &output, "functions", false);
        cup_report_json(&totals, &target, &output, false);
        cup_call_tree_free(&calls);
        cup_totals_free(&totals);
    }
    if (output.file)
        fclose(output.file);
}

static void load(const char *path)
{
    struct cup_profile profile;
    struct cup_builder builder;
    const struct cup_load_options options = {.counters = true, .accesses = true};
    struct cup_access_feed feed;
    cup_builder_start(&builder, &profile);
    profile.path = strdup("fuzz");
    cup_load_log(&builder, path, &options);
    cup_builder_finish(&builder);
    if (cup_ancestries_settle(&profile, false) == 0)
        report(&profile);
    cup_access_feed_open(&feed, &profile, NULL);
    while (cup_access_feed_next(&feed))
        ;
    cup_access_feed_close(&feed);
    cup_profile_free(&profile);
}

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
    char path[64];
    struct log_builder log = {0};
    snprintf(path, sizeof path, "/dev/shm/fuzz-%ld.cup", (long)getpid());
    if (size >= 8 && memcmp(data, CUP_LOG_MAGIC, 8) == 0) {
        memcpy(add(&log, size), data, size);
    } else {
        builder_start(&log);
        builder_header(&log)->features |= CUP_FEATURE_STACKS | CUP_FEATURE_CPU;
        memcpy(add(&log, size), data, size);
        builder_finish(&log);
    }
    builder_save(&log, path, log.size);
    builder_free(&log);
    load(path);
    unlink(path);
    return 0;
}
