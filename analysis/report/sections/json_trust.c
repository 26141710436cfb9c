/* How far the profile can be trusted, in the report's JSON: attribution and health. */
#include "analysis/report/page/json_page.h"

#include "analysis/profile/roles.h"
#include "analysis/report/page/features.h"
#include "analysis/report/page/warnings.h"

/* ---- attribution ------------------------------------------------------------------------ */

/* Of the data files: mapped and received bytes find their tasks likewise, but are not told apart.
 */
static void put_ways(struct report *report)
{
    double total = (double)cup_all_method_bytes(report->totals);
    cup_json_row(&report->json, "by_way");
    for (int method = 0; method < CUP_METHOD_COUNT; method++)
        put(report, cup_method_names[method],
            cup_profile_measured(report->profile, cup_counter_needs(CUP_C_READ_OWN_BYTES + method))
                ? cup_count(cup_method_bytes(report->totals, method))
                : cup_null());
    cup_json_end_object(&report->json);
    cup_json_row(&report->json, "by_way_share");
    for (int method = 0; method < CUP_METHOD_COUNT; method++)
        put(report, cup_method_names[method],
            cup_ratio((double)cup_method_bytes(report->totals, method), total));
    cup_json_end_object(&report->json);
}

struct cup_value cup_report_address(const struct report *report, uint32_t process)
{
    const struct cup_server *found = NULL;
    for (size_t i = 0; i < report->profile->server_count; i++) {
        const struct cup_server *server = &report->profile->servers[i];
        if (server->process != process || server->role != CUP_ROLE_WORKER)
            continue;
        if (found)
            return cup_null();
        found = server;
    }
    return found ? text_of(report, found->address) : cup_null();
}

/* One process of workers; several Dask workers may live in it, which its counters do not know. */
static void put_worker_classes(struct report *report, uint32_t index)
{
    static const int counters[] = {
        CUP_C_MAPPED_BYTES,      CUP_C_RECV_BYTES,          CUP_C_SEND_BYTES,
        CUP_C_IMPORT_BYTES,      CUP_C_PIPE_BYTES,          CUP_C_SPILL_READ_BYTES,
        CUP_C_SPILL_WRITE_BYTES, CUP_C_TRANSFER_RECV_BYTES, CUP_C_TRANSFER_SEND_BYTES,
        CUP_C_DASK_READ_BYTES,
    };
    const struct cup_process *process = &report->profile->processes[index];
    bool files = cup_process_has(report->profile, index, CUP_FEATURE_FILES);
    uint64_t with_task = 0;
    for (int method = CUP_C_READ_OWN_BYTES; method <= CUP_C_READ_SOLE_BYTES; method++)
        with_task += process->with_task[method];
    cup_json_row(&report->json, NULL);
    put(report, "worker", cup_report_address(report, index));
    put(report, "host", cup_string(process->header.host));
    put(report, "pid", cup_count(process->header.pid));
    put_counter(report, "read_bytes", with_task, files);
    put_counter(report, "read_none_bytes",
                process->descent ? 0 : process->without_task[CUP_C_READ_NONE_BYTES], files);
    for (size_t i = 0; i < sizeof counters / sizeof *counters; i++) {
        int c = counters[i];
        bool is_transfer = c == CUP_C_TRANSFER_RECV_BYTES || c == CUP_C_TRANSFER_SEND_BYTES;
        char name[64];
        snprintf(name, sizeof name, "%s%s", is_transfer ? "dask_" : "", cup_counter_names[c]);
        put_counter(report, name, process->with_task[c] + process->without_task[c],
                    cup_process_has(report->profile, index, cup_counter_needs(c)));
    }
    cup_json_end_object(&report->json);
}

static void put_kernel_classes(struct report *report)
{
    static const char *const names[] = {
#define X(id, name, text) name,
        CUP_KERNEL_CLASSES(X)
#undef X
    };
    cup_json_row(&report->json, "classes");
    for (int i = 0; i < CUP_KERNEL_COUNT; i++)
        put(report, names[i], cup_count(report->totals->kernel->classes[i]));
    cup_json_end_object(&report->json);
}

