/* What was read of ROOT files: baskets, their bytes on both sides of the compression, and which of
 * it was read twice. */
#include "analysis/metrics/formulas.h"

typedef const struct cup_branches *B;

/* ---- how much ----------------------------------------------------------------------------- */

static struct cup_value if_any(B b, uint64_t value)
{
    return b->all.baskets ? cup_count(value) : cup_null();
}

/* Compressed bytes of the baskets whose uncompressed ones are known, too. */
static uint64_t seen_bytes(const struct cup_basket_sums *sums)
{
    return sums->compressed - sums->unseen_compressed;
}

struct cup_value cup_baskets_uncompressed(const struct cup_basket_sums *sums)
{
    return sums->baskets > sums->unseen ? cup_count(sums->uncompressed) : cup_null();
}

struct cup_value cup_baskets_ratio(const struct cup_basket_sums *sums)
{
    return sums->baskets > sums->unseen
               ? cup_ratio((double)sums->uncompressed, (double)seen_bytes(sums))
               : cup_null();
}

static uint64_t less(uint64_t bytes, uint64_t keys)
{
    return bytes > keys ? bytes - keys : 0;
}

struct cup_value cup_baskets_payload(const struct cup_basket_sums *sums, bool compressed)
{
    uint64_t bytes = compressed ? seen_bytes(sums) : sums->uncompressed;
    return sums->baskets > sums->unseen ? cup_count(less(bytes, sums->key_bytes)) : cup_null();
}

static struct cup_value baskets(T t)
{
    return if_any(&t->branches, t->branches.all.baskets);
}

static struct cup_value compressed(T t)
{
    return if_any(&t->branches, t->branches.all.compressed);
}

static struct cup_value uncompressed(T t)
{
    return cup_baskets_uncompressed(&t->branches.all);
}

static struct cup_value ratio(T t)
{
    return cup_baskets_ratio(&t->branches.all);
}

static struct cup_value compressed_payload(T t)
{
    return cup_baskets_payload(&t->branches.all, true);
}

static struct cup_value uncompressed_payload(T t)
{
    return cup_baskets_payload(&t->branches.all, false);
}

static struct cup_value payload_ratio(T t)
{
    struct cup_value before = compressed_payload(t), after = uncompressed_payload(t);
    return before.kind == CUP_VALUE_NULL ? before
                                         : cup_ratio((double)after.count, (double)before.count);
}

static struct cup_value unseen(T t)
{
    return if_any(&t->branches, t->branches.all.unseen);
}

static struct cup_value unseen_compressed(T t)
{
    return if_any(&t->branches, t->branches.all.unseen_compressed);
}

static struct cup_value by_place(T t)
{
    return if_any(&t->branches, t->branches.all.by_place);
}

static struct cup_value by_place_compressed(T t)
{
    return if_any(&t->branches, t->branches.all.by_place_compressed);
}

static struct cup_value page_blocks(T t)
{
    return if_any(&t->branches, t->branches.pages.baskets);
}

static struct cup_value page_bytes(T t)
{
    return if_any(&t->branches, t->branches.pages.compressed);
}

static struct cup_value without_task(T t)
{
    return if_any(&t->branches, t->branches.without_task.baskets);
}

static struct cup_value without_task_bytes(T t)
{
    return if_any(&t->branches, t->branches.without_task.compressed);
}

/* Those that passed by: known also where nothing was asked for. */
static struct cup_value incidental(T t)
{
    return cup_count(t->branches.all.incidental);
}

static struct cup_value incidental_bytes(T t)
{
    return cup_count(t->branches.all.incidental_bytes);
}

/* ---- which -------------------------------------------------------------------------------- */

static struct cup_value branches_read(T t)
{
    uint64_t named = 0;
    for (size_t i = 0; i < t->branches.count; i++)
        named += t->branches.rows[i].name != 0;
    return if_any(&t->branches, named);
}

static struct cup_value files_read(T t)
{
    uint64_t files = 0;
    for (size_t i = 0; i < t->profile->root_file_count; i++)
        files += t->profile->root_files[i].sums.baskets > 0;
    return if_any(&t->branches, files);
}

