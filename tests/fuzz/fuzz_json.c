/* Arbitrary files of other programs and of users, most of them JSON. The first byte of an input
 * chooses what the file is and the verb that reads it. */
#include <stdlib.h>
#include <string.h>

#include "analysis/replay/replay_table.h"
#include "tests/analysis/log_builder.h"
#include "tests/fuzz/verbs.h"

const struct fuzz_inputs fuzz_inputs = {.first_byte_chooses = true, .are_json = true};

static const struct {
    const char *name, *verb; /* verb NULL: a table of reads, which is only read, not repeated */
} uses[] = {
    {"report.json", "compare @report.json @in"},
    {"report.json", "compare @report.json @report.json --json -"},
    {"report.json", "compare @in @in -- @report.json @report.json --csv -"},
    {"report.json", "plot @report.json @in --all --format svg -o @plots"},
    {"roast/metrics.json", "report @roast"},
    {"roast/metrics.json", "compare @roast @in --csv -"},
    {"roast/metadata.json", "report @roast --json"},
    {"coffea.json", "report @in --coffea-report @coffea.json"},
    {"coffea.json", "report @in --coffea-report @coffea.json --json"},
    {"samples.json", "report @in --samples @samples.json --json"},
    {"samples.json", "report @in --samples @samples.json --full"},
    {"in/collected.json", "report @in"},
    {"in/collected.json", "merge @in -o @merged.cup"},
    {"replay.csv", NULL},
};

static void write_sound_profile(void)
{
    struct log_builder log;
    builder_start(&log);
    builder_string(&log, 1, "read_file");
    builder_begin(&log, &(struct cup_r_task_begin){.task = 1, .prefix = 1}, "read_file-1");
    builder_finish(&log);
    fuzz_write("in/log.cup", log.bytes, log.size);
    builder_free(&log);
}

static void write_sound_measurement(void)
{
    static const char metadata[] = "{\"format\": \"roastcoffea_measurement_v1\"}";
    static const char metrics[] = "{\"total_events\": 1000, \"elapsed_time_seconds\": 2.5}";
    fuzz_write("roast/metadata.json", metadata, sizeof metadata - 1);
    fuzz_write("roast/metrics.json", metrics, sizeof metrics - 1);
    fuzz_write("roast/start_end_time.txt", "1.0,2.0", 7);
}

static void read_table(const char *name)
{
    struct cup_replay_table table;
    struct cup_error error;
    char *path = fuzz_path(name);
    if (cup_replay_table_read(&table, path, &error) == 0)
        cup_replay_table_free(&table);
    free(path);
}

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
    if (size < 1)
        return 0;
    unsigned use = data[0] % (sizeof uses / sizeof *uses);
    write_sound_profile();
    write_sound_measurement();
    fuzz_write(uses[use].name, data + 1, size - 1);
    if (uses[use].verb)
        fuzz_verb(uses[use].verb);
    else
        read_table(uses[use].name);
    fuzz_remove(uses[use].name);
    return 0;
}