/* What says nothing without a process that was checked is null then. */
static void put_kernel_check(struct report *report)
{
    const struct cup_kernel_check *check = report->totals->kernel;
    int64_t difference = (int64_t)(check->kernel_bytes - check->seen_bytes);
    bool checked = check->processes > 0;
    const struct {
        const char *name;
        struct cup_value value;
    } figures[] = {
        {"kernel_bytes", cup_count(check->kernel_bytes)},
        {"seen_bytes", cup_count(check->seen_bytes)},
        {"difference_bytes", cup_signed(difference)},
        {"difference_pct", cup_ratio(100 * (double)difference, (double)check->kernel_bytes)},
        {"stdio_read_bytes", cup_count(check->stdio_bytes)},
        {"copied_bytes", cup_count(check->copied_bytes)},
        {"explained_bytes", cup_count(check->explained_bytes)},
        {"unexplained_bytes", cup_count(check->unexplained_bytes)},
        {"unexplained_pct",
         cup_ratio(100 * (double)check->unexplained_bytes, (double)check->kernel_bytes)},
    };
    char warning[400];
    cup_kernel_warning(check, report->profile, warning, sizeof warning);
    cup_json_object(&report->json, "kernel_check");
    put(report, "processes", cup_count(check->processes));
    put(report, "processes_without", cup_count(check->killed + check->unreadable));
    put(report, "processes_killed", cup_count(check->killed));
    for (size_t i = 0; i < sizeof figures / sizeof *figures; i++)
        put(report, figures[i].name, checked ? figures[i].value : cup_null());
    put_kernel_classes(report);
    put(report, "warning", *warning ? cup_string(warning) : cup_null());
    cup_json_end_object(&report->json);
}

void cup_report_put_attribution(struct report *report)
{
    cup_json_object(&report->json, "attribution");
    put_metrics(report, &cup_attribution_metrics);
    put_ways(report);
    cup_json_array(&report->json, "by_worker");
    for (uint32_t i = 0; i < report->profile->process_count; i++)
        if (cup_process_is_worker(&report->profile->processes[i]))
            put_worker_classes(report, i);
    cup_json_end_array(&report->json);
    put_kernel_check(report);
    cup_json_end_object(&report->json);
}

/* ---- health ----------------------------------------------------------------------------- */

static const char *const descent_names[CUP_ANCESTRY_COUNT] = {
    [CUP_ANCESTRY_KNOWN] = "its task's",
    [CUP_ANCESTRY_UNNAMED] = "nobody's: no record names its task",
    [CUP_ANCESTRY_LOST] = "nobody's: its task is in no log",
    [CUP_ANCESTRY_LATE] = "nobody's: read after its task had ended",
    [CUP_ANCESTRY_SHARED] = "nobody's: what its task started worked for others, too",
    [CUP_ANCESTRY_OTHER_SPAN] = "a task's that was not asked for",
};

/* What it is: its Dask servers' addresses, versions, command line. */
static void put_identity(struct report *report, uint32_t index)
{
    static const char *const facts[] = {"python", "dask",    "distributed", "coffea",
                                        "uproot", "awkward", "numpy",       "command"};
    const struct cup_profile *profile = report->profile;
    cup_json_array(&report->json, "servers");
    for (size_t i = 0; i < profile->server_count; i++)
        if (profile->servers[i].process == index)
            put(report, NULL, text_of(report, profile->servers[i].address));
    cup_json_end_array(&report->json);
    for (size_t i = 0; i < sizeof facts / sizeof *facts; i++)
        put(report, facts[i], cup_text(cup_process_fact(profile, index, facts[i])));
}

/* Its times are by the scheduler's clock where that is known. */
static void put_clock(struct report *report, const struct cup_clock *clock)
{
    put(report, "clock_offset_s", clock->measured ? cup_seconds(clock->ahead_ns) : cup_null());
    put(report, "clock_error_s", clock->measured ? cup_seconds(clock->error_ns) : cup_null());
    put(report, "clock_shift_s", cup_seconds(clock->shift_ns));
    put(report, "clock_compared", cup_bool(clock->compared));
}

