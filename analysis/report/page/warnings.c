#include "analysis/report/page/warnings.h"

#include <stdio.h>
#include <string.h>

#include "analysis/profile/missing_tasks.h"
#include "analysis/profile/roles.h"
#include "analysis/report/page/page.h"
#include "include/gaps.h"
#include "include/releases.h"

/* What was dropped or not followed, as a sentence: `before`, the number with its noun, `after`. */
static const struct {
    enum cup_health counter;
    const char *before, *noun, *after;
    uint64_t needs; /* features; if one of them was off, that is said instead */
} limits[] = {
    {CUP_H_MAPPINGS_DROPPED, "The figure mapped_bytes lacks ", "mapped file",
     ", because the table was full."},
    {CUP_H_ARENAS_DROPPED, "Figures of the heap lack ", "anonymous mapping",
     ", because the table was full."},
    {CUP_H_LOCKS_DROPPED, "Work handed over with ", "lock",
     " may be unattributed, because the table was full."},
    {CUP_H_THREADS_VOIDED, "The CPU time of ", "thread",
     " that several tasks used is in no task's CPU time. Their reads count only where another "
     "attribution method finds the task."},
    {CUP_H_DELAYS_UNKNOWN, "The figure run_delay_s lacks ", "thread",
     " whose time waiting for a CPU core could not be read. It is part of other waits.",
     CUP_FEATURE_RUN_DELAY},
    {CUP_H_BASKETS_DROPPED, "Figures of branches lack ", "basket",
     ", because tables were full or their task was killed."},
};

static size_t add_limits(const struct cup_totals *totals, struct cup_warning *warnings)
{
    size_t count = 0;
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++) {
        uint64_t number = totals->profile->health[limits[i].counter];
        if (number && cup_profile_measured(totals->profile, limits[i].needs))
            snprintf(warnings[count++].text, sizeof warnings->text, "%s%s%s", limits[i].before,
                     CUP_SHOW_COUNTED(number, limits[i].noun), limits[i].after);
    }
    return count;
}

static size_t add_forbidden(const struct cup_profile *profile, struct cup_warning *warning)
{
    if (profile->logs_forbidden == 0)
        return 0;
    snprintf(
        warning->text, sizeof warning->text,
        "%s may not be read (permission denied): what their processes did is in no figure. Read "
        "the profile as the user who wrote them, or ask for `chmod a+r`; standard error names "
        "them.",
        CUP_SHOW_COUNTED(profile->logs_forbidden, "log"));
    return 1;
}

static size_t add_part(const struct cup_collected *collected, enum cup_part_reason reason,
                       const char *why, struct cup_warning *warning)
{
    uint64_t logs = collected->logs[reason];
    const char *are = logs == 1 ? "is" : "are";
    if (logs == 0)
        return 0;
    if (collected->until_ns[reason] == 0)
        snprintf(warning->text, sizeof warning->text,
                 "%s %s incomplete or missing: %s. What is missing is in no figure.",
                 CUP_SHOW_COUNTED(logs, "log"), are, why);
    else
        snprintf(
            warning->text, sizeof warning->text,
            "%s %s incomplete, fetched until %.19s UTC: %s. What the process%s did later is in "
            "no figure.",
            CUP_SHOW_COUNTED(logs, "log"), are, CUP_SHOW_TIME(collected->until_ns[reason]), why,
            logs == 1 ? "" : "es");
    return 1;
}

static size_t add_full(const struct cup_collected *collected, struct cup_warning *warning)
{
    if (!collected->full)
        return 0;
    snprintf(
        warning->text, sizeof warning->text,
        "No more logs were collected from %.19s UTC on: %.200s. Later events are in no figure.",
        CUP_SHOW_TIME(collected->full_ns), collected->full);
    return 1;
}

