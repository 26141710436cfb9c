/* Advice on branches and baskets: what was read, how often, how it is compressed. */
#include <stdlib.h>

#include "analysis/advice/advice_rules.h"
#include "analysis/metrics/functions/user_lines.h"
#include "analysis/metrics/reads/clusters.h"

static double share_of(uint64_t part, uint64_t all)
{
    return all ? (double)part / (double)all : NAN;
}

/* "Events/Muon_pt"; of a long name only the end. */
static const char *branch_name(const struct cup_totals *t, const struct cup_branch_row *row,
                               char to[100])
{
    struct cup_text tree = cup_profile_text(t->profile, row->tree);
    struct cup_text name = cup_profile_text(t->profile, row->name);
    size_t cut = name.length > 60 ? name.length - 60 : 0;
    snprintf(to, 100, "%.*s%s%s%.*s", (int)(tree.length < 30 ? tree.length : 30),
             tree.bytes ? tree.bytes : "", tree.bytes ? "/" : "", cut ? "..." : "",
             (int)(name.length - cut), name.bytes ? name.bytes + cut : "");
    return to;
}

/* The compression ratio without the keys, which are never compressed; NAN: not known. */
static double payload_ratio(const struct cup_basket_sums *sums)
{
    double keys = (double)sums->key_bytes;
    double packed = (double)(sums->compressed - sums->unseen_compressed) - keys;
    return packed > 0 && sums->uncompressed ? ((double)sums->uncompressed - keys) / packed : NAN;
}

/* ---- clusters --------------------------------------------------------------------------- */

/* Bytes that another task had already read. Tasks whose result was not used do not count. */
static uint64_t shared_bytes(const struct cup_rereads *again)
{
    uint64_t others = again->same_task_bytes + again->wasted_bytes;
    return again->bytes > others ? again->bytes - others : 0;
}

static double shared_share(const struct cup_totals *t)
{
    return t->branches->rereads_known
               ? share_of(shared_bytes(&t->branches->total.rereads), t->branches->all.compressed)
               : NAN;
}

static bool baskets_shared(const struct cup_totals *t)
{
    return shared_share(t) > 0.1;
}

/* Adds how large chunks and clusters are, and which chunks would end at cluster boundaries. */
static bool advise_clusters(const struct cup_totals *t, struct cup_advice *advice)
{
    const struct cup_cluster cluster = cup_cluster_find(t);
    double events = cup_mean_chunk_events(t), times = fmax(round(events / cluster.events), 1);
    if (!(events > 0))
        return cup_advise_more(
            advice, "\nTasks that begin and end at cluster boundaries read each basket once.");
    if (!(cluster.events >= 1))
        return cup_advise_more(
            advice, "Clusters differ from file to file, or are not known: \nuse Coffea's "
                    "Runner(align_clusters=True), which ends chunks at cluster boundaries.");
    return cup_advise_more(
        advice,
        "Chunks have %s events, clusters %s (%s). \nUse chunks of %s, or Coffea's "
        "Runner(align_clusters=True): then chunks end at cluster boundaries.",
        CUP_SHOW_COUNT(round(events)), CUP_SHOW_COUNT(round(cluster.events)),
        cluster.from_trees ? "fAutoFlush of the trees" : "estimated from the baskets",
        CUP_SHOW_COUNT(round(times * cluster.events)));
}

/* Adds ", 50 % of that in TTbar": the dataset with the most of these bytes, if there are several.
 * DATASETS: by file, as cup_datasets_of_files() returns them. */
