/* The lifecycle table: which file does what at which event; see lifecycle.h. The rows are in the
 * order of the rooms, from the lowest to the highest. These rows are elsewhere, because the order
 * matters at one of their events:
 *
 *   - thread and log are first: in a forked child, all other rows use them.
 *   - kernel_count is next. When a log opens, it notes how many bytes have been read so far: what
 *     the rows below it read at this event then counts as read by the library itself.
 *   - helper is above counters/block. When a thread ends, helper adds its CPU time to a counter
 *     block, and then counters/block closes the blocks.
 *   - io/mapped_files is above task/sections: when a task ends, the bytes of its mappings count in
 *     the section that is still open. task/sections is above counters/block: when a thread ends,
 *     its sections end, and read the counters of blocks that must still be open.
 *   - a row of waits/wait is above both: when a thread ends, its last waits count in its blocks.
 *   - sampler is above the other row of waits/wait: when a task begins, sampler may start its own
 *     thread before waits/wait reads the system time, so that starting it does not count for the
 *     task. It is above stack_uses, too: when the process ends, stack_uses writes what sampler has
 *     counted.
 *   - native is below stacks: in a forked child it must find the tables of modules empty, which
 *     stacks has cleared. It is above sampler: when a thread ends, native needs the thread's
 *     slot, which sampler then frees. */
#include "preload/arrow/arrow_jobs.h"
#include "preload/attribution/attribution.h"
#include "preload/attribution/child_processes.h"
#include "preload/attribution/context.h"
#include "preload/attribution/helper.h"
#include "preload/coffea/coffea.h"
#include "preload/coffea/coffea_calls.h"
#include "preload/coffea/requested_baskets.h"
#include "preload/coffea/work_item.h"
#include "preload/counters/block.h"
#include "preload/counters/reads.h"
#include "preload/counters/totals.h"
#include "preload/dask/clock_calls.h"
#include "preload/dask/dask_tasks.h"
#include "preload/dask/runner_calls.h"
#include "preload/dask/servers.h"
#include "preload/io/connecting.h"
#include "preload/io/descriptor.h"
#include "preload/io/exchange.h"
#include "preload/io/mapped_files.h"
#include "preload/io/open_sums.h"
#include "preload/io/opening.h"
#include "preload/io/repeats.h"
#include "preload/io/requests.h"
#include "preload/io/server_requests.h"
#include "preload/lifecycle/kernel_count.h"
#include "preload/lifecycle/lifecycle.h"
#include "preload/lifecycle/recording.h"
#include "preload/lifecycle/running_tasks.h"
#include "preload/lifecycle/thread.h"
#include "preload/lifecycle/unattributed.h"
#include "preload/root/baskets.h"
#include "preload/sampler/sampler.h"
#include "preload/sampler/thread_slots.h"
#include "preload/stacks/native.h"
#include "preload/stacks/stack_events.h"
#include "preload/stacks/stack_uses.h"
#include "preload/stacks/stacks.h"
#include "preload/sys/elf_symbols.h"
#include "preload/sys/own_fd.h"
#include "preload/task/sections.h"
#include "preload/task/task.h"
#include "preload/waits/helper_wait.h"
#include "preload/waits/wait.h"
#include "preload/xrootd/xrootd.h"

#include <stddef.h>

void cup_process_log_opened(enum cup_log_size size); /* process.c */