static size_t add_refused(const struct cup_collected *collected, struct cup_warning *warning)
{
    if (collected->refused == 0)
        return 0;
    snprintf(warning->text, sizeof warning->text,
             "%s not profiled (%.80s: %.160s). What they did is in no figure.",
             CUP_FORMAT("%s %s", CUP_SHOW_COUNTED(collected->refused, "worker"),
                        collected->refused == 1 ? "is" : "are"),
             collected->refused_worker ? collected->refused_worker : "?",
             collected->refused_why ? collected->refused_why : "?");
    return 1;
}

static size_t add_missing(const struct cup_profile *profile, struct cup_warning *warning)
{
    struct cup_missing_sums sums = cup_missing_sum(profile);
    struct cup_missing_tasks first;
    size_t at = 0;
    if (!cup_missing_next(profile, &at, &first))
        return 0;
    snprintf(warning->text, sizeof warning->text,
             "%s %s in no log: by the count of Dask's scheduler, %.80s ended %s, and its logs have "
             "%llu%s. What is missing is in no figure.",
             CUP_SHOW_COUNTED(sums.tasks, "task"), sums.tasks == 1 ? "is" : "are", first.worker,
             CUP_SHOW_COUNTED(first.ended, "task"), (unsigned long long)first.recorded,
             sums.workers == 1 ? ""
                               : CUP_FORMAT("; %s lack%s tasks, too",
                                            CUP_SHOW_COUNTED(sums.workers - 1, "other worker"),
                                            sums.workers == 2 ? "s" : ""));
    return 1;
}

/* What was not stored, or not fetched over Dask. */
static size_t add_collected(const struct cup_profile *profile, struct cup_warning *warnings)
{
    const struct cup_collected *collected = &profile->collected;
    size_t count = add_refused(collected, warnings);
    count += add_missing(profile, &warnings[count]);
    count += add_full(collected, &warnings[count]);
    count += add_part(collected, CUP_PART_LOST, "the nanny or its host vanished", &warnings[count]);
    count +=
        add_part(collected, CUP_PART_REFUSED,
                 "the file system refused to store what it had taken before", &warnings[count]);
    if (!collected->full)
        count += add_part(collected, CUP_PART_STOPPED,
                          "collecting them was stopped while they grew", &warnings[count]);
    return count;
}

static size_t add_late_children(const struct cup_totals *totals, struct cup_warning *warning)
{
    const struct cup_child_sums *late = &totals->children[CUP_ANCESTRY_LATE];
    if (late->bytes == 0)
        return 0;
    snprintf(warning->text, sizeof warning->text,
             "Child processes that read data after the task that started them had ended: %llu. The "
             "%s that they read are unattributed.",
             (unsigned long long)late->processes, CUP_SHOW((double)late->bytes, CUP_UNIT_BYTES));
    return 1;
}

/* The task that lacks most; NULL: none may have read more than its figures say. */
static const struct cup_task *find_partly(const struct cup_profile *profile)
{
    const struct cup_task *most = NULL;
    for (size_t i = 0; i < profile->task_count; i++) {
        const struct cup_task *task = &profile->tasks[i];
        if (cup_task_is_partly_attributed(profile, task) &&
            (!most || cup_rare_of(profile, task)->unattributed_bytes >
                          cup_rare_of(profile, most)->unattributed_bytes))
            most = task;
    }
    return most;
}

static size_t add_partly(const struct cup_totals *totals, struct cup_warning *warning)
{
    const struct cup_task *most = find_partly(totals->profile);
    if (!most)
        return 0;
    snprintf(
        warning->text, sizeof warning->text,
        "%s%llu of %s may have read more than the figures say, one of them up to %s more: %s. "
        "`cupping tasks` marks them with \">\".",
        totals->all.partly_unknown ? "At least " : "", (unsigned long long)totals->all.partly,
        CUP_SHOW_COUNTED(totals->all.tasks, "task"),
        CUP_SHOW((double)cup_rare_of(totals->profile, most)->unattributed_bytes, CUP_UNIT_BYTES),
        cup_unattributed_text(totals->profile, most));
    return 1;
}