static void advise_dataset(const struct cup_totals *t, struct cup_advice *advice,
                           const uint32_t *datasets)
{
    uint64_t *bytes = calloc(t->dataset_count + 1, sizeof *bytes), all = 0;
    size_t most = 0;
    for (size_t i = 0; datasets && bytes && i < t->profile->root_file_count; i++) {
        uint64_t shared = shared_bytes(&t->branches->files[i].rereads);
        bytes[datasets[i]] += shared;
        all += shared;
        if (datasets[i] && (most == 0 || bytes[datasets[i]] > bytes[most]))
            most = datasets[i];
    }
    if (most && t->dataset_count > 1) {
        struct cup_text name = cup_profile_text(t->profile, t->datasets[most - 1].name);
        cup_advise_more(advice, ", %.0f %% of that in %s", 100 * share_of(bytes[most], all),
                        CUP_SHOW_TEXT(name, 60));
    }
    free(bytes);
}

/* Adds " (processor.py:8)": the line that requested more than half of the branch's bytes. */
static void advise_line_of_branch(const struct cup_totals *t, struct cup_advice *advice,
                                  const struct cup_branch_row *row)
{
    const struct cup_line_branch *most = NULL;
    uint64_t all = 0;
    if (!t->calls || t->calls->filtered || row->branch == 0)
        return;
    for (size_t i = 0; i < t->calls->branch_count; i++) {
        const struct cup_line_branch *line = &t->calls->branches[i];
        if (line->branch != row->branch - 1)
            continue;
        all += line->compressed_bytes;
        if (!most || line->compressed_bytes > most->compressed_bytes)
            most = line;
    }
    if (most && most->compressed_bytes > all / 2)
        cup_advise_more(advice, " (%.60s)",
                        cup_frame_place(t->calls, most->frame, (char[CUP_LINE_ROOM]){""}));
}

/* Adds the branch that has more than half of the shared bytes, if there is one. */
static void advise_branch(const struct cup_totals *t, struct cup_advice *advice, uint64_t all)
{
    const struct cup_branch_row *most = NULL;
    char name[100];
    for (size_t i = 0; i < t->branches->count; i++) {
        const struct cup_branch_row *row = &t->branches->rows[i];
        if (row->name && row->rereads_known && 2 * shared_bytes(&row->rereads) > all)
            most = row;
    }
    if (!most)
        return;
    cup_advise_more(advice, "; by branch, most is %s with %s", branch_name(t, most, name),
                    CUP_SHOW_BYTES(shared_bytes(&most->rereads)));
    advise_line_of_branch(t, advice, most);
}

/* Adds the file that has more than half of the shared bytes. Returns its index in
 * profile->root_files; root_file_count: none has. */
static size_t advise_file(const struct cup_totals *t, struct cup_advice *advice, uint64_t all)
{
    size_t count = t->profile->root_file_count;
    for (size_t i = 0; i < count; i++) {
        const struct cup_branches_file *file = &t->branches->files[i];
        struct cup_text path = cup_profile_text(t->profile, t->profile->root_files[i].path);
        size_t cut = path.length > 60 ? path.length - 60 : 0;
        if (2 * shared_bytes(&file->rereads) <= all)
            continue;
        cup_advise_more(
            advice, "; by file, most is %s%.*s with %s, which %s read", cut ? "..." : "",
            (int)(path.length - cut), path.bytes ? path.bytes + cut : "",
            CUP_SHOW_BYTES(shared_bytes(&file->rereads)), CUP_SHOW_COUNTED(file->tasks, "task"));
        return i;
    }
    return count;
}

/* True if each dataset has as many readers of its files as attempts at chunks. A chunk that reads
 * its file under another name, such as that of a copy in a cache of fsspec, is no such reader. */
static bool chunks_read_named_files(const struct cup_totals *t, const uint32_t *datasets)
{
    for (uint32_t i = 0; i < t->dataset_count; i++) {
        const struct cup_dataset *set = &t->datasets[i];
        uint64_t chunks = set->chunks + set->failed + set->repeated + set->unfinished +
                          set->running + set->skipped;
        uint64_t readers = 0;
        for (size_t file = 0; file < t->profile->root_file_count; file++)
            readers += datasets[file] == i + 1 ? t->branches->files[file].tasks : 0;
        if (readers < chunks)
            return false;
    }
    return t->dataset_count > 0;
}

