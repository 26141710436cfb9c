#include "analysis/metrics/reads/file_branches.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/base/array.h"
#include "analysis/metrics/sums/sums.h"

/* Limits memory: a file with more visits than this is read in several passes, each for a part of
 * the branches. */
enum { PASS_VISITS = 1000000 };

/* ---- order -------------------------------------------------------------------------------- */

struct named {
    struct cup_text tree, name;
    uint32_t branch; /* index + 1 */
};

static int by_name(const void *left, const void *right)
{
    const struct named *a = left, *b = right;
    int order = cup_text_compare(a->tree, b->tree);
    return order ? order : cup_text_compare(a->name, b->name);
}

/* For each branch (index + 1) its rank in the order of tree and name; branches without a name come
 * first. NULL without memory. */
static uint32_t *rank_branches(const struct cup_profile *profile)
{
    struct named *order = malloc((profile->branch_count + 1) * sizeof *order);
    uint32_t *ranks = order ? calloc(profile->branch_count + 1, sizeof *ranks) : NULL;
    for (uint32_t i = 0; ranks && i < profile->branch_count; i++)
        order[i] = (struct named){cup_profile_text(profile, profile->branches[i].tree),
                                  cup_profile_text(profile, profile->branches[i].name), i + 1};
    if (ranks)
        qsort(order, profile->branch_count, sizeof *order, by_name);
    for (uint32_t i = 0; ranks && i < profile->branch_count; i++)
        ranks[order[i].branch] = i + 1;
    free(order);
    return ranks;
}

/* One bit for each task (index + 1), and bit 0 for none. */
static size_t task_bitmap_bytes(const struct cup_file_branches *file)
{
    return file->totals->profile->task_count / 8 + 1;
}

int cup_file_branches_open(struct cup_file_branches *file, const struct cup_totals *totals)
{
    *file = (struct cup_file_branches){.totals = totals};
    cup_basket_feed_open(&file->feed, totals->profile);
    file->row_of = calloc(totals->profile->branch_count + 1, sizeof *file->row_of);
    file->ranks = rank_branches(totals->profile);
    file->tasks_with_record = malloc(task_bitmap_bytes(file));
    if (file->row_of && file->ranks && file->tasks_with_record)
        return 0;
    cup_file_branches_close(file);
    return -1;
}

uint64_t cup_file_branches_close(struct cup_file_branches *file)
{
    uint64_t lost = file->feed.lost;
    cup_basket_feed_close(&file->feed);
    free(file->rows);
    free(file->ranks);
    free(file->row_of);
    free(file->last_task);
    free(file->visits);
    free(file->sorted);
    free(file->starts);
    free(file->tasks_with_record);
    *file = (struct cup_file_branches){0};
    return lost;
}

/* Makes room for one more entry. Returns false, and notes it, without memory. */
static bool grow_array(struct cup_file_branches *file, void *items, size_t *room, size_t count,
                       size_t size)
{
    if (cup_array_grow(items, room, count, size) == 0)
        return true;
    file->out_of_memory = true;
    return false;
}

/* ---- rows --------------------------------------------------------------------------------- */

static bool is_wasted(const struct cup_totals *totals, uint32_t task)
{
    const struct cup_task *of = task ? &totals->profile->tasks[task - 1] : NULL;
    uint8_t outcome = of && of->item ? totals->outcomes[of->item - 1] : CUP_OUTCOME_NONE;
    return outcome != CUP_OUTCOME_NONE && outcome != CUP_OUTCOME_USED &&
           outcome != CUP_OUTCOME_UNKNOWN;
}