/* ---- twice -------------------------------------------------------------------------------- */

static const struct cup_rereads *rereads(T t)
{
    return &t->branches.total.rereads;
}

static struct cup_value if_known(T t, uint64_t value)
{
    return t->branches.rereads_known ? if_any(&t->branches, value) : cup_null();
}

static uint64_t distinct(T t)
{
    return cup_distinct_bytes(&t->branches.all, rereads(t));
}

static struct cup_value distinct_baskets(T t)
{
    return if_known(t, less(t->branches.all.baskets, rereads(t)->baskets));
}

static struct cup_value distinct_bytes(T t)
{
    return if_known(t, distinct(t));
}

static struct cup_value read_amplification(T t)
{
    uint64_t bytes = less(distinct(t), t->branches.all.unseen_compressed);
    return t->branches.rereads_known && bytes
               ? cup_ratio((double)t->branches.file_bytes, (double)bytes)
               : cup_null();
}

#define REREAD(name, field)                                                                        \
    static struct cup_value name(T t)                                                              \
    {                                                                                              \
        return if_known(t, rereads(t)->field);                                                     \
    }
REREAD(reread_baskets, baskets)
REREAD(reread_bytes, bytes)
REREAD(border_baskets, border)
REREAD(border_bytes, border_bytes)
REREAD(estimated_baskets, estimated)
REREAD(estimated_bytes, estimated_bytes)
REREAD(wasted_baskets, wasted)
REREAD(wasted_bytes, wasted_bytes)

static struct cup_value same_task_baskets(T t)
{
    return if_any(&t->branches, t->branches.all.again);
}

static struct cup_value same_task_bytes(T t)
{
    return if_any(&t->branches, t->branches.all.again_bytes);
}

/* ---- of how much -------------------------------------------------------------------------- */

static const struct cup_branches_file *total(T t)
{
    return &t->branches.total;
}

static struct cup_value tree_branches(T t)
{
    return total(t)->tree_branches ? cup_count(total(t)->tree_branches) : cup_null();
}

static struct cup_value tree_bytes(T t)
{
    return total(t)->tree_compressed ? cup_count(total(t)->tree_compressed) : cup_null();
}

static struct cup_value branches_share(T t)
{
    return cup_ratio((double)total(t)->branches_of_trees, (double)total(t)->tree_branches);
}

static struct cup_value bytes_share(T t)
{
    return cup_ratio((double)total(t)->read_of_trees, (double)total(t)->tree_compressed);
}

/* ---- do events agree? --------------------------------------------------------------------- */

static struct cup_value events_checked(T t)
{
    return cup_count(t->branches.events_checked);
}

static struct cup_value events_unsupported(T t)
{
    return t->branches.events_checked ? cup_count(t->branches.events_unsupported) : cup_null();
}

/* ---- what is missing ---------------------------------------------------------------------- */

static struct cup_value baskets_seen(T t)
{
    return cup_count(t->profile->health[CUP_H_BASKETS_SEEN]);
}

static struct cup_value baskets_dropped(T t)
{
    return cup_count(t->profile->health[CUP_H_BASKETS_DROPPED]);
}

static struct cup_value records_damaged(T t)
{
    return cup_count(t->profile->damaged_baskets + t->branches.lost_records);
}

/* ---- the table ---------------------------------------------------------------------------- */

#define BASKETS CUP_FEATURE_BASKETS
#define NONE                                                                                       \
    "no basket of a ROOT file was seen or asked for: no TTree was read, or by a reader that "      \
    "passes all hooks by"
#define UNSEEN_ONLY                                                                                \
    "the keys of baskets were not seen (remote files, mapped files): only what uproot asked for "  \
    "is known, compressed"
#define NOT_FOUND                                                                                  \
    "too many rows to look for it in every report: `--only branches` and --json do; or records "   \
    "could not be read again"