/* A chunk is one or more whole clusters. */
static bool chunks_are_clusters(const struct cup_totals *t)
{
    double times = cup_mean_chunk_events(t) / cup_cluster_find(t).events;
    return times > 0.5 && fabs(times - round(times)) < 0.005 * times;
}

/* ALL shared bytes are not, or not mostly, shared because chunks end inside clusters. */
static bool advise_reading_once(const struct cup_totals *t, struct cup_advice *advice,
                                const uint32_t *datasets, uint64_t all)
{
    advise_branch(t, advice, all);
    size_t file = advise_file(t, advice, all);
    if (datasets && file < t->profile->root_file_count && datasets[file] == 0 &&
        chunks_read_named_files(t, datasets)) {
        struct cup_text path = cup_profile_text(t->profile, t->profile->root_files[file].path);
        const char *slash = path.length ? memrchr(path.bytes, '/', path.length) : NULL;
        size_t directory = slash ? (size_t)(slash + 1 - path.bytes) : 0;
        return cup_advise_more(advice,
                               ". No chunk is of that file: the code that tasks run opens it. "
                               "\nRead %.*s once in each worker, and keep what is needed of it.",
                               (int)(path.length - directory < 60 ? path.length - directory : 60),
                               path.bytes ? path.bytes + directory : "");
    }
    return cup_advise_more(advice,
                           ". %s: \nlook for files that are processed more than once, by several "
                           "calls of the Runner or in several datasets, or that the processor "
                           "opens itself, and read them once.",
                           chunks_are_clusters(t) ? "Chunks end where clusters end"
                                                  : "Most of that is not at the edges of chunks");
}

bool cup_rule_shared_baskets(const struct cup_totals *t, struct cup_advice *advice)
{
    const struct cup_rereads *again = &t->branches->total.rereads;
    uint64_t bytes = shared_bytes(again);
    if (!baskets_shared(t))
        return false;
    uint32_t *datasets = cup_datasets_of_files(t);
    cup_advise(advice, cup_saves_bytes_and_time(t, advice, 0.2 * shared_share(t), (double)bytes),
               "Several tasks read the same baskets: %s of %s compressed bytes, %.0f %% (threshold "
               "10 %%), had already been read and decompressed by another task%s",
               CUP_SHOW_BYTES(bytes), CUP_SHOW_BYTES(t->branches->all.compressed),
               100 * shared_share(t),
               100 * again->estimated_bytes > bytes ? " (in part estimated)" : "");
    advise_dataset(t, advice, datasets);
    if (2 * again->border_bytes > bytes && !chunks_are_clusters(t)) {
        cup_advise_more(advice, ". ");
        advise_clusters(t, advice);
    } else {
        advise_reading_once(t, advice, datasets, bytes);
    }
    free(datasets);
    return true;
}

/* Two chunks that meet inside a cluster both read all of it. */
bool cup_rule_chunks_cut_clusters(const struct cup_totals *t, struct cup_advice *advice)
{
    if (t->branches->rereads_known || t->branches->all.baskets == 0)
        return false;
    double times = cup_mean_chunk_events(t) / cup_cluster_find(t).events;
    return times < 10 && fabs(times - round(times)) > 0.05 * times &&
           cup_advise(advice, 0.05,
                      "Chunks are %.2g clusters long (threshold: less than 10, and more than 5 %% "
                      "off a whole number). A chunk that begins or ends inside a cluster reads all "
                      "of it; how many bytes were read more than once is not known here. ",
                      times) &&
           advise_clusters(t, advice);
}

/* Entries in the baskets that chunks read, for each event of these chunks. It is averaged over
 * branches, by their bytes. Only branches that all chunks and no other tasks read count, because
 * the chunks of one dataset may be larger than those of another. */