/* The row of a branch, added if it is not there; NULL without memory. */
static struct cup_branch_row *row_of(struct cup_file_branches *file, uint32_t root_file,
                                     uint32_t branch)
{
    const struct cup_profile *profile = file->totals->profile;
    if (file->row_of[branch])
        return &file->rows[file->row_of[branch] - 1];
    if (!grow_array(file, &file->rows, &file->room, file->count, sizeof *file->rows) ||
        !grow_array(file, &file->last_task, &file->last_room, file->count, sizeof *file->last_task))
        return NULL;
    struct cup_branch_row *row = &file->rows[file->count];
    file->last_task[file->count] = 0;
    file->row_of[branch] = (uint32_t)++file->count;
    *row = (struct cup_branch_row){
        .file = profile->root_files[root_file].path,
        .root_file = root_file + 1,
        .branch = branch,
        .rank = file->ranks[branch],
        .tree = branch ? profile->branches[branch - 1].tree : 0,
        .name = branch ? profile->branches[branch - 1].name : 0,
        .files = 1,
    };
    row->rereads_known = row->name != 0;
    return row;
}

static void count_task(struct cup_file_branches *file, struct cup_branch_row *row)
{
    const struct cup_profile *profile = file->totals->profile;
    uint32_t task = file->feed.task, *last = &file->last_task[row - file->rows];
    if (task == 0 || *last == task)
        return;
    *last = task;
    row->tasks++;
    row->chunks += cup_item_is_chunk(cup_task_item(profile, &profile->tasks[task - 1]));
}

static uint32_t narrow(uint64_t value)
{
    return value < UINT32_MAX ? (uint32_t)value : UINT32_MAX;
}

static bool is_by_number(uint32_t source)
{
    return source == CUP_BASKETS_REQUESTED || source == CUP_BASKETS_UNSEEN ||
           source == CUP_BASKETS_EMBEDDED;
}

static void add_visit(struct cup_file_branches *file, uint32_t row)
{
    const uint64_t *v = file->feed.rows.row.values;
    uint64_t baskets = v[CUP_BV_BASKETS] - v[CUP_BV_AGAIN];
    if (!grow_array(file, &file->visits, &file->visit_room, file->visit_count,
                    sizeof *file->visits))
        return;
    file->visits[file->visit_count++] = (struct cup_branch_visit){
        .first = v[CUP_BV_FIRST],
        .last = v[CUP_BV_FIRST] + v[CUP_BV_LAST],
        .bytes = v[CUP_BV_COMPRESSED] - v[CUP_BV_AGAIN_BYTES],
        .first_bytes = narrow(v[CUP_BV_FIRST_BYTES]),
        .last_bytes = narrow(v[CUP_BV_LAST_BYTES]),
        .baskets = narrow(baskets),
        .row = row,
        .task = file->feed.task,
        .by_number = is_by_number(file->feed.rows.fixed.source),
        .wasted = is_wasted(file->totals, file->feed.task),
    };
}

/* Adds the record to the sums of its row. Called in the first pass only, so each record counts
 * once. */
static void add_row(struct cup_file_branches *file, struct cup_branch_row *row)
{
    const uint64_t *v = file->feed.rows.row.values;
    cup_basket_sums_add_values(&row->sums, v, file->feed.rows.fixed.source);
    row->rereads.same_task += v[CUP_BV_AGAIN];
    row->rereads.same_task_bytes += v[CUP_BV_AGAIN_BYTES];
    if (is_wasted(file->totals, file->feed.task)) {
        row->rereads.wasted += v[CUP_BV_AGAIN];
        row->rereads.wasted_bytes += v[CUP_BV_AGAIN_BYTES];
    }
    count_task(file, row);
}

static void use_record(struct cup_file_branches *file, uint32_t root_file, uint64_t pass,
                       uint64_t passes)
{
    uint32_t branch = file->feed.branch;
    if (file->feed.rows.row.values[CUP_BV_BASKETS] == 0)
        return;
    struct cup_branch_row *row = row_of(file, root_file, branch);
    if (!row)
        return;
    if (pass == 0)
        add_row(file, row);
    if (branch % passes == pass && row->name)
        add_visit(file, (uint32_t)(row - file->rows));
}

/* ---- rereads ------------------------------------------------------------------------------ */

