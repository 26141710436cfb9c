/* Advice on branches and baskets: what was read, how often, how it is compressed. */
#include <stdlib.h>

#include "analysis/advice/advice_rules.h"
#include "analysis/metrics/reads/clusters.h"
#include "analysis/metrics/reads/file_datasets.h"

typedef unsigned long long big;

static double share(uint64_t part, uint64_t all)
{
    return all ? (double)part / (double)all : NAN;
}

static double of_threads(const struct cup_totals *t, double seconds)
{
    return seconds * 1e9 / (double)(t->budget.threads_ns ? t->budget.threads_ns : 1);
}

/* "Events/Muon_pt", shortened at its beginning. */
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

/* Keys, which are never compressed, left out; NAN where no sizes were seen. */
static double payload_ratio(const struct cup_basket_sums *sums)
{
    double keys = (double)sums->key_bytes;
    double packed = (double)(sums->compressed - sums->unseen_compressed) - keys;
    return packed > 0 && sums->uncompressed ? ((double)sums->uncompressed - keys) / packed : NAN;
}

/* Mean of a used chunk; NAN: not known. */
static double events_a_chunk(const struct cup_totals *t)
{
    uint64_t known = t->used_chunks - t->chunks_without_events;
    return known ? (double)t->events / (double)known : NAN;
}

/* ---- clusters --------------------------------------------------------------------------- */

/* Read before by another task, for another reason than that its result was not used. */
static uint64_t shared_bytes(const struct cup_rereads *again)
{
    uint64_t others = again->same_task_bytes + again->wasted_bytes;
    return again->bytes > others ? again->bytes - others : 0;
}

static double shared_share(const struct cup_totals *t)
{
    return t->branches->rereads_known
               ? share(shared_bytes(&t->branches->total.rereads), t->branches->all.compressed)
               : NAN;
}

bool cup_baskets_shared(const struct cup_totals *t)
{
    return shared_share(t) > 0.1;
}

/* How chunks lie in clusters, and what would lie better. */
static void say_clusters(const struct cup_totals *t, char *to, size_t room)
{
    const struct cup_cluster cluster = cup_cluster_find(t);
    double events = events_a_chunk(t), times = fmax(round(events / cluster.events), 1);
    char chunk[CUP_HUMAN_READABLE_ROOM], of[CUP_HUMAN_READABLE_ROOM],
        better[CUP_HUMAN_READABLE_ROOM];
    if (!(events > 0)) {
        snprintf(to, room, "Tasks that begin and end where clusters do read each basket once.");
        return;
    }
    if (!(cluster.events >= 1)) {
        snprintf(to, room,
                 "Clusters differ from file to file, or are not known: Coffea's "
                 "Runner(align_clusters=True) ends chunks where they end.");
        return;
    }
    snprintf(to, room,
             "Chunks have %s events, clusters %s (%s). Chunks of %s, or Coffea's "
             "Runner(align_clusters=True), end where clusters do.",
             humane(chunk, round(events), CUP_UNIT_COUNT),
             humane(of, round(cluster.events), CUP_UNIT_COUNT),
             cluster.told ? "as the trees say" : "by the baskets' entries",
             humane(better, round(times * cluster.events), CUP_UNIT_COUNT));
}

static uint64_t shared_of_file(const struct cup_totals *t, size_t file)
{
    return shared_bytes(&t->branches->files[file].rereads);
}