void cup_warn_of_partly(const struct cup_page *page)
{
    struct cup_warning warning;
    if (add_partly(page->totals, &warning))
        cup_page_line(page, CUP_WARN, "%s", warning.text);
}

static size_t add_events(const struct cup_totals *totals, struct cup_warning *warning)
{
    const struct cup_branches *branches = totals->branches;
    if (branches->events_unsupported == 0)
        return 0;
    snprintf(
        warning->text, sizeof warning->text,
        "%llu of %s read fewer entries of every branch than their entry range has. "
        "Either they skipped entries, so that events are overcounted, or arrays came from a cache.",
        (unsigned long long)branches->events_unsupported,
        CUP_SHOW_COUNTED(branches->events_checked, "chunk"));
    return 1;
}

/* ---- clocks ------------------------------------------------------------------------------ */

uint64_t cup_count_hosts(const struct cup_profile *profile,
                         bool (*is)(const struct cup_process *process),
                         const struct cup_process **last)
{
    uint64_t count = 0;
    for (size_t i = 0; i < profile->process_count; i++) {
        const struct cup_process *process = &profile->processes[i];
        bool known = is && !is(process);
        for (size_t k = 0; k < i && !known; k++)
            known = (!is || is(&profile->processes[k])) &&
                    strcmp(profile->processes[k].header.host, process->header.host) == 0;
        count += !known;
        if (last && is(process))
            *last = process;
    }
    return count;
}

static bool is_shifted(const struct cup_process *process)
{
    return process->clock.shift_ns != 0;
}

static bool is_not_compared(const struct cup_process *process)
{
    return !process->clock.compared;
}

static size_t add_shifted(const struct cup_profile *profile, struct cup_warning *warning)
{
    const struct cup_process *last = NULL;
    uint64_t hosts = cup_count_hosts(profile, is_shifted, &last);
    if (hosts == 0)
        return 0;
    bool is_ahead = last->clock.ahead_ns > 0;
    snprintf(
        warning->text, sizeof warning->text,
        "Clocks of %llu host%s differ from the scheduler's, as Dask measured it: %.40s is %s %s "
        "(+- %s). Times from there are shifted to the scheduler's clock.",
        (unsigned long long)hosts, cup_plural(hosts), last->header.host,
        CUP_SHOW_NS(is_ahead ? last->clock.ahead_ns : -last->clock.ahead_ns),
        is_ahead ? "ahead" : "behind", CUP_SHOW_NS(last->clock.error_ns));
    return 1;
}

static size_t add_not_compared(const struct cup_totals *totals, struct cup_warning *warning)
{
    const struct cup_process *last = NULL;
    uint64_t hosts = cup_count_hosts(totals->profile, is_not_compared, &last);
    if (hosts == 0)
        return 0;
    snprintf(warning->text, sizeof warning->text,
             "Clocks of %s could not be compared (%.40s, process %u): only workers with "
             "samples measure the difference. Times from there are not shifted.%s%s",
             CUP_SHOW_COUNTED(hosts, "host"), last->header.host, last->header.pid,
             totals->call_left_out
                 ? " The clock of the Runner call is not that of its tasks, so the "
                   "tasks alone say when the run began and ended."
                 : "",
             totals->profile->run_count > 1 ? " Tasks may be counted for the wrong run." : "");
    return 1;
}

/* ---- releases ---------------------------------------------------------------------------- */

static const struct {
    const char *package, *unknown, *oldest, *newest;
    uint64_t oldest_number, newest_number;
} releases[] = {
#define X(id, package, unknown, oldest, oldest_number, newest, newest_number)                      \
    {package, unknown, oldest, newest, oldest_number, newest_number},
    CUP_RELEASES(X)
#undef X
};

/* As CUP_RELEASE() makes it; 0: the version is no number. */
static uint64_t read_release(struct cup_text version)
{
    char text[32];
    unsigned parts[3] = {0};
    snprintf(text, sizeof text, "%.*s", (int)version.length, version.bytes);
    if (sscanf(text, "%u.%u.%u", &parts[0], &parts[1], &parts[2]) < 2)
        return 0;
    return CUP_RELEASE(parts[0], parts[1], parts[2]);
}