const struct cup_lifecycle_row cup_lifecycle_rows[] = {
    {"lifecycle/thread", .child_begins = cup_thread_child_begins},
    {"log/log", .child_begins = cup_log_forget},
    {"lifecycle/kernel_count", .log_opened = cup_kernel_log_opened},
    {"lifecycle/recording", .process_forks = cup_recording_process_forks,
     .child_begins = cup_recording_child_begins},
    {"sys/own_fd", .child_begins = cup_own_fd_forked},
    {"sys/elf_symbols", .process_forks = cup_elf_process_forks,
     .process_forked = cup_elf_process_forked, .child_begins = cup_elf_child_begins},
    {"python/python", .child_begins = cup_python_child_begins},
    {"lifecycle/running_tasks", .reset = cup_running_reset},
    {"lifecycle/unattributed", .task_begins = cup_unattributed_task_begins,
     .task_ends = cup_unattributed_task_ends},
    {"attribution/attribution", .reset = cup_attribution_reset},
    {"attribution/context", .child_begins = cup_context_child_begins},
    {"attribution/child_processes", .log_opened = cup_child_log_opened,
     .process_forks = cup_child_process_forks, .child_begins = cup_child_begins},
    {"attribution/helper", .child_begins = cup_helper_child_begins,
     .thread_settles = cup_helper_thread_settles},
    {"arrow/arrow_jobs", .reset = cup_arrow_reset, .log_opened = cup_arrow_log_opened,
     .module_loads = cup_arrow_look},
    {"io/mapped_files", .reset = cup_mapping_reset, .log_opened = cup_mapping_log_opened,
     .task_ends = cup_mapping_task_ends},
    {"waits/wait", .thread_settles = cup_wait_count_short},
    {"task/sections", .reset = cup_sections_reset, .task_ends = cup_sections_task_ends,
     .thread_settles = cup_sections_thread_settles, .process_ends = cup_sections_process_ends},
    {"counters/block", .reset = cup_block_reset, .thread_settles = cup_block_thread_settles},
    {"counters/totals", .reset = cup_totals_reset},
    {"counters/reads", .reset = cup_reads_reset, .thread_ends = cup_reads_thread_ends},
    {"stacks/stacks", .reset = cup_stacks_reset},
    {"stacks/native", .child_begins = cup_native_child_begins,
     .thread_ends = cup_native_thread_ends},
    {"sampler/sampler", .process_forks = cup_sampler_process_forks,
     .child_begins = cup_sampler_child_begins, .task_begins = cup_sampler_task_begins,
     .task_goes_on = cup_sampler_task_goes_on, .task_ends = cup_sampler_task_ends,
     .thread_works = cup_sampler_thread_works, .thread_helps = cup_thread_slot_helps,
     .thread_ends = cup_sampler_thread_ends, .process_ends = cup_sampler_process_ends},
    {"waits/wait", .log_opened = cup_wait_log_opened, .task_begins = cup_wait_task_begins,
     .task_ends = cup_wait_task_ends, .thread_ends = cup_wait_thread_ends,
     .child_begins = cup_wait_child_begins},
    {"waits/helper_wait", .reset = cup_helper_wait_reset},
    {"stacks/stack_events", .reset = cup_events_reset},
    {"stacks/stack_uses", .reset = cup_stack_uses_reset, .task_ended = cup_stack_uses_task_ended,
     .process_ends = cup_stack_uses_process_ends},
    {"task/task", .log_opened = cup_task_log_opened},
    {"root/baskets", .reset = cup_baskets_reset, .task_ended = cup_baskets_task_ended,
     .process_ends = cup_baskets_process_ends},
    {"io/descriptor", .reset = cup_descriptor_reset},
    {"io/exchange", .reset = cup_exchange_reset},
    {"io/opening", .reset = cup_opening_reset},
    {"io/open_sums", .reset = cup_open_sums_reset, .task_ended = cup_open_sums_task_ended,
     .process_ends = cup_open_sums_process_ends},
    {"io/requests", .reset = cup_request_reset, .task_ended = cup_request_task_ended,
     .process_ends = cup_request_process_ends},
    {"io/repeats", .reset = cup_repeats_reset, .task_ended = cup_repeats_task_ended},
    {"io/connecting", .reset = cup_connecting_reset},
    {"io/server_requests", .reset = cup_server_requests_reset,
     .task_ended = cup_server_requests_task_ended,
     .process_ends = cup_server_requests_process_ends},
    {"xrootd/xrootd", .reset = cup_xrootd_reset},
    {"coffea/requested_baskets", .reset = cup_requested_baskets_reset},
    {"coffea/work_item", .task_begins = cup_work_item_task_begins},
    {"coffea/coffea", .child_begins = cup_coffea_child_begins},
    {"coffea/coffea_calls", .child_begins = cup_coffea_calls_child_begins},
    {"dask/servers", .child_begins = cup_servers_reset},
    {"dask/dask_tasks", .child_begins = cup_dask_child_begins},
    {"dask/runner_calls", .child_begins = cup_run_child_begins},
    {"dask/clock_calls", .child_begins = cup_clock_calls_child_begins},
    {"process", .log_opened = cup_process_log_opened},
    {NULL},
};