/* The dataset with the most of these bytes, where there are several; else nothing. */
static void say_dataset(const struct cup_totals *t, char *to, size_t room)
{
    uint32_t *of_file = cup_datasets_of_files(t);
    uint64_t *bytes = calloc(t->dataset_count + 1, sizeof *bytes), all = 0;
    size_t most = 0;
    for (size_t i = 0; of_file && bytes && i < t->profile->root_file_count; i++) {
        bytes[of_file[i]] += shared_of_file(t, i);
        all += shared_of_file(t, i);
        if (of_file[i] && (most == 0 || bytes[of_file[i]] > bytes[most]))
            most = of_file[i];
    }
    *to = '\0';
    if (most && t->dataset_count > 1) {
        struct cup_text name = cup_profile_text(t->profile, t->datasets[most - 1].name);
        snprintf(to, room, ", %.0f %% of that in %.*s", 100 * share(bytes[most], all),
                 (int)(name.length < 60 ? name.length : 60), name.bytes ? name.bytes : "");
    }
    free(of_file);
    free(bytes);
}

bool cup_rule_shared_baskets(const struct cup_totals *t, struct cup_advice *advice)
{
    const struct cup_rereads *again = &t->branches->total.rereads;
    uint64_t bytes = shared_bytes(again);
    char twice[CUP_HUMAN_READABLE_ROOM], all[CUP_HUMAN_READABLE_ROOM], clusters[240], dataset[120];
    if (!cup_baskets_shared(t))
        return false;
    say_clusters(t, clusters, sizeof clusters);
    say_dataset(t, dataset, sizeof dataset);
    advice->weight = 0.2 * shared_share(t);
    snprintf(advice->text, sizeof advice->text,
             "Several tasks read the same baskets: %s of %s compressed bytes, %.0f %% (threshold "
             "10 %%), were read and decompressed before%s%s. %s",
             humane(twice, (double)bytes, CUP_UNIT_BYTES),
             humane(all, (double)t->branches->all.compressed, CUP_UNIT_BYTES),
             100 * shared_share(t),
             100 * again->estimated_bytes > bytes ? ", in part estimated" : "", dataset, clusters);
    return true;
}

/* A border within a cluster costs the rest of it once more. */
bool cup_rule_chunks_cut_clusters(const struct cup_totals *t, struct cup_advice *advice)
{
    char clusters[240];
    if (t->branches->rereads_known || t->branches->all.baskets == 0)
        return false;
    double times = events_a_chunk(t) / cup_cluster_find(t).events;
    if (!(times < 10) || !(fabs(times - round(times)) > 0.05 * times))
        return false;
    say_clusters(t, clusters, sizeof clusters);
    advice->weight = 0.05;
    snprintf(
        advice->text, sizeof advice->text,
        "Chunks are %.2g clusters long (threshold: less than 10, and 5 %% off a whole number): "
        "those that begin or end within one read all of it; how often that was is not known "
        "here. %s",
        times, clusters);
    return true;
}

/* Entries in the baskets of branches that all chunks read, and nobody else, for each event that
 * they were given: a branch counts by its bytes. Chunks of one dataset may be larger than those of
 * another, so branches that only some read say nothing. */
static double entries_for_an_event(const struct cup_totals *t)
{
    double had = 0, needed = 0, events = events_a_chunk(t);
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
    double times = entries_for_an_event(t);
    char clusters[240];
    if (!(times > 1.5) || cup_baskets_shared(t))
        return false;
    say_clusters(t, clusters, sizeof clusters);
    advice->weight = 0.1 * (1 - 1 / times);
    snprintf(advice->text, sizeof advice->text,
             "Baskets hold more than chunks need: %.1f entries for each event that a chunk was "
             "given (threshold 1.5), by their bytes; the rest is decompressed for nothing. %s",
             times, clusters);
    return true;
}

bool cup_rule_read_twice(const struct cup_totals *t, struct cup_advice *advice)
{
    const struct cup_basket_sums *all = &t->branches->all;
    double twice = share(all->again_bytes, all->compressed);
    char bytes[CUP_HUMAN_READABLE_ROOM];
    if (!(twice > 0.05))
        return false;
    advice->weight = 0.3 * twice;
    snprintf(advice->text, sizeof advice->text,
             "Tasks read baskets that they had read before: %llu of %llu, %s of compressed bytes, "
             "%.0f %% (threshold 5 %%). The same branch is asked for again: keep the array, or "
             "leave uproot's array_cache on and large enough.",
             (big)all->again, (big)all->baskets,
             humane(bytes, (double)all->again_bytes, CUP_UNIT_BYTES), twice * 100);
    return true;
}