#define NO_TREES "no tree was told whose size or branches are known"
#define TWICE                                                                                      \
    "P: from the first and last basket that each task read of a branch, between which it is "      \
    "taken to have read all: by their numbers where uproot was asked, else by their places; "      \
    "pages of RNTuples left out"

/* clang-format off */
static const struct cup_metric metrics[] = {
    {"baskets", "baskets read", CUP_UNIT_COUNT, baskets, "P: reads of baskets: those that uproot asked for, or, of readers that were not asked, those that lie where requests begin; those read again count again", BASKETS, NONE},
    {"compressed_bytes", "  compressed", CUP_UNIT_BYTES, compressed, "P: sum of fNbytes, keys too, as uproot counts it", BASKETS, NONE},
    {"uncompressed_bytes", "  uncompressed", CUP_UNIT_BYTES, uncompressed, "P: sum of fKeylen + fObjlen of the baskets whose keys were seen, as uproot counts it; unseen_baskets are not in it", BASKETS, UNSEEN_ONLY},
    {"compression_ratio", "  ratio", CUP_UNIT_RATIO, ratio, "P: uncompressed_bytes / compressed bytes of the same baskets", BASKETS, UNSEEN_ONLY},
    {"compressed_payload_bytes", NULL, CUP_UNIT_BYTES, compressed_payload, "P: compressed_bytes less the keys, of the baskets whose keys were seen", BASKETS, UNSEEN_ONLY},
    {"uncompressed_payload_bytes", NULL, CUP_UNIT_BYTES, uncompressed_payload, "P: uncompressed_bytes less the keys", BASKETS, UNSEEN_ONLY},
    {"payload_compression_ratio", NULL, CUP_UNIT_RATIO, payload_ratio, "P: uncompressed_payload_bytes / compressed_payload_bytes", BASKETS, UNSEEN_ONLY},
    {"branches_read", "different branches", CUP_UNIT_COUNT, branches_read, "P: by tree and name, whatever the file", BASKETS, NONE},
    {"files_read", "files they are in", CUP_UNIT_COUNT, files_read, "P: files of which baskets were read", BASKETS, NONE},
    {"distinct_baskets", "different baskets", CUP_UNIT_COUNT, distinct_baskets, "P: baskets less reread_baskets", BASKETS, NOT_FOUND},
    {"distinct_bytes", "  compressed", CUP_UNIT_BYTES, distinct_bytes, "P: compressed_bytes less reread_bytes", BASKETS, NOT_FOUND},
    {"reread_baskets", "baskets read again", CUP_UNIT_COUNT, reread_baskets, TWICE, BASKETS, NOT_FOUND},
    {"reread_bytes", "  compressed", CUP_UNIT_BYTES, reread_bytes, TWICE, BASKETS, NOT_FOUND},
    {"reread_same_task_baskets", "  by the same task", CUP_UNIT_COUNT, same_task_baskets, "P: exact, as the task's process counted it", BASKETS, NONE},
    {"reread_same_task_bytes", NULL, CUP_UNIT_BYTES, same_task_bytes, "P: likewise, compressed", BASKETS, NONE},
    {"reread_border_baskets", "  at borders of chunks", CUP_UNIT_COUNT, border_baskets, "P: exact: the last basket of one task is the first of another", BASKETS, NOT_FOUND},
    {"reread_border_bytes", NULL, CUP_UNIT_BYTES, border_bytes, "P: likewise, compressed", BASKETS, NOT_FOUND},
    {"reread_estimated_baskets", "  estimated", CUP_UNIT_COUNT, estimated_baskets, "P: of reread_baskets: tasks overlap in part, how far is told by the mean size of their baskets", BASKETS, NOT_FOUND},
    {"reread_estimated_bytes", NULL, CUP_UNIT_BYTES, estimated_bytes, "P: likewise, compressed", BASKETS, NOT_FOUND},
    {"reread_wasted_baskets", "  for results not used", CUP_UNIT_COUNT, wasted_baskets, "P: of reread_baskets: what it would be less without the attempts whose result was not used", BASKETS, NOT_FOUND},
    {"reread_wasted_bytes", NULL, CUP_UNIT_BYTES, wasted_bytes, "P: likewise, compressed", BASKETS, NOT_FOUND},
    {"read_amplification", "read / different baskets", CUP_UNIT_RATIO, read_amplification, "P: bytes that calls read for tasks from the files whose baskets were seen / distinct_bytes of those seen", BASKETS, NOT_FOUND},
    {"tree_branches", "branches of these trees", CUP_UNIT_COUNT, tree_branches, "P: those that hold baskets, of the trees that were read, summed up over files, as uproot knew them", BASKETS, NO_TREES},
    {"branches_share", "  share read", CUP_UNIT_SHARE, branches_share, "P: branches read, summed up over files / tree_branches", BASKETS, NO_TREES},
    {"tree_compressed_bytes", "bytes of these trees", CUP_UNIT_BYTES, tree_bytes, "P: fZipBytes of the trees that were read, summed up over files", BASKETS, NO_TREES},
    {"bytes_share", "  share read", CUP_UNIT_SHARE, bytes_share, "P: distinct_bytes of these trees / tree_compressed_bytes", BASKETS, NO_TREES},
    {"incidental_baskets", "baskets passed by", CUP_UNIT_COUNT, incidental, "P: whole baskets that read-ahead delivered and nobody asked for; once for each task and place", BASKETS, NULL},
    {"incidental_bytes", "  compressed", CUP_UNIT_BYTES, incidental_bytes, "P: likewise, compressed", BASKETS, NULL},
    {"unseen_baskets", "baskets asked for, not seen", CUP_UNIT_COUNT, unseen, "P: uproot asked for them, but their bytes passed by no hook (remote over TLS, mapped files)", BASKETS, NONE},
    {"unseen_compressed_bytes", NULL, CUP_UNIT_BYTES, unseen_compressed, "P: of compressed_bytes: those", BASKETS, NONE},
    {"by_place_baskets", "baskets known by their place", CUP_UNIT_COUNT, by_place, "P: of readers whose requests are not known by name: baskets that begin where a request begins, or follow such a one", BASKETS, NONE},
    {"by_place_bytes", NULL, CUP_UNIT_BYTES, by_place_compressed, "P: of compressed_bytes: those", BASKETS, NONE},
    {"page_blocks", "blocks of RNTuples", CUP_UNIT_COUNT, page_blocks, "P: of baskets: compressed blocks of pages, which have no names: their branch is not known", BASKETS, NONE},
    {"page_bytes", NULL, CUP_UNIT_BYTES, page_bytes, "P: of compressed_bytes: those", BASKETS, NONE},
    {"without_task_baskets", "baskets without a task", CUP_UNIT_COUNT, without_task, "P: of baskets: no task is known that read them", BASKETS, NONE},
    {"without_task_bytes", NULL, CUP_UNIT_BYTES, without_task_bytes, "P: of compressed_bytes: those", BASKETS, NONE},
    {"events_checked", "chunks checked for events", CUP_UNIT_COUNT, events_checked, "P: used chunks whose entry range is known, and that read baskets of their tree with known numbers of entries", BASKETS, NULL},
    {"events_unsupported", "  that read fewer", CUP_UNIT_COUNT, events_unsupported, "P: of them, those that read no branch with as many entries as their range has: the processor asked for a part of it, or arrays came from a cache", BASKETS, "no chunk could be checked"},
    {"baskets_seen", "keys of baskets seen", CUP_UNIT_COUNT, baskets_seen, "P: in all reads of all processes, also those that passed by", BASKETS, NULL},
    {"baskets_dropped", "baskets dropped", CUP_UNIT_COUNT, baskets_dropped, "P: tables or the log were full: they are in no figure; those of a killed task's last two seconds are neither there nor here", BASKETS, NULL},
    {"records_damaged", "records of them damaged", CUP_UNIT_COUNT, records_damaged, "BASKETS records that could be read in part only, or not again", BASKETS, NULL},
};
/* clang-format on */

const struct cup_metric_section cup_branches_metrics = {"branches", metrics,
                                                        sizeof metrics / sizeof *metrics};