static double entries_per_event(const struct cup_totals *t)
{
    double had = 0, needed = 0, events = cup_mean_chunk_events(t);
    for (size_t i = 0; i < t->branches->count; i++) {
        const struct cup_branch_row *row = &t->branches->rows[i];
        double entries = (double)row->sums.entries;
        double given = events * (double)row->chunks;
        if (row->chunks < t->used_chunks || row->chunks != row->tasks || !(entries >= given))
            continue;
        had += (double)row->sums.uncompressed;
        needed += (double)row->sums.uncompressed * given / entries;
    }
    return had / needed;
}

bool cup_rule_over_read(const struct cup_totals *t, struct cup_advice *advice)
{
    double times = entries_per_event(t);
    return times > 1.5 && !baskets_shared(t) &&
           cup_advise(
               advice,
               cup_saves_bytes_and_time(t, advice, 0.1 * (1 - 1 / times),
                                        (1 - 1 / times) * (double)t->branches->all.compressed),
               "Baskets hold more than chunks need: %.1f entries for each event of a chunk "
               "(threshold 1.5, averaged by bytes); the others are decompressed and not used. ",
               times) &&
           advise_clusters(t, advice);
}

bool cup_rule_read_twice(const struct cup_totals *t, struct cup_advice *advice)
{
    const struct cup_basket_sums *all = &t->branches->all;
    double twice = share_of(all->again_bytes, all->compressed);
    return twice > 0.05 &&
           cup_advise(
               advice, cup_saves_bytes_and_time(t, advice, 0.3 * twice, (double)all->again_bytes),
               "Tasks read baskets that they had already read: %llu of %llu, %s of "
               "compressed bytes, %.0f %% (threshold 5 %%). \nKeep the array of a branch that "
               "is needed again, or leave uproot's array_cache on and large enough.",
               (big)all->again, (big)all->baskets, CUP_SHOW_BYTES(all->again_bytes), twice * 100);
}

/* ---- bytes ------------------------------------------------------------------------------ */

bool cup_rule_heavy_branch(const struct cup_totals *t, struct cup_advice *advice)
{
    const struct cup_branch_row *row = t->branches->rows;
    char name[100], ratio[40] = "";
    if (t->branches->count < 3 || row->name == 0 ||
        !(share_of(row->sums.compressed, t->branches->all.compressed) > 0.5))
        return false;
    if (payload_ratio(&row->sums) > 0)
        snprintf(ratio, sizeof ratio, ", compressed %.2f times", payload_ratio(&row->sums));
    return cup_advise(advice, cup_saves_bytes(advice, 0.04, (double)row->sums.compressed),
                      "One branch of %zu that were read has %.0f %% of their compressed bytes "
                      "(threshold 50 %%): %s, %s of %s%s. \nRead it only for the events that need "
                      "it, or write it with a lower precision.",
                      t->branches->count,
                      100 * share_of(row->sums.compressed, t->branches->all.compressed),
                      branch_name(t, row, name), CUP_SHOW_BYTES(row->sums.compressed),
                      CUP_SHOW_BYTES(t->branches->all.compressed), ratio);
}

/* Compressed bytes of the files that use LZMA only. In files with several algorithms, the part of
 * LZMA is not known. Baskets that do not shrink are stored uncompressed in any file, so "no
 * compression" does not count as an algorithm. */
static uint64_t lzma_bytes(const struct cup_profile *profile)
{
    uint64_t bytes = 0;
    for (size_t i = 0; i < profile->root_file_count; i++) {
        const struct cup_basket_sums *sums = &profile->root_files[i].sums;
        if ((sums->algorithms & ~(unsigned)CUP_ALGORITHM_NONE) == CUP_ALGORITHM_LZMA)
            bytes += sums->compressed - sums->unseen_compressed;
    }
    return bytes;
}

