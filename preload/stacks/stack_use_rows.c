#include "preload/stacks/stack_use_rows.h"

#include "include/log_pairs.h"
#include "preload/log/log.h"

#include <stdbool.h>

/* ---- order ------------------------------------------------------------------------------- */

static bool is_before(const struct cup_stack_sum *a, const struct cup_stack_sum *b)
{
    return a->node != b->node ? a->node < b->node : a->use < b->use;
}

/* Moves the element at ROOT down in a heap of COUNT elements whose largest one is the first. */
static void sink_element(struct cup_stack_sum *sums, size_t root, size_t count)
{
    struct cup_stack_sum sum = sums[root];
    for (size_t child; (child = 2 * root + 1) < count; root = child) {
        if (child + 1 < count && is_before(&sums[child], &sums[child + 1]))
            child++;
        if (!is_before(&sum, &sums[child]))
            break;
        sums[root] = sums[child];
    }
    sums[root] = sum;
}

/* Heap sort, in place: qsort() of libc may allocate. */
static void sort_sums(struct cup_stack_sum *sums, size_t count)
{
    for (size_t root = count / 2; root-- > 0;)
        sink_element(sums, root, count);
    for (size_t last = count; last-- > 1;) {
        struct cup_stack_sum largest = sums[0];
        sums[0] = sums[last];
        sums[last] = largest;
        sink_element(sums, 0, last);
    }
}

/* ---- records ----------------------------------------------------------------------------- */

/* Returns the length of the row. */
static size_t encode_row(unsigned char *at, const struct cup_stack_sum *sum, uint32_t node_before)
{
    size_t bytes = cup_pairs_number(at, sum->node - node_before);
    bytes += cup_pairs_number(at + bytes, sum->use);
    bytes += cup_pairs_number(at + bytes, sum->count);
    bytes += cup_pairs_number(at + bytes, sum->bytes);
    return bytes + cup_pairs_number(at + bytes, sum->ns);
}

static void write_record(uint32_t task, const unsigned char *rows, size_t bytes, size_t count)
{
    const struct cup_r_stack_use record = {.task = task, .rows = (uint32_t)count};
    if (!cup_log_write(CUP_R_STACK_USE, &record, rows, bytes))
        cup_log_health(CUP_H_STACKS_DROPPED, count);
}

void cup_stack_use_rows(uint32_t task, struct cup_stack_sum *sums, size_t count)
{
    unsigned char rows[2048];
    sort_sums(sums, count);
    for (size_t next = 0; next < count;) {
        size_t bytes = 0, first = next;
        for (; next < count && bytes + CUP_STACK_USE_ROW_LONGEST <= sizeof rows; next++)
            bytes += encode_row(rows + bytes, &sums[next], next > first ? sums[next - 1].node : 0);
        write_record(task, rows, bytes, next - first);
    }
}
