/* The lifecycle table: which file does what at which event; see lifecycle.h. Rows stand from the
 * low rooms to the high ones, except where the order of one event asks for another place:
 *
 *   - thread and log come first: in a forked child all others build on them.
 *   - kernel_count is next: when a log opens, bytes that other rows read then are already its own.
 *   - helper comes before counters: a thread that ends counts its CPU time into a block that is
 * open.
 *   - mapped_files comes before sections, and both before counters: what a mapping read counts in
 *     the section that is open, and sections read the counters of open blocks.
 *   - sampler comes before waits: starting its thread does not count as system time of the task. It
 *     comes before stack_uses as well, which at the end of the process writes what it counted.
 *   - native comes after stacks: in a forked child it starts from empty tables of modules. It comes
 *     before sampler: a thread that ends has its slot until the sampler takes it back. */
#include "preload/attribution/attribution.h"
#include "preload/attribution/child_processes.h"
#include "preload/attribution/context.h"
#include "preload/attribution/helper.h"
#include "preload/coffea/coffea_columns.h"
#include "preload/coffea/requested_baskets.h"
#include "preload/coffea/work_item.h"
#include "preload/counters/block.h"
#include "preload/dask/dask_tasks.h"
#include "preload/dask/runner_calls.h"
#include "preload/io/connecting.h"
#include "preload/io/descriptor.h"
#include "preload/io/mapped_files.h"
#include "preload/io/opening.h"
#include "preload/lifecycle/kernel_count.h"
#include "preload/lifecycle/lifecycle.h"
#include "preload/lifecycle/recording.h"
#include "preload/lifecycle/running_tasks.h"
#include "preload/lifecycle/thread.h"
#include "preload/process.h"
#include "preload/root/baskets.h"
#include "preload/sampler/sampler.h"
#include "preload/sampler/thread_slots.h"
#include "preload/stacks/native.h"
#include "preload/stacks/native_thread.h"
#include "preload/stacks/stack_events.h"
#include "preload/stacks/stack_uses.h"
#include "preload/stacks/stacks.h"
#include "preload/sys/own_fd.h"
#include "preload/task/sections.h"
#include "preload/task/task.h"
#include "preload/waits/helper_wait.h"
#include "preload/waits/run_delay.h"
#include "preload/waits/wait.h"
#include "preload/xrootd/xrootd.h"

#include <stddef.h>

const struct cup_lifecycle_row cup_lifecycle_rows[] = {
    {"lifecycle/thread", .child_begins = cup_thread_child_begins},
    {"log/log", .child_begins = cup_log_forget},
    {"lifecycle/kernel_count", .log_opened = cup_kernel_log_opened},
    {"lifecycle/recording", .process_forks = cup_recording_process_forks,
     .child_begins = cup_recording_child_begins},
    {"sys/own_fd", .child_begins = cup_own_fd_forked},
    {"lifecycle/running_tasks", .reset = cup_running_reset},
    {"attribution/attribution", .reset = cup_attribution_reset},
    {"attribution/context", .child_begins = cup_context_child_begins},
    {"attribution/child_processes", .log_opened = cup_child_log_opened,
     .process_forks = cup_child_process_forks, .child_begins = cup_child_begins},
    {"attribution/helper", .child_begins = cup_helper_child_begins,
     .thread_settles = cup_helper_thread_settles},
    {"io/mapped_files", .reset = cup_mapping_reset, .log_opened = cup_mapping_log_opened,
     .task_ends = cup_mapping_task_ends},
    {"task/sections", .reset = cup_sections_reset, .task_ends = cup_sections_task_ends,
     .thread_settles = cup_sections_thread_settles, .process_ends = cup_sections_process_ends},
    {"counters/block", .reset = cup_block_reset, .thread_settles = cup_block_thread_settles},
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
    {"waits/run_delay", .child_begins = cup_run_delay_child_begins,
     .thread_ends = cup_run_delay_thread_ends},
    {"waits/helper_wait", .reset = cup_helper_wait_reset},
    {"stacks/stack_events", .reset = cup_events_reset},
    {"stacks/stack_uses", .reset = cup_stack_uses_reset, .task_ended = cup_stack_uses_task_ended,
     .process_ends = cup_stack_uses_process_ends},
    {"task/task", .log_opened = cup_task_log_opened},
    {"root/baskets", .reset = cup_baskets_reset, .task_ended = cup_baskets_task_ended,
     .process_ends = cup_baskets_process_ends},
    {"io/descriptor", .reset = cup_descriptor_reset},
    {"io/opening", .reset = cup_opening_reset},
    {"io/connecting", .reset = cup_connecting_reset},
    {"xrootd/xrootd", .reset = cup_xrootd_reset},
    {"coffea/requested_baskets", .reset = cup_requested_baskets_reset},
    {"coffea/work_item", .task_begins = cup_work_item_task_begins},
    {"coffea/coffea_columns", .child_begins = cup_columns_child_begins},
    {"dask/dask_tasks", .child_begins = cup_dask_child_begins},
    {"dask/runner_calls", .child_begins = cup_run_child_begins},
    {"process", .log_opened = cup_process_log_opened},
    {NULL},
};