/* ---- bytes ------------------------------------------------------------------------------ */

bool cup_rule_heavy_branch(const struct cup_totals *t, struct cup_advice *advice)
{
    const struct cup_branch_row *row = t->branches->rows;
    char name[100], bytes[CUP_HUMAN_READABLE_ROOM], all[CUP_HUMAN_READABLE_ROOM], ratio[40] = "";
    if (t->branches->count < 3 || row->name == 0 ||
        !(share(row->sums.compressed, t->branches->all.compressed) > 0.5))
        return false;
    if (payload_ratio(&row->sums) > 0)
        snprintf(ratio, sizeof ratio, ", compressed %.2f times", payload_ratio(&row->sums));
    advice->weight = 0.04;
    snprintf(advice->text, sizeof advice->text,
             "One branch of %zu that were read has %.0f %% of their compressed bytes (threshold "
             "50 %%): %s, %s of %s%s. If few events need it, read it for those; if it is needed, "
             "a lower precision in the file makes it smaller.",
             t->branches->count, 100 * share(row->sums.compressed, t->branches->all.compressed),
             branch_name(t, row, name), humane(bytes, (double)row->sums.compressed, CUP_UNIT_BYTES),
             humane(all, (double)t->branches->all.compressed, CUP_UNIT_BYTES), ratio);
    return true;
}

/* Without those of files that hold others, too: how much of these is LZMA is not known. What does
 * not shrink is stored as it is, in any file. */
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

/* Compressed bytes that LZMA takes in a CPU second, whatever it makes of them: docs/advice.md. */
static const double lzma_rate = 20e6;

bool cup_rule_lzma(const struct cup_totals *t, struct cup_advice *advice)
{
    double bytes = (double)lzma_bytes(t->profile);
    double cpu_s = (double)(t->all.cpu_ns + t->counters[CUP_C_HELPER_CPU_NS]) / 1e9;
    double lzma_s = fmin(bytes / lzma_rate, cpu_s);
    char size[CUP_HUMAN_READABLE_ROOM], time[CUP_HUMAN_READABLE_ROOM], all[CUP_HUMAN_READABLE_ROOM];
    if (!(bytes > 0) || !(lzma_s / cpu_s > 0.25))
        return false;
    advice->weight = of_threads(t, lzma_s * 0.9);
    snprintf(advice->text, sizeof advice->text,
             "LZMA: decompressing %s of baskets takes about %s at 20 MB of compressed bytes a CPU "
             "second, %.0f %% of the tasks' CPU time of %s (estimated, threshold 25 %%). Written "
             "with ZSTD 5 (ROOT 505, uproot.ZSTD(5)) the same data is as large or up to 1.5 "
             "times as large, and takes a tenth of that time or less.",
             humane(size, bytes, CUP_UNIT_BYTES), humane(time, lzma_s, CUP_UNIT_SECONDS),
             lzma_s / cpu_s * 100, humane(all, cpu_s, CUP_UNIT_SECONDS));
    return true;
}

