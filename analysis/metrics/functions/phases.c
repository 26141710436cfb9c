#include "analysis/metrics/functions/phases.h"

#include <string.h>

#include "include/log_format.h"

const char *const cup_phase_names[CUP_PHASE_COUNT] = {CUP_PHASES(CUP_NAME_OF)};

const char *const cup_phase_texts[CUP_PHASE_COUNT] = {CUP_PHASES(CUP_TEXT_OF)};

/* The functions that mark a phase, in coffea 0.7 to 2026.9 and uproot 4 and 5. A file that ends in
 * '/' means all files below it; the name "*" means all functions of the file. */
static const struct {
    const char *file, *name;
    enum cup_phase phase;
} rules[] = {
    {"coffea/nanoevents/factory.py", "from_root", CUP_PHASE_EVENTS},
    {"coffea/nanoevents/factory.py", "from_parquet", CUP_PHASE_EVENTS},
    {"coffea/nanoevents/factory.py", "from_preloaded", CUP_PHASE_EVENTS},
    {"coffea/nanoevents/factory.py", "events", CUP_PHASE_EVENTS},
    {"coffea/processor/executor.py", "metadata_fetcher", CUP_PHASE_OPEN},
    {"coffea/processor/executor.py", "metadata_fetcher_root", CUP_PHASE_OPEN},
    {"coffea/processor/executor.py", "metadata_fetcher_parquet", CUP_PHASE_OPEN},
    {"uproot/reading.py", "open", CUP_PHASE_OPEN},
    {"uproot/reading.py", "__getitem__", CUP_PHASE_OPEN},
    {"uproot/reading.py", "get", CUP_PHASE_OPEN},
    {"uproot/reading.py", "close", CUP_PHASE_OPEN},
    {"uproot/reading.py", "__exit__", CUP_PHASE_OPEN},
    {"coffea/processor/executor.py", "_compress", CUP_PHASE_SERIALISE},
    {"coffea/processor/checkpointer.py", "save", CUP_PHASE_SERIALISE},
    {"cloudpickle/", "dump", CUP_PHASE_SERIALISE},
    {"cloudpickle/", "dumps", CUP_PHASE_SERIALISE},
    {"distributed/protocol/", "dumps", CUP_PHASE_SERIALISE},
    {"distributed/protocol/", "serialize", CUP_PHASE_SERIALISE},
    {"coffea/nanoevents/mapping/base.py", "__getitem__", CUP_PHASE_COLUMNS},
    {"coffea/nanoevents/mapping/uproot.py", "extract_column", CUP_PHASE_COLUMNS},
    {"coffea/nanoevents/mapping/parquet.py", "extract_column", CUP_PHASE_COLUMNS},
    {"coffea/nanoevents/factory.py", "load_buffers", CUP_PHASE_COLUMNS},
    {"uproot/behaviors/TBranch.py", "array", CUP_PHASE_COLUMNS},
    {"uproot/behaviors/TBranch.py", "arrays", CUP_PHASE_COLUMNS},
    {"uproot/behaviors/TBranch.py", "iterate", CUP_PHASE_COLUMNS},
    {"uproot/behaviors/TBranch.py", "_ranges_or_baskets_to_arrays", CUP_PHASE_COLUMNS},
    {"uproot/behaviors/RNTuple.py", "array", CUP_PHASE_COLUMNS},
    {"uproot/behaviors/RNTuple.py", "arrays", CUP_PHASE_COLUMNS},
    {"uproot/behaviors/RNTuple.py", "iterate", CUP_PHASE_COLUMNS},
    {"<frozen importlib._bootstrap>", "*", CUP_PHASE_IMPORT},
    {"importlib/_bootstrap.py", "*", CUP_PHASE_IMPORT},
    {"uproot/compression.py", "decompress", CUP_PHASE_DECOMPRESS},
};

static bool is_text(struct cup_text text, const char *string)
{
    return text.length == strlen(string) && memcmp(text.bytes, string, text.length) == 0;
}

static bool is_file(struct cup_text file, const char *rule)
{
    size_t length = strlen(rule);
    return rule[length - 1] == '/' ? file.length > length && memcmp(file.bytes, rule, length) == 0
                                   : is_text(file, rule);
}

/* The name without its class: "process" of "Processor.process". */
static struct cup_text last_part(struct cup_text name)
{
    const char *dot = name.length ? memrchr(name.bytes, '.', name.length) : NULL;
    size_t skip = dot ? (size_t)(dot + 1 - name.bytes) : 0;
    return (struct cup_text){name.bytes + skip, name.length - skip};
}

enum cup_phase cup_phase_of(struct cup_text file, struct cup_text name, bool user)
{
    const struct cup_text last = last_part(name);
    if (user)
        return is_text(last, "process") ? CUP_PHASE_PROCESS : CUP_PHASE_OTHER;
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++)
        if (is_file(file, rules[i].file) && (*rules[i].name == '*' || is_text(last, rules[i].name)))
            return rules[i].phase;
    return CUP_PHASE_OTHER;
}

bool cup_calls_process(struct cup_text file, struct cup_text name)
{
    return is_text(file, "coffea/processor/executor.py") &&
           is_text(last_part(name), "_work_function");
}