static bool make_room(struct cup_file_branches *file)
{
    if (file->sorted_room < file->visit_room) {
        free(file->sorted);
        file->sorted = malloc(file->visit_room * sizeof *file->sorted);
        file->sorted_room = file->sorted ? file->visit_room : 0;
    }
    if (file->start_room < file->count + 1) {
        free(file->starts);
        file->start_room = file->room + 1;
        file->starts = malloc(file->start_room * sizeof *file->starts);
    }
    return file->sorted && file->starts;
}

/* Orders visits by row; visits of one row keep their order. Afterwards starts[row] is where the
 * visits of ROW end. */
static void sort_by_row(struct cup_file_branches *file)
{
    memset(file->starts, 0, (file->count + 1) * sizeof *file->starts);
    for (size_t i = 0; i < file->visit_count; i++)
        file->starts[file->visits[i].row + 1]++;
    for (size_t row = 0; row < file->count; row++)
        file->starts[row + 1] += file->starts[row];
    for (size_t i = 0; i < file->visit_count; i++)
        file->sorted[file->starts[file->visits[i].row]++] = file->visits[i];
}

static void add_rereads(struct cup_file_branches *file)
{
    if (file->visit_count == 0)
        return;
    if (!make_room(file)) {
        file->out_of_memory = true;
        return;
    }
    sort_by_row(file);
    for (size_t row = 0, from = 0; row < file->count; from = file->starts[row++]) {
        struct cup_branch_visit *visits = file->sorted + from;
        size_t count = file->starts[row] - from;
        if (file->in_parts)
            count = cup_visits_merge(visits, count);
        const struct cup_rereads rereads = cup_rereads_of(visits, count);
        cup_add_numbers(&file->rows[row].rereads, &rereads, sizeof rereads);
    }
}

/* ---- a file ------------------------------------------------------------------------------- */

/* Notes that a task has a record of this file. A task with two of them is one that wrote what it
 * read in several parts. */
static void note_record(struct cup_file_branches *file)
{
    uint32_t task = file->feed.task;
    unsigned char bit = (unsigned char)(1 << task % 8);
    if (file->records == file->feed.records)
        return;
    file->records = file->feed.records;
    file->in_parts |= task && file->tasks_with_record[task / 8] & bit;
    file->tasks_with_record[task / 8] |= bit;
}

static void begin_pass(struct cup_file_branches *file, uint32_t root_file)
{
    file->visit_count = 0;
    file->in_parts = false;
    memset(file->tasks_with_record, 0, task_bitmap_bytes(file));
    cup_basket_feed_file(&file->feed, root_file);
}

static void read_pass(struct cup_file_branches *file, uint32_t root_file, uint64_t pass,
                      uint64_t passes)
{
    uint32_t last_task = 0;
    begin_pass(file, root_file);
    while (!file->out_of_memory && cup_basket_feed_next(&file->feed)) {
        note_record(file);
        use_record(file, root_file, pass, passes);
        file->tasks += pass == 0 && file->feed.task && file->feed.task != last_task;
        last_task = file->feed.task;
    }
    if (!file->out_of_memory)
        add_rereads(file);
}

/* Repeated reads so far are those by other tasks: adds those by the same task. */
static void settle_row(struct cup_branch_row *row)
{
    row->rereads.baskets += row->rereads.same_task;
    row->rereads.bytes += row->rereads.same_task_bytes;
}

static int by_rank(const void *left, const void *right)
{
    const struct cup_branch_row *a = left, *b = right;
    return (a->rank > b->rank) - (a->rank < b->rank);
}

int cup_file_branches_read(struct cup_file_branches *file, uint32_t root_file)
{
    uint64_t passes = file->totals->profile->root_files[root_file].rows / PASS_VISITS + 1;
    file->count = 0;
    file->tasks = 0;
    for (uint64_t pass = 0; pass < passes && !file->out_of_memory; pass++)
        read_pass(file, root_file, pass, passes);
    for (size_t i = 0; i < file->count; i++) {
        settle_row(&file->rows[i]);
        file->row_of[file->rows[i].branch] = 0;
    }
    if (file->count)
        qsort(file->rows, file->count, sizeof *file->rows, by_rank);
    return file->out_of_memory || file->feed.reader.out_of_memory ? -1 : 0;
}
