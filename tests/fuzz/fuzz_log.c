/* Arbitrary logs, for every verb. The first byte of an input chooses the verb. What follows may be
 * a whole log; if it does not begin as one, it is records, which come behind a sound header: the
 * fuzzer need not guess it. Behind the word "totals" it is the sums of a log that is full, up to
 * the last entry that is not empty. */
#include <stdlib.h>
#include <string.h>

#include "tests/analysis/log_builder.h"
#include "tests/fuzz/verbs.h"

const struct fuzz_inputs fuzz_inputs = {.first_byte_chooses = true};

static const char *const verbs[] = {
    "report @in --full",
    "report @in --json",
    "report @in --run all --html @report.html",
    "report @in --only functions",
    "report @in --advice",
    "tasks @in",
    "tasks @in --csv -",
    "top @in --once",
    "dump @in/log.cup",
    "compare @in",
    "compare @in @in --json -",
    "compare @in @in --csv -",
    "compare @in @in --only functions",
    "export @in --to roastcoffea -o @roastcoffea",
    "export @in --to prometheus -o @cupping.prom",
    "export @in --to csv -o @csv",
    "export @in --to columns -o @columns",
    "export @in --to perfetto -o @perfetto.json",
    "export @in --to speedscope -o @speedscope.json",
    "export @in --to collapsed -o @collapsed",
    "export @in --to replay -o @replay.csv",
    "plot @in --all --format svg -o @plots",
    "plot @in --html @page.html",
    "merge @in -o @merged.cup",
    "merge @in -o @merged.cup --anonymize",
    "merge @in -o @merged.cup --per-prefix --tasks 1",
};

/* Allocated room at the end of the log. */
static void append_bytes(struct log_builder *log, const void *bytes, size_t size)
{
    unsigned char *grown = realloc(log->bytes, log->size + size + 1);
    if (!grown)
        abort();
    memcpy(grown + log->size, bytes, size);
    log->bytes = grown;
    log->size += size;
    log->room = log->size + 1;
}

/* One block is still open, and counts for the first entry of a prefix. */
static void append_totals(struct log_builder *log, const unsigned char *data, size_t size)
{
    struct cup_task_totals totals = {.pad = 0};
    const struct cup_r_room room = {.head = {0}};
    memcpy(&totals, data, size < sizeof totals ? size : sizeof totals);
    builder_string(log, 1, "work");
    *builder_block(log, 0) = (struct cup_block){
        .used = 1, .task = 7, .tid = 7, .sequence = 1, .own = 1, .total = CUP_TOTAL_OTHERS + 2};
    builder_block(log, 0)->counters[CUP_C_READ_OWN_BYTES] = 1000;
    builder_record(log, CUP_R_ROOM, &room, sizeof room, &totals, sizeof totals);
    struct cup_log_header *header = builder_header(log);
    header->regions[header->region_count++] =
        (struct cup_region){CUP_REGION_TOTALS, 1, log->size - sizeof totals, sizeof totals};
}

static const char totals_word[8] = "totals";

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
    struct log_builder log = {0};
    if (size < 1)
        return 0;
    unsigned verb = data[0] % (sizeof verbs / sizeof *verbs);
    data++, size--;
    if (size >= 8 && memcmp(data, CUP_LOG_MAGIC, 8) == 0) {
        fuzz_write("in/log.cup", data, size);
    } else {
        builder_start(&log);
        builder_header(&log)->features |= CUP_FEATURE_STACKS | CUP_FEATURE_CPU;
        if (size >= sizeof totals_word && memcmp(data, totals_word, sizeof totals_word) == 0)
            append_totals(&log, data + sizeof totals_word, size - sizeof totals_word);
        else
            append_bytes(&log, data, size);
        builder_finish(&log);
        fuzz_write("in/log.cup", log.bytes, log.size);
        builder_free(&log);
    }
    fuzz_verb(verbs[verb]);
    fuzz_remove("in/log.cup");
    return 0;
}