bool cup_rule_incidental_baskets(const struct cup_totals *t, struct cup_advice *advice)
{
    const struct cup_basket_sums *all = &t->branches->all;
    double passed = share(all->incidental_bytes, all->incidental_bytes + all->compressed);
    char bytes[CUP_HUMAN_READABLE_ROOM], read[CUP_HUMAN_READABLE_ROOM];
    if (!(passed > 0.25))
        return false;
    advice->weight = 0.1 * passed;
    snprintf(
        advice->text, sizeof advice->text,
        "Baskets were delivered that nobody asked for: %s beside %s that were, %.0f %% of both "
        "(threshold 25 %%). Read-ahead and merged requests fetch what lies between: files "
        "that hold fewer branches, or larger baskets, waste less.",
        humane(bytes, (double)all->incidental_bytes, CUP_UNIT_BYTES),
        humane(read, (double)all->compressed, CUP_UNIT_BYTES), passed * 100);
    return true;
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
    char name[100], size[CUP_HUMAN_READABLE_ROOM];
    for (size_t i = 0; i < t->branches->count; i++) {
        const struct cup_branch_row *row = &t->branches->rows[i];
        if (!is_poor(row))
            continue;
        largest = largest ? largest : row;
        branches++;
        bytes += row->sums.compressed;
    }
    if (!largest || !(share(bytes, t->branches->all.compressed) > 0.3))
        return false;
    advice->weight = 0.03;
    snprintf(advice->text, sizeof advice->text,
             "%llu branch%s with %s, %.0f %% of the compressed bytes (threshold 30 %%), hardly "
             "compress: less than 1.1 times (threshold), the largest, %s, %.2f times. Lower "
             "precision where they are written (Float16_t, fewer bits of mantissa) makes them "
             "smaller; stored without compression they cost no CPU.",
             (big)branches, branches == 1 ? "" : "es", humane(size, (double)bytes, CUP_UNIT_BYTES),
             100 * share(bytes, t->branches->all.compressed), branch_name(t, largest, name),
             payload_ratio(&largest->sums));
    return true;
}

bool cup_rule_tiny_baskets(const struct cup_totals *t, struct cup_advice *advice)
{
    uint64_t baskets = t->branches->all.baskets - t->branches->pages.baskets;
    uint64_t bytes = t->branches->all.compressed - t->branches->pages.compressed;
    double mean = share(bytes, baskets);
    char size[CUP_HUMAN_READABLE_ROOM], count[CUP_HUMAN_READABLE_ROOM];
    if (baskets < 1000 || !(mean < 4096))
        return false;
    advice->weight = 0.08;
    snprintf(advice->text, sizeof advice->text,
             "Baskets are tiny: %s compressed on average (threshold 4.1 kB) over %s of them. Each "
             "costs a decompression, Python calls and often a request of its own: files written in "
             "larger clusters (more "
             "entries for each extend() of uproot, or fAutoFlush of ROOT), or merged anew, are "
             "read in fewer steps.",
             humane(size, mean, CUP_UNIT_BYTES), humane(count, (double)baskets, CUP_UNIT_COUNT));
    return true;
}

static size_t files_with_branches(const struct cup_totals *t)
{
    size_t files = 0;
    for (size_t i = 0; i < t->profile->root_file_count; i++)
        files += t->branches->files[i].branches > 0;
    return files;
}

/* Of trees whose branches were counted. */
bool cup_rule_few_branches(const struct cup_totals *t, struct cup_advice *advice)
{
    const struct cup_branches_file *total = &t->branches->total;
    double read = share(total->branches, total->tree_branches);
    double bytes = share(total->read_of_trees, total->tree_compressed);
    double waits = (double)(t->waits.ns[CUP_WAITED_IO] + t->waits.ns[CUP_WAITED_POLL]) /
                   (double)cup_wait_sums_wall_ns(&t->waits);
    double files = (double)files_with_branches(t);
    if (!t->branches->rereads_known || !(read < 0.1) || !(bytes < 0.1) || !(waits > 0.2))
        return false;
    advice->weight = 0.1 * waits;
    snprintf(advice->text, sizeof advice->text,
             "Few branches are read of many: %.0f of %.0f in a file (threshold 10 %%), %.1f %% of "
             "the bytes, while tasks wait for files and sockets for %.0f %% of their time "
             "(threshold 20 %%). They lie apart in the files: a slimmed copy, with these branches "
             "alone, "
             "is read in fewer and larger requests.",
             (double)total->branches / files, (double)total->tree_branches / files, bytes * 100,
             waits * 100);
    return true;
}