/* Names the first process with a release that is too old, or else was not tried. */
static size_t add_release(const struct cup_totals *totals, enum cup_release which,
                          struct cup_warning *warning)
{
    const char *package = releases[which].package;
    for (size_t i = 0; i < totals->profile->process_count; i++) {
        struct cup_text version = cup_process_fact(totals->profile, i, package);
        uint64_t number = version.length ? read_release(version) : 0;
        bool is_old = number && number < releases[which].oldest_number;
        if (!is_old && number <= releases[which].newest_number)
            continue;
        if (is_old)
            snprintf(warning->text, sizeof warning->text,
                     "%s %.*s is too old (supported are %s to %s): its %s are not recorded.",
                     package, (int)version.length, version.bytes, releases[which].oldest,
                     releases[which].newest, releases[which].unknown);
        else
            snprintf(warning->text, sizeof warning->text,
                     "%s %.*s was not tried with this cupping: releases from %s to %s were. What "
                     "it does in another way is missing here.",
                     package, (int)version.length, version.bytes, releases[which].oldest,
                     releases[which].newest);
        return 1;
    }
    return 0;
}

static size_t add_summed(const struct cup_totals *totals, struct cup_warning *warning)
{
    uint64_t summed = totals->profile->tasks_summed - totals->profile->full_log_tasks;
    if (summed == 0)
        return 0;
    snprintf(warning->text, sizeof warning->text,
             "%s of %s are summed up by prefix (`cupping merge --per-prefix`): sums are exact, "
             "quantiles of their times are from histograms (to 20 %%), lists and plots of single "
             "tasks show the others.",
             CUP_SHOW((double)summed, CUP_UNIT_COUNT), CUP_SHOW_COUNTED(totals->all.tasks, "task"));
    return 1;
}

static size_t add_counted_twice(const struct cup_totals *totals, struct cup_warning *warning)
{
    if (totals->chunks_counted_twice == 0)
        return 0;
    snprintf(warning->text, sizeof warning->text,
             "%s counted twice, with events, times and bytes: two processes ended %s, and `cupping "
             "merge --per-prefix` summed up both attempts. Without it they count once.",
             CUP_FORMAT("%s %s", CUP_SHOW_COUNTED(totals->chunks_counted_twice, "chunk"),
                        totals->chunks_counted_twice == 1 ? "is" : "are"),
             totals->chunks_counted_twice == 1 ? "it" : "them");
    return 1;
}

static size_t add_full_logs(const struct cup_totals *totals, struct cup_warning *warnings)
{
    const struct cup_profile *profile = totals->profile;
    size_t count = 0;
    if (profile->full_log_tasks)
        snprintf(warnings[count++].text, sizeof warnings->text,
                 "%llu of %s, the first at %.19s UTC, began when the log of their process was full "
                 "(CUPPING_MAX_BYTES, or the disk). Their number, times, bytes, waits and "
                 "allocations are in the sums by prefix and worker. Which files, branches and "
                 "functions they used is not known, and lists and plots of single tasks lack them.",
                 (unsigned long long)profile->full_log_tasks,
                 CUP_SHOW_COUNTED(totals->all.tasks, "task"), CUP_SHOW_TIME(profile->full_log_ns));
    if (profile->full_log_tasks_apart)
        snprintf(warnings[count++].text, sizeof warnings->text,
                 "%s began when the log of their process was full. Because only a part of the "
                 "tasks is asked for, they are in no figure: `--run all` has them.",
                 CUP_SHOW_COUNTED(profile->full_log_tasks_apart, "more task"));
    return count;
}

