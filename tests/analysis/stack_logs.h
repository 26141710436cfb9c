/* Two workers' logs with stacks, worked out by hand: what the suites of functions, flame graphs and
 * their exports share. */
#pragma once

#include "tests/analysis/log_builder.h"

/* Functions, as CODE ids of both logs. WORK calls PROCESS, which calls SELECT (user's), which calls
 * itself once, and ARRAY, under which a helper thread reads; DECOMPRESS under ARRAY. */
enum { WORK = 1, PROCESS, SELECT, ARRAY, FETCH, DECOMPRESS, OPEN, STACK_CODES };

/* Nodes. Lines are the first line of each function and the offset over two. */
enum {
    N_WORK = 1,   /* _work_function, line 1621 + 3 */
    N_PROCESS,    /*   process, line 10 + 2 */
    N_SELECT,     /*     select, line 30 + 1 */
    N_AGAIN,      /*       select, line 30 + 2 */
    N_PROCESS_4,  /*   process, line 10 + 4 */
    N_ARRAY,      /*     array, line 2231 */
    N_HELPER,     /*         helper thread, under array */
    N_FETCH,      /*           _fetch of fsspec */
    N_DECOMPRESS, /*         decompress, under array */
    N_OPEN,       /*   open, under the work function */
};

/* Adds both logs to a directory. The first one's tasks are 1 and 2 of prefix "chunk", dataset "TT"
 * and "DY", and 3 of prefix "merge"; the second one's is 1 of prefix "chunk", dataset "TT":
 *
 * - log 1, task 1: CPU 300 ms at select, 100 ms at the second select, 100 ms at decompress; read
 *   1,000 bytes in 4 calls at fetch; waited 20 ms for a lock at array; allocated 4,096 at select.
 * - log 1, task 2: CPU 50 ms at process (line 12), 30 ms at no known stack; slept 5 ms at process.
 * - log 1, task 3: CPU 40 ms at open, wrote 10 bytes at open.
 * - log 1, no task: received 7 bytes at fetch.
 * - log 2, task 1: CPU 60 ms at select, read 500 bytes in 1 call at open. */
void save_stack_logs(const char *directory);

/* The first of them alone, with a function of that name (mine.py, line 5), which had no caller and
 * so much CPU time. */
void save_log_of_function(const char *directory, const char *name, uint64_t cpu_ns);

/* The first of them, unfinished: more may be added. */
void build_stack_log(struct log_builder *builder);

/* Adds a task of prefix "chunk", 1,000 events of a dataset (a string's id). */
void add_stack_task(struct log_builder *builder, uint32_t task, uint32_t seconds, uint32_t dataset);