/* Compressed bytes that LZMA decompresses in a CPU second, at any ratio: see docs/advice.md. */
static const double lzma_rate = 20e6;

bool cup_rule_lzma(const struct cup_totals *t, struct cup_advice *advice)
{
    double bytes = (double)lzma_bytes(t->profile);
    double cpu_s = (double)(t->all.cpu_ns + t->counters[CUP_C_HELPER_CPU_NS]) / 1e9;
    double lzma_s = fmin(bytes / lzma_rate, cpu_s);
    return bytes > 0 && lzma_s / cpu_s > 0.25 &&
           cup_advise(
               advice, cup_saves(t, advice, lzma_s * 0.9),
               "LZMA: decompressing %s of baskets takes about %s, estimated at 20 MB of compressed "
               "bytes per CPU second: %.0f %% of the tasks' CPU time of %s (threshold 25 %%). "
               "\nWrite the data with ZSTD 5 (ROOT 505, uproot.ZSTD(5)): that takes a tenth of the "
               "time or less, and the files are up to 1.5 times as large.",
               CUP_SHOW_BYTES(bytes), CUP_SHOW_S(lzma_s), lzma_s / cpu_s * 100, CUP_SHOW_S(cpu_s));
}

bool cup_rule_incidental_baskets(const struct cup_totals *t, struct cup_advice *advice)
{
    const struct cup_basket_sums *all = &t->branches->all;
    double passed = share_of(all->incidental_bytes, all->incidental_bytes + all->compressed);
    return all->compressed > 0 && passed > 0.25 &&
           cup_advise(
               advice,
               cup_saves_bytes_and_time(t, advice, 0.1 * passed, (double)all->incidental_bytes),
               "Read-ahead and merged requests fetched baskets that were not requested: %s, "
               "against %s that were requested, %.0f %% of both (threshold 25 %%). \nUse "
               "files with fewer branches, or larger baskets.",
               CUP_SHOW_BYTES(all->incidental_bytes), CUP_SHOW_BYTES(all->compressed),
               passed * 100);
}

/* ---- how they are stored ---------------------------------------------------------------- */

static bool is_poor(const struct cup_branch_row *row)
{
    return row->name && (row->sums.algorithms & ~(unsigned)CUP_ALGORITHM_NONE) &&
           payload_ratio(&row->sums) < 1.1;
}

bool cup_rule_poor_compression(const struct cup_totals *t, struct cup_advice *advice)
{
    const struct cup_branch_row *largest = NULL;
    uint64_t bytes = 0, branches = 0;
    char name[100];
    for (size_t i = 0; i < t->branches->count; i++) {
        const struct cup_branch_row *row = &t->branches->rows[i];
        if (!is_poor(row))
            continue;
        largest = largest ? largest : row;
        branches++;
        bytes += row->sums.compressed;
    }
    return largest && share_of(bytes, t->branches->all.compressed) > 0.3 &&
           cup_advise(
               advice, cup_saves_bytes(advice, 0.03, (double)bytes),
               "Compression saves little in %s with %s, %.0f %% of the "
               "compressed bytes (threshold 30 %%): their ratio is below 1.1 (threshold). "
               "The largest, %s, has %.3f. \nWrite them with fewer bits (Float16_t, a shorter "
               "mantissa), or without compression, which saves CPU time.",
               CUP_SHOW_COUNTED(branches, "branch"), CUP_SHOW_BYTES(bytes),
               100 * share_of(bytes, t->branches->all.compressed), branch_name(t, largest, name),
               payload_ratio(&largest->sums));
}