static size_t add_lost(const struct cup_totals *totals, struct cup_warning *warning)
{
    if (totals->tasks_lost == 0)
        return 0;
    snprintf(warning->text, sizeof warning->text,
             "%s in no figure: by the library's count they began, but their log lost records, "
             "because the disk was full or the log had reached its limit.",
             CUP_FORMAT("%s %s", CUP_SHOW_COUNTED(totals->tasks_lost, "more task"),
                        totals->tasks_lost == 1 ? "is" : "are"));
    return 1;
}

/* Notes of the library that name tasks which are in no figure, or lack something in all of them. */
static const char *const gaps[] = {
    CUP_GAP_EXECUTOR ": ",
    CUP_GAP_SERVERS ": ",
};

static size_t add_gaps(const struct cup_profile *profile, struct cup_warning *warnings)
{
    size_t count = 0;
    for (size_t i = 0; i < sizeof gaps / sizeof *gaps; i++) {
        uint32_t process = 0;
        struct cup_text why = cup_find_note(profile, gaps[i], &process);
        if (why.length)
            snprintf(warnings[count++].text, sizeof warnings->text, "Process %u: %s%.*s.",
                     profile->processes[process].header.pid, gaps[i],
                     (int)(why.length < 160 ? why.length : 160), why.bytes);
    }
    return count;
}

/* With a single call of the Runner, all tasks of the profile count as its run: also other work of a
 * notebook, and tasks that never ended. */
static size_t add_outside(const struct cup_totals *totals, struct cup_warning *warning)
{
    static const double LEAST_S = 1, LEAST_SHARE = 0.1;
    const struct cup_run *call = totals->call_left_out ? NULL : cup_run_call(totals);
    if (!call || call->stop_ns <= call->start_ns)
        return 0;
    double call_s = (double)(call->stop_ns - call->start_ns) / 1e9,
           run_s = (double)cup_stretch_ns(totals->run) / 1e9, outside_s = run_s - call_s;
    if (outside_s < LEAST_S || outside_s < LEAST_SHARE * call_s)
        return 0;
    snprintf(
        warning->text, sizeof warning->text,
        "Tasks ran before or after the call of Coffea's Runner: the call took %s, the whole run "
        "%s. Wall time and rates are those of the whole run; `--only stages` shows its parts.",
        CUP_SHOW_S(call_s), CUP_SHOW_S(run_s));
    return 1;
}

size_t cup_warnings_make(const struct cup_totals *totals,
                         struct cup_warning warnings[CUP_WARNINGS_MOST])
{
    size_t count = add_summed(totals, warnings);
    count += add_counted_twice(totals, &warnings[count]);
    count += add_full_logs(totals, &warnings[count]);
    count += add_lost(totals, &warnings[count]);
    count += add_gaps(totals->profile, &warnings[count]);
    count += add_outside(totals, &warnings[count]);
    count += add_limits(totals, &warnings[count]);
    count += add_forbidden(totals->profile, &warnings[count]);
    count += add_collected(totals->profile, &warnings[count]);
    count += add_late_children(totals, &warnings[count]);
    count += add_partly(totals, &warnings[count]);
    count += add_events(totals, &warnings[count]);
    count += add_shifted(totals->profile, &warnings[count]);
    count += add_not_compared(totals, &warnings[count]);
    for (int which = 0; which < CUP_RELEASE_COUNT; which++)
        count += add_release(totals, (enum cup_release)which, &warnings[count]);
    cup_kernel_warning(totals->kernel, totals->profile, warnings[count].text,
                       sizeof warnings->text);
    count += warnings[count].text[0] != '\0';
    return count;
}

/* ---- features that were off --------------------------------------------------------------- */

/* False where a missing feature of this process is no loss. A scheduler only takes samples. A
 * process that read no basket logs no requests of uproot, and its log does not say whether they
 * could have been recorded. If no process of the run has stacks, the section on functions says why.
 */
