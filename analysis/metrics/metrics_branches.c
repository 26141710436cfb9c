/* What was read of ROOT files: baskets, their bytes on both sides of the compression, and which of
 * it was read twice. */
#include "analysis/metrics/formulas.h"
#include "analysis/profile/summed_text.h"

/* ---- how much ----------------------------------------------------------------------------- */

static struct cup_value if_any(T t, uint64_t value)
{
    return cup_value_if(t->branches->all.baskets, cup_count(value));
}

/* Compressed bytes of the baskets whose keys were seen. */
static uint64_t seen_bytes(const struct cup_basket_sums *sums)
{
    return sums->compressed - sums->unseen_compressed;
}

struct cup_value cup_baskets_uncompressed(const struct cup_basket_sums *sums)
{
    return cup_value_if(sums->baskets > sums->unseen, cup_count(sums->uncompressed));
}

struct cup_value cup_baskets_ratio(const struct cup_basket_sums *sums)
{
    return cup_value_if(sums->baskets > sums->unseen,
                        cup_ratio((double)sums->uncompressed, (double)seen_bytes(sums)));
}

static uint64_t less(uint64_t bytes, uint64_t keys)
{
    return bytes > keys ? bytes - keys : 0;
}

struct cup_value cup_baskets_payload(const struct cup_basket_sums *sums, bool compressed)
{
    uint64_t bytes = compressed ? seen_bytes(sums) : sums->uncompressed;
    return cup_value_if(sums->baskets > sums->unseen, cup_count(less(bytes, sums->key_bytes)));
}

static struct cup_value payload_ratio(T t)
{
    struct cup_value before = cup_baskets_payload(&t->branches->all, true),
                     after = cup_baskets_payload(&t->branches->all, false);
    return cup_ratio(cup_number(after), cup_number(before));
}

/* ---- which -------------------------------------------------------------------------------- */

static struct cup_value branches_read(T t)
{
    uint64_t named = 0;
    for (size_t i = 0; i < t->branches->count; i++)
        named += t->branches->rows[i].name != 0;
    return if_any(t, named);
}

static struct cup_value files_read(T t)
{
    uint64_t sized;
    return if_any(t, cup_branches_files(t->branches, &sized));
}

static struct cup_value sized_files(T t)
{
    uint64_t sized;
    cup_branches_files(t->branches, &sized);
    return cup_value_if(sized, cup_count(sized));
}

/* ---- twice -------------------------------------------------------------------------------- */

static const struct cup_rereads *rereads_of(T t)
{
    return &t->branches->total.rereads;
}

static struct cup_value if_known(T t, uint64_t value)
{
    return cup_value_if(t->branches->rereads_known, if_any(t, value));
}

static uint64_t distinct(T t)
{
    return cup_distinct_bytes(&t->branches->all, rereads_of(t));
}

static struct cup_value read_amplification(T t)
{
    uint64_t bytes = less(distinct(t), t->branches->all.unseen_compressed);
    return cup_value_if(t->branches->rereads_known,
                        cup_ratio((double)t->branches->file_bytes, (double)bytes));
}

/* ---- the table ---------------------------------------------------------------------------- */

#define NONE                                                                                       \
    "no basket of a ROOT file was seen or asked for: no TTree was read, or by a reader that no "   \
    "hook sees"
#define UNSEEN_ONLY                                                                                \
    "the keys of baskets were not seen (remote files, mapped files): only the compressed size "    \
    "that uproot asked for is known"
#define NOT_FOUND                                                                                  \
    "there are too many rows to look for it in every report (`--only branches` and --json do), "   \
    "or records could not be read again, or " CUP_SUMMED
#define NO_TREES "the size and the branches of no tree are known, or " CUP_SUMMED
#define REPEATED                                                                                   \
    "P: from the first and the last basket of a branch that each task read; all baskets between "  \
    "them count as read. Baskets are compared by number where uproot asked for them, else by "     \
    "place; pages of RNTuples are left out"

#define METRIC_SECTION branches
#define METRIC_ROWS "analysis/metrics/rows_branches.h"
#include "analysis/metrics/section_table.h"