bool cup_rule_tiny_baskets(const struct cup_totals *t, struct cup_advice *advice)
{
    uint64_t baskets = t->branches->all.baskets - t->branches->pages.baskets;
    uint64_t bytes = t->branches->all.compressed - t->branches->pages.compressed;
    double mean = share_of(bytes, baskets);
    return baskets >= 1000 && mean < 4096 &&
           cup_advise(advice, 0.08,
                      "Baskets are tiny: %s compressed on average (threshold 4.1 kB) over %s of "
                      "them. Each costs a decompression, Python calls and often a request of its "
                      "own. \nWrite or merge the files with larger clusters: more entries for each "
                      "extend() of uproot, or a larger fAutoFlush of ROOT.",
                      CUP_SHOW_BYTES(mean), CUP_SHOW_COUNT(baskets));
}

static size_t files_with_trees(const struct cup_totals *t)
{
    size_t files = 0;
    for (size_t i = 0; i < t->profile->root_file_count; i++)
        files += t->branches->files[i].tree_branches > 0;
    return files;
}

bool cup_rule_few_branches(const struct cup_totals *t, struct cup_advice *advice)
{
    const struct cup_branches_file *total = &t->branches->total;
    double read = share_of(total->branches_of_trees, total->tree_branches);
    double bytes = share_of(total->read_of_trees, total->tree_compressed);
    double waits = (double)(t->waits.ns[CUP_WAITED_IO] + t->waits.ns[CUP_WAITED_POLL]) /
                   (double)cup_wait_sums_wall_ns(&t->waits);
    double files = (double)files_with_trees(t);
    char room[CUP_LINE_ROOM];
    return t->branches->rereads_known && read < 0.1 && bytes < 0.1 && waits > 0.2 &&
           cup_advise(
               advice, 0.1 * waits,
               "Tasks read few of the branches: %.0f of %.0f in a file (threshold 10 %%), %.1f %% "
               "of the bytes of the trees%s, and waited for files and sockets for %.0f %% of their "
               "time "
               "(threshold 20 %%). These branches lie apart in the files. \nMake a slimmed copy "
               "with "
               "these branches alone: it is read in fewer and larger requests.",
               (double)total->branches_of_trees / files, (double)total->tree_branches / files,
               bytes * 100, cup_branches_of_files(room, t->branches), waits * 100);
}

/* ---- reading ---------------------------------------------------------------------------- */

/* True if it is known that no basket was read more than once. */
static bool no_baskets_again(const struct cup_totals *t)
{
    return t->branches->rereads_known && t->branches->total.rereads.bytes == 0 &&
           t->branches->all.again_bytes == 0;
}

bool cup_rule_read_again(const struct cup_totals *t, struct cup_advice *advice)
{
    double times = (double)t->chunk_file_bytes / (double)t->chunk_file_size;
    return t->chunk_file_size && times > 1.5 && !baskets_shared(t) &&
           cup_advise(
               advice,
               cup_saves_bytes(advice, 0.2, (double)(t->chunk_file_bytes - t->chunk_file_size)),
               "Chunks read %s from .root files of %s: %.1f times their size (threshold "
               "1.5). Each chunk reads its file's headers%s again. \nUse larger chunks.",
               CUP_SHOW_BYTES(t->chunk_file_bytes), CUP_SHOW_BYTES(t->chunk_file_size), times,
               no_baskets_again(t) ? "" : ", and baskets at its edges,");
}

bool cup_rule_small_reads(const struct cup_totals *t, struct cup_advice *advice)
{
    double bytes = cup_file_read_bytes(t);
    double calls = (double)t->counters[CUP_C_READ_CALLS], time = (double)t->counters[CUP_C_READ_NS];
    double share = time / (double)t->all.wall_ns;
    return calls >= 1000 && bytes / calls < 16384 && share > 0.05 &&
           cup_advise(
               advice, cup_saves(t, advice, time / 1e9),
               "Reads are small: %s on average (threshold 16.4 kB) in %.0f calls, which "
               "took %s, %.0f %% of the task time (threshold 5 %%). \nUse larger baskets, or "
               "a client that merges requests.",
               CUP_SHOW_BYTES(bytes / calls), calls, CUP_SHOW_NS(time), share * 100);
}