static bool concerns(const struct cup_profile *profile, const struct cup_process *process,
                     unsigned feature)
{
    bool schedules = (process->roles & 1u << CUP_ROLE_SCHEDULER) != 0;
    const unsigned stacks = CUP_FEATURE_STACKS | CUP_FEATURE_NATIVE | CUP_FEATURE_CPU;
    if (feature & stacks && !cup_profile_measured(profile, feature))
        return false;
    if (feature == CUP_FEATURE_REQUESTED && process->header.health[CUP_H_BASKETS_SEEN] == 0)
        return false;
    return cup_process_is_worker(process) || (schedules && feature == CUP_FEATURE_SAMPLES);
}

size_t cup_features_off(const struct cup_profile *profile,
                        struct cup_feature_off off[CUP_FEATURE_COUNT])
{
    static const struct cup_feature_off features[CUP_FEATURE_COUNT] = {
#define X(id, name, text, missing) {name, missing, 0},
        CUP_FEATURES(X)
#undef X
    };
    size_t count = 0;
    for (unsigned feature = 0; feature < CUP_FEATURE_COUNT; feature++) {
        uint64_t processes = 0;
        for (uint32_t i = 0; i < profile->process_count; i++)
            processes += concerns(profile, &profile->processes[i], 1u << feature) &&
                         !cup_process_has(profile, i, (enum cup_feature)(1u << feature));
        if (processes == 0)
            continue;
        off[count] = features[feature];
        off[count++].processes = processes;
    }
    return count;
}

/* ---- what the interpreter does not allow --------------------------------------------------- */

/* How the library's note about a feature that is off begins: preload/dask/clock_calls.c */
static const struct {
    const char *note, *what;
} interpreter_features[] = {
    {"Dask and Coffea are not recorded: ", "tasks and chunks"},
    {"Python functions are not recorded: ", "stacks"},
    {"attribution methods 'handoff' and 'inherited' are off: ",
     "hand-off, helper CPU and calls of actors"},
    {"attribution method 'handoff' is off: ", "hand-off and the CPU of its jobs"},
    {"attribution method 'inherited' is off: ", "attribution of threads that tasks start"},
    {"attribution method 'context' is off: ", "attribution by contexts"},
    {"waits for the GIL are not recognised: ", "GIL waits"},
    {"baskets that uproot requests are not recorded: ", "lists of requested baskets"},
    {"exact times of Coffea's calls without Dask are not recorded: ",
     "exact times of Coffea's calls without Dask"},
};
enum { INTERPRETER_FEATURES = sizeof interpreter_features / sizeof *interpreter_features };

static bool is_same_text(struct cup_text a, struct cup_text b)
{
    return a.length == b.length && (a.length == 0 || memcmp(a.bytes, b.bytes, a.length) == 0);
}

/* Features with the same reason share it. */
const char *cup_interpreter_lacks(const struct cup_profile *profile, char to[CUP_LINE_ROOM])
{
    struct cup_text why[INTERPRETER_FEATURES], version = {0};
    uint32_t process = 0;
    *to = '\0';
    for (int i = 0; i < INTERPRETER_FEATURES; i++) {
        why[i] = cup_find_note(profile, interpreter_features[i].note, &process);
        if (why[i].length && !version.length)
            version = cup_process_fact(profile, process, "python");
    }
    for (int i = 0; i < INTERPRETER_FEATURES; i++) {
        if (!why[i].length)
            continue;
        struct cup_text reason = why[i];
        cup_append(to, CUP_LINE_ROOM, "%s", *to ? "; " : "");
        for (int k = i; k < INTERPRETER_FEATURES; k++)
            if (is_same_text(why[k], reason)) {
                cup_append(to, CUP_LINE_ROOM, "%s%s", k == i ? "" : ", ",
                           interpreter_features[k].what);
                why[k].length = 0;
            }
        cup_append(to, CUP_LINE_ROOM, " are off (%.*s)",
                   (int)(reason.length < 160 ? reason.length : 160), reason.bytes);
    }
    if (!*to)
        return NULL;
    char *line = CUP_FORMAT("Python %.*s: %s.", (int)version.length,
                            version.length ? version.bytes : "", to);
    return memcpy(to, line, CUP_LINE_ROOM);
}
