/* What the processes of the profile were. */
#include "analysis/profile/roles.h"
#include "analysis/report/page/section.h"

static const char *const ancestry_names[CUP_ANCESTRY_COUNT] = {
    [CUP_ANCESTRY_KNOWN] = "its task's",
    [CUP_ANCESTRY_UNNAMED] = "unattributed: no record names its task",
    [CUP_ANCESTRY_LOST] = "unattributed: its task is in no log",
    [CUP_ANCESTRY_SUMMED] = "unattributed: its task began when the log was full",
    [CUP_ANCESTRY_LATE] = "unattributed: read after the task that started it had ended",
    [CUP_ANCESTRY_SHARED] = "unattributed: what its task started also worked for other tasks",
    [CUP_ANCESTRY_EXCLUDED] = "attributed to a task outside this report",
};

/* Times are by the scheduler's clock where that is known. */
#define FIELDS(X)                                                                                  \
    X("role", TEXT, cup_string(cup_role_name(cup_process_role(process))))                          \
    X("roles", TEXT, cup_row_string(rows, cup_process_roles(process, roles)), .heading = "role")   \
    X("host", TEXT, cup_string(header->host), .heading = "host", .rank = 4)                        \
    X("pid", ID, cup_count(header->pid), .heading = "pid")                                         \
    X("ppid", ID, cup_count(header->ppid))                                                         \
    X("start", SECONDS, cup_epoch(header->process_start_ns))                                       \
    X(NULL, TIME, cup_time(header->process_start_ns), .heading = "start (UTC)", .rank = 5)         \
    X("stop", SECONDS, cup_value_if(stopped, cup_epoch(header->log_stop_ns)))                      \
    X(NULL, SECONDS, cup_seconds(last_ns - header->process_start_ns), .heading = "lived")          \
    X(NULL, TEXT, cup_string(stopped ? "" : "not closed"), .heading = "", .rank = 3)               \
    X("clock_offset_s", SECONDS, cup_value_if(clock->measured, cup_seconds(clock->ahead_ns)))      \
    X("clock_error_s", SECONDS, cup_value_if(clock->measured, cup_seconds(clock->error_ns)))       \
    X("clock_shift_s", SECONDS, cup_seconds(clock->shift_ns))                                      \
    X("clock_compared", BOOL, cup_bool(clock->compared))                                           \
    X("tasks", COUNT, cup_count(process->tasks + process->summed.tasks))                           \
    X("task_threads", COUNT, cup_count(process->task_threads))                                     \
    X("child_read_bytes", BYTES,                                                                   \
      cup_count_if(process->ancestry, cup_process_child_bytes(process)))                           \
    X("child_read_bytes_are", TEXT, cup_string(ancestry_names[process->ancestry]))                 \
    X("kernel_difference_bytes", BYTES,                                                            \
      cup_value_if(cup_kernel_is_checked(process), cup_signed(cup_kernel_difference(process))))    \
    X("library", TEXT, cup_string(header->library_version))                                        \
    X("hooks", COUNT, cup_count(header->hook_count))

/* Versions, and the command line. */
#define FACT_FIELDS(X)                                                                             \
    X("python", WORD, fact(rows, item, "python"), .heading = "Python", .rank = 1, .none = "")      \
    X("dask", WORD, fact(rows, item, "dask"))                                                      \
    X("distributed", WORD, fact(rows, item, "distributed"), .heading = "Dask", .rank = 2,          \
      .none = "")                                                                                  \
    X("coffea", WORD, fact(rows, item, "coffea"), .heading = "Coffea", .rank = 2, .none = "")      \
    X("uproot", WORD, fact(rows, item, "uproot"), .heading = "uproot", .rank = 6, .none = "")      \
    X("awkward", WORD, fact(rows, item, "awkward"))                                                \
    X("numpy", WORD, fact(rows, item, "numpy"))                                                    \
    X("command", TEXT, fact(rows, item, "command"), .heading = "command", .none = "")

static struct cup_value fact(const struct cup_report_rows *rows, const struct cup_process *process,
                             const char *name)
{
    size_t index = (size_t)(process - rows->profile->processes);
    return cup_text(cup_process_fact(rows->profile, index, name));
}

static void fill(struct cup_report_rows *rows, const void *item, struct cup_value *values)
{
    const struct cup_process *process = item;
    const struct cup_log_header *header = &process->header;
    const struct cup_clock *clock = &process->clock;
    bool stopped = header->log_stop_ns != 0;
    int64_t last_ns = stopped ? header->log_stop_ns : process->last_ns;
    char roles[CUP_ROLES_ROOM];
    CUP_FILL(values, FIELDS);
    CUP_FILL(values, FACT_FIELDS);
}

/* Its Dask servers' addresses. */
static void put_servers(struct report *report, const void *item)
{
    const struct cup_profile *profile = report->profile;
    size_t index = (size_t)((const struct cup_process *)item - profile->processes);
    cup_json_array(&report->json, "servers");
    for (size_t i = 0; i < profile->server_count; i++)
        if (profile->servers[i].process == index)
            put(report, NULL, text_of(report, profile->servers[i].address));
    cup_json_end_array(&report->json);
}

CUP_LIST_ARRAY(list, rows->profile->processes, rows->profile->process_count)

const struct cup_report_table cup_processes_table = {
    CUP_TABLE_PARTS(CUP_ROW_PART(FIELDS, fill), {.put = put_servers, .nested = "servers"},
                    CUP_ROW_PART(FACT_FIELDS, NULL)),
    list, .name = "processes"};

static int print_processes(const struct cup_page *page)
{
    size_t count = page->profile->process_count;
    cup_page_heading(page, "Processes",
                     CUP_FORMAT("%s left a log", CUP_SHOW_COUNTED(count, "process")));
    return cup_print_rows(page, &cup_processes_table, NULL, NULL, NULL);
}

/* In the JSON they are part of health. */
const struct cup_report_section cup_processes_section = {
    .name = "processes", .shown = CUP_SHOWN_IN_PAGE, .print = print_processes};