static void put_process(struct report *report, uint32_t index)
{
    const struct cup_process *process = &report->profile->processes[index];
    char roles[CUP_ROLES_ROOM];
    bool checked = cup_kernel_is_checked(process);
    cup_json_row(&report->json, NULL);
    put(report, "role", cup_string(cup_role_name(cup_process_role(process))));
    put(report, "roles", cup_string(cup_process_roles(process, roles)));
    put(report, "host", cup_string(process->header.host));
    put(report, "pid", cup_count(process->header.pid));
    put(report, "ppid", cup_count(process->header.ppid));
    put(report, "start", cup_seconds(process->header.process_start_ns));
    put(report, "stop",
        process->header.log_stop_ns ? cup_seconds(process->header.log_stop_ns) : cup_null());
    put_clock(report, &process->clock);
    put(report, "tasks", cup_count(process->tasks));
    put(report, "task_threads", cup_count(process->task_threads));
    put(report, "child_read_bytes",
        process->descent ? cup_count(cup_process_child_bytes(process)) : cup_null());
    put(report, "child_read_bytes_are", cup_string(descent_names[process->descent]));
    put(report, "kernel_difference_bytes",
        checked ? cup_signed(cup_kernel_difference(process)) : cup_null());
    put(report, "library", cup_string(process->header.library_version));
    put(report, "hooks", cup_count(process->header.hook_count));
    put_identity(report, index);
    cup_json_end_object(&report->json);
}

static void put_roles(struct report *report)
{
    uint64_t counts[CUP_ROLE_COUNT];
    cup_count_roles(report->profile, counts);
    cup_json_row(&report->json, "processes_by_role");
    for (int role = 0; role < CUP_ROLE_COUNT; role++)
        put(report, cup_role_name(role), cup_count(counts[role]));
    cup_json_end_object(&report->json);
}

static void put_features(struct report *report)
{
    struct cup_feature_off off[CUP_FEATURE_COUNT];
    size_t count = cup_features_off(report->profile, off);
    cup_json_array(&report->json, "features_off");
    for (size_t i = 0; i < count; i++) {
        cup_json_row(&report->json, NULL);
        put(report, "feature", cup_string(off[i].name));
        put(report, "processes", cup_count(off[i].processes));
        put(report, "consequence", cup_string(off[i].consequence));
        cup_json_end_object(&report->json);
    }
    cup_json_end_array(&report->json);
}

static void put_facts(struct report *report)
{
    const struct cup_profile *profile = report->profile;
    cup_json_array(&report->json, "notes");
    for (size_t i = 0; i < profile->note_count; i++) {
        cup_json_row(&report->json, NULL);
        put(report, "pid", cup_count(profile->processes[profile->notes[i].process].header.pid));
        put(report, "text", text_of(report, profile->notes[i].text));
        cup_json_end_object(&report->json);
    }
    cup_json_end_array(&report->json);
    cup_json_array(&report->json, "facts");
    for (size_t i = 0; i < profile->info_count; i++) {
        cup_json_row(&report->json, NULL);
        put(report, "pid", cup_count(profile->processes[profile->infos[i].process].header.pid));
        put(report, "name", text_of(report, profile->infos[i].name));
        put(report, "value", text_of(report, profile->infos[i].value));
        cup_json_end_object(&report->json);
    }
    cup_json_end_array(&report->json);
}

static void put_warnings(struct report *report)
{
    struct cup_warning warnings[CUP_WARNINGS_MOST];
    size_t count = cup_warnings_make(report->totals, warnings);
    cup_json_array(&report->json, "warnings");
    for (size_t i = 0; i < count; i++)
        put(report, NULL, cup_string(warnings[i].text));
    cup_json_end_array(&report->json);
}

void cup_report_put_health(struct report *report)
{
    static const char *const names[] = {
#define X(id, name, text) name,
        CUP_HEALTH(X)
#undef X
    };
    cup_json_object(&report->json, "health");
    put_metrics(report, &cup_health_metrics);
    for (int i = 0; i < CUP_HEALTH_COUNT; i++)
        put(report, names[i], cup_count(report->profile->health[i]));
    put_roles(report);
    put_features(report);
    put_facts(report);
    put_warnings(report);
    cup_json_array(&report->json, "processes");
    for (uint32_t i = 0; i < report->profile->process_count; i++)
        put_process(report, i);
    cup_json_end_array(&report->json);
    cup_json_array(&report->json, "damages");
    for (size_t i = 0; i < report->profile->damage_count; i++)
        put(report, NULL, cup_string(report->profile->damages[i].source));
    cup_json_end_array(&report->json);
    cup_json_end_object(&report->json);
}
