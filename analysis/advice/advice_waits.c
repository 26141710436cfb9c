/* Advice on where the time went: what each large part of the time budget means. */
#include "analysis/advice/advice_rules.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/metrics/reads/server_uses.h"
#include "analysis/profile/files.h"

/* ---- shares of the tasks' time ---------------------------------------------------------- */

/* If these NS of waiting are more than THRESHOLD of the tasks' time: writes LEAD, that share and
 * the time, in "LEAD 15 % of their time (3.2 s, ", and returns true. No threshold is exceeded where
 * no waits were measured. */
static bool advise_time(const struct cup_totals *t, struct cup_advice *advice, double ns,
                        double threshold, const char *lead)
{
    double share = ns / (double)cup_wait_sums_wall_ns(&t->waits);
    return share > threshold &&
           cup_advise(advice, cup_saves(t, advice, ns / 1e9), "%s %.0f %% of their time (%s, ",
                      lead, share * 100, CUP_SHOW_NS(ns));
}

static bool advise_wait(const struct cup_totals *t, struct cup_advice *advice, enum cup_waited part,
                        double threshold, const char *lead)
{
    return advise_time(t, advice, (double)t->waits.ns[part], threshold, lead);
}

/* The most threads for tasks that any worker has. */
static uint64_t most_threads_per_worker(const struct cup_totals *t)
{
    uint64_t most = 0;
    for (size_t i = 0; i < t->profile->process_count; i++)
        if (t->profile->processes[i].tasks && t->budgets[i].threads > most)
            most = t->budgets[i].threads;
    return most;
}

/* ---- the interpreter's lock ------------------------------------------------------------- */

bool cup_rule_gil_bound(const struct cup_totals *t, struct cup_advice *advice)
{
    big threads = most_threads_per_worker(t);
    if (!advise_wait(t, advice, CUP_WAITED_GIL, 0.15,
                     "GIL-bound: tasks waited for the interpreter's lock for"))
        return false;
    cup_advise_more(advice, "threshold 15 %%); they and their helper threads waited %s times. ",
                    CUP_SHOW_COUNT(t->counters[CUP_C_GIL_WAITS]));
    if (threads > 1)
        return cup_advise_more(
            advice,
            "\n%llu threads share one interpreter: use more workers with fewer threads each.",
            threads);
    return cup_advise_more(
        advice, "\nWith one thread per worker, the worker's event loop and helper threads hold the "
                "lock: use fewer helper threads, or fewer and smaller transfers.");
}

/* ---- files and servers ------------------------------------------------------------------ */

enum { TOP_FILES = 10 };

/* Length of the directory (with its last slash) that two paths share. */
static size_t shared_directory(struct cup_text a, struct cup_text b)
{
    size_t length = 0;
    for (size_t i = 0; i < a.length && i < b.length && a.bytes[i] == b.bytes[i]; i++)
        if (a.bytes[i] == '/')
            length = i + 1;
    return length;
}

/* The directory that the files with the most bytes share; else the first of these files. */
static struct cup_text place_of(const struct cup_profile *profile, const uint32_t *files,
                                size_t count)
{
    struct cup_text place = cup_profile_text(profile, profile->files[files[0]].path);
    const struct cup_text first = place;
    for (size_t i = 1; i < count && i < TOP_FILES; i++) {
        if (cup_file_total(profile, files[i]).counters[CUP_F_READ_BYTES] == 0)
            break;
        place.length =
            shared_directory(place, cup_profile_text(profile, profile->files[files[i]].path));
    }
    return place.length > 1 ? place : first;
}

static bool begins_with(struct cup_text text, struct cup_text start)
{
    return text.length >= start.length && start.bytes && text.bytes &&
           memcmp(text.bytes, start.bytes, start.length) == 0;
}

/* The share of all bytes read from files whose path begins with PLACE. */
static double share_of_place(const struct cup_profile *profile, const uint32_t *files, size_t count,
                             struct cup_text place)
{
    double there = 0, all = 0;
    for (size_t i = 0; i < count; i++) {
        double bytes = (double)cup_file_total(profile, files[i]).counters[CUP_F_READ_BYTES];
        all += bytes;
        if (begins_with(cup_profile_text(profile, profile->files[files[i]].path), place))
            there += bytes;
    }
    return all > 0 ? there / all : 0;
}

/* Adds " Tasks waited longest for root://host:1094: 3.2 s of 4.1 s for all servers."; of those that
 * are read by sockets, or as files. False: there is none, or they were not waited for. A server
 * that answered nothing was waited for in opens or connections that failed, which count for no
 * task. */
static bool advise_server(const struct cup_totals *t, struct cup_advice *advice, bool by_sockets)
{
    struct cup_server_uses uses;
    bool done = false;
    if (cup_server_uses_make(&uses, t->profile) != 0)
        return false;
    for (size_t i = 0; i < uses.count && !done; i++) {
        const struct cup_server_use *use = &uses.rows[i];
        done = use->kind != CUP_SERVER_WIRE && (use->kind == CUP_SERVER_PEER) == by_sockets &&
               use->waited_ns > 0 && (use->requests > 0 || use->bytes > 0);
        if (done)
            cup_advise_more(advice,
                            " Tasks waited longest for %s: %s of %s for all servers, for %s "
                            "and %s received.",
                            CUP_SHOW_TEXT(use->name, 100), CUP_SHOW_NS(use->waited_ns),
                            CUP_SHOW_NS(uses.waited_ns), CUP_SHOW_COUNTED(use->requests, "request"),
                            CUP_SHOW_BYTES(use->bytes));
    }
    cup_server_uses_free(&uses);
    return done;
}

/* Adds " 98 % of the bytes came from PLACE." */
static void advise_place(const struct cup_totals *t, struct cup_advice *advice)
{
    size_t count;
    uint32_t *files = cup_files_by_bytes(t->profile, CUP_FILE_DATA, &count);
    if (files && count > 0) {
        struct cup_text place = place_of(t->profile, files, count);
        double share = share_of_place(t->profile, files, count, place);
        if (place.bytes && share > 0)
            cup_advise_more(advice, " %.0f %% of the bytes came from %s.", share * 100,
                            CUP_SHOW_TEXT(place, 160));
    }
    free(files);
}

bool cup_rule_io_bound(const struct cup_totals *t, struct cup_advice *advice)
{
    double reads = (double)t->counters[CUP_C_READ_NS] / 1e9;
    if (!advise_wait(t, advice, CUP_WAITED_IO, 0.2, "I/O-bound: tasks waited for files for"))
        return false;
    cup_advise_more(advice,
                    "threshold 20 %%). Calls that read took %s, added up over threads, and "
                    "delivered %s per thread.",
                    CUP_SHOW_S(reads),
                    CUP_SHOW(reads > 0 ? cup_file_read_bytes(t) / 1e6 / reads : 0, CUP_UNIT_MBS));
    if (!advise_server(t, advice, false))
        advise_place(t, advice);
    cup_advise_line(t, advice, CUP_W_IO_WAIT, t->waits.ns[CUP_WAITED_IO]);
    return cup_advise_more(
        advice,
        " \nUse faster or nearer storage, a cache, or fewer branches; faster code does not help.");
}

bool cup_rule_network_bound(const struct cup_totals *t, struct cup_advice *advice)
{
    if (!advise_wait(t, advice, CUP_WAITED_POLL, 0.2,
                     "Network-bound: tasks waited on sockets and pipes for"))
        return false;
    cup_advise_more(advice, "threshold 20 %%).");
    advise_server(t, advice, true);
    cup_advise_line(t, advice, CUP_W_POLL_WAIT, t->waits.ns[CUP_WAITED_POLL]);
    return cup_advise_more(advice, " \nUse a nearer server, or larger requests.");
}

/* ---- other waits ------------------------------------------------------------------------ */

bool cup_rule_lock_bound(const struct cup_totals *t, struct cup_advice *advice)
{
    bool with_gil = !cup_profile_measured(t->profile, CUP_FEATURE_GIL);
    uint64_t unsure = t->waits.unsure_lock_ns;
    if (!advise_time(t, advice, (double)(t->waits.ns[CUP_WAITED_LOCK] - unsure), 0.2,
                     with_gil ? "Lock-bound: tasks waited for locks (the GIL is one of them: it "
                                "was not measured separately) and for other threads for"
                              : "Lock-bound: tasks waited for locks and for other threads for"))
        return false;
    cup_advise_more(advice,
                    "threshold 20 %%). Their helper threads used %s of CPU time: if that is "
                    "nearly as long as they waited, they waited for their own helpers.",
                    CUP_SHOW_NS(t->counters[CUP_C_HELPER_CPU_NS]));
    if (unsure)
        cup_advise_more(advice,
                        " Another %s in locks may have been waits for servers: part of what was "
                        "read while those tasks ran is unattributed.",
                        CUP_SHOW_NS(unsure));
    else
        cup_advise_line(t, advice, CUP_W_LOCK_WAIT, t->waits.ns[CUP_WAITED_LOCK]);
    return cup_advise_more(advice,
                           " \nLook for work that tasks hand to other threads and then wait for.");
}

bool cup_rule_sleeping(const struct cup_totals *t, struct cup_advice *advice)
{
    if (!advise_wait(t, advice, CUP_WAITED_SLEEP, 0.05, "Tasks slept for"))
        return false;
    cup_advise_more(advice, "threshold 5 %%).");
    cup_advise_line(t, advice, CUP_W_SLEEP, t->waits.ns[CUP_WAITED_SLEEP]);
    return cup_advise_more(advice,
                           " \nLook for a sleep() in the analysis, or for a library that retries "
                           "after a pause, for example after errors of storage.");
}

/* How long tasks on a host waited for a CPU core, added up over threads. */
static double run_delay_s(const struct cup_totals *t, const struct cup_host *host)
{
    double ns = 0;
    for (size_t i = 0; i < t->profile->process_count; i++) {
        const struct cup_process *process = &t->profile->processes[i];
        bool is_here = cup_host_of(t->hosts, process) == (uint32_t)(host - t->hosts->rows) + 1;
        for (int place = 0; is_here && place < CUP_PLACE_COUNT; place++)
            ns += (double)process->waits[place].ns[CUP_WAITED_RUN_DELAY];
    }
    return ns / 1e9;
}

/* CPU time that all cores of the hosts give while tasks wait for one. At most all threads wait at
 * the same time, so this is a lower limit. NAN: the number of cores of a host is not known. */
static double cores_give_s(const struct cup_totals *t)
{
    double sum = 0;
    for (size_t i = 0; i < t->hosts->count; i++) {
        const struct cup_host *host = &t->hosts->rows[i];
        double delay_s = run_delay_s(t, host);
        if (delay_s > 0)
            sum += host->usable_cpus && host->threads
                       ? delay_s / (double)host->threads * host->usable_cpus
                       : (double)NAN;
    }
    return sum;
}

/* CPU time of the workers' processes, by their clocks; NAN: not known of all. */
static double workers_used_s(const struct cup_totals *t)
{
    double percent = cup_metric_number(CUP_METRIC_real_cpu_utilization_process_pct, t);
    double measured = percent / 100 * (double)t->budget.threads_ns / 1e9;
    double tasks = (double)(t->all.cpu_ns + t->counters[CUP_C_HELPER_CPU_NS]) / 1e9;
    bool known = !isnan(measured) && cup_workers_all_logged(t->observed);
    return known ? fmax(measured, tasks) : (double)NAN;
}

/* If the workers' own threads had kept all cores busy, their processes would have used at least
 * what the cores give. They count as innocent if they used less than half of it. */
bool cup_rule_no_core(const struct cup_totals *t, struct cup_advice *advice)
{
    if (!advise_wait(t, advice, CUP_WAITED_RUN_DELAY, 0.1,
                     "CPU oversubscribed: tasks were ready to run and waited for a CPU core for"))
        return false;
    cup_advise_more(advice, "threshold 10 %%). ");
    double used = workers_used_s(t), give = cores_give_s(t);
    if (used < 0.5 * give)
        return cup_advise_more(
            advice,
            "In all, the workers' processes used %s of CPU time. That is less than half of the %s "
            "that their hosts' cores give during these waits: other processes had the cores, such "
            "as the client or other jobs, or a limit of the batch system or the container holds "
            "the workers. \nAsk for cores of your own, or measure on an idle machine; below a "
            "limit, set OMP_NUM_THREADS to as many cores as it grants.",
            CUP_SHOW_S(used), CUP_SHOW_S(give));
    return cup_advise_more(
        advice, "There are more runnable threads than cores, of this job or of other programs. "
                "\nSet OMP_NUM_THREADS for numerical libraries, run fewer workers on the machine, "
                "and check that the batch system grants as many cores as the workers use.");
}

bool cup_rule_waits_unexplained(const struct cup_totals *t, struct cup_advice *advice)
{
    return advise_wait(t, advice, CUP_WAITED_OTHER, 0.2,
                       "Tasks were blocked outside the calls that cupping intercepts for") &&
           cup_advise_more(advice, "threshold 20 %%). \nLook at a stack of the process "
                                   "while it lasts, for example with py-spy dump.");
}

bool cup_rule_waits_not_told_apart(const struct cup_totals *t, struct cup_advice *advice)
{
    double other = (double)t->budget.ns[CUP_BUDGET_UNTOLD] / 1e9;
    double tasks = (double)t->all.with_cpu_ns / 1e9, reads = (double)t->counters[CUP_C_READ_NS];
    return other / tasks > 0.3 &&
           cup_advise(advice, cup_saves(t, advice, other),
                      "Tasks were off the CPU for %.0f %% of their time (%s, threshold 30 %%), and "
                      "their waits were not measured. Calls that read files took %s on all threads "
                      "together; the rest is the GIL, locks, sockets or a busy machine. \nRecord "
                      "again with waits: `--only health` says why they are off.",
                      other / tasks * 100, CUP_SHOW_S(other), CUP_SHOW_NS(reads));
}

/* ---- memory ----------------------------------------------------------------------------- */

bool cup_rule_page_faults(const struct cup_totals *t, struct cup_advice *advice)
{
    return advise_wait(t, advice, CUP_WAITED_FAULT, 0.05,
                       "Memory: tasks waited for pages from a disk for about") &&
           cup_advise_more(advice,
                           "derived, threshold 5 %%), in %s major page faults. Tasks touched %s of "
                           "mapped files; other faults come from swapping, or from code that is "
                           "loaded. \nIf the machine swaps, use less memory.",
                           CUP_SHOW_COUNT(t->counters[CUP_C_MAJOR_FAULTS]),
                           CUP_SHOW_BYTES(t->counters[CUP_C_MAPPED_BYTES]));
}

/* The lowest value of MALLOC_TRIM_THRESHOLD_ in any process that ran tasks; 0: set in none. */
static double trim_threshold(const struct cup_profile *profile)
{
    static const char name[] = "MALLOC_TRIM_THRESHOLD_";
    double lowest = 0;
    uint32_t id = cup_intern_find(&profile->strings, name, strlen(name));
    for (size_t i = 0; id && i < profile->info_count; i++) {
        const struct cup_info *info = &profile->infos[i];
        struct cup_text text = cup_profile_text(profile, info->value);
        char digits[24] = "";
        if (info->name != id || !text.bytes || text.length >= sizeof digits ||
            profile->processes[info->process].tasks == 0)
            continue;
        memcpy(digits, text.bytes, text.length);
        double value = strtod(digits, NULL);
        if (value > 0 && (lowest == 0 || value < lowest))
            lowest = value;
    }
    return lowest;
}

/* The prefix whose tasks spent the most time in the kernel; NULL: none did. */
static const struct cup_prefix *most_in_kernel(const struct cup_profile *profile)
{
    const struct cup_prefix *most = NULL;
    for (size_t i = 0; i < profile->prefix_count; i++) {
        const struct cup_prefix *prefix = &profile->prefixes[i];
        if (prefix->waits.tasks && prefix->counters[CUP_C_SYSTEM_CPU_NS] &&
            (!most || prefix->counters[CUP_C_SYSTEM_CPU_NS] > most->counters[CUP_C_SYSTEM_CPU_NS]))
            most = prefix;
    }
    return most;
}

/* From a megabyte on, malloc keeps the memory of arrays of events instead of returning it. */
static const double small_trim_threshold = 1e6;

bool cup_rule_trim_churn(const struct cup_totals *t, struct cup_advice *advice)
{
    const struct cup_prefix *prefix = most_in_kernel(t->profile);
    double threshold = trim_threshold(t->profile);
    if (!prefix || threshold == 0 || threshold >= small_trim_threshold)
        return false;
    double tasks = (double)prefix->waits.tasks;
    double kernel = (double)prefix->counters[CUP_C_SYSTEM_CPU_NS];
    double share = kernel / (double)cup_wait_sums_wall_ns(&prefix->waits);
    double faults_a_task = (double)prefix->counters[CUP_C_MINOR_FAULTS] / tasks;
    return share > 0.1 && faults_a_task > 1000 &&
           cup_advise(
               advice, cup_saves(t, advice, kernel / 1e9),
               "malloc-trim churn: with MALLOC_TRIM_THRESHOLD_=%.0f%s, malloc returns memory to "
               "the kernel and asks for it again. A task of %s has %s minor page faults (threshold "
               "1,000) and spends %s in the kernel, %.0f %% of its time (threshold 10 %%). \nSet "
               "Dask's distributed.nanny.pre-spawn-environ.MALLOC_TRIM_THRESHOLD_ to 1000000000, "
               "for example: workers then keep more memory, and spend this time on the analysis.",
               threshold, threshold == 65536 ? " (Dask's default under a nanny)" : "",
               CUP_SHOW_TEXT(cup_profile_text(t->profile, prefix->name), 60),
               CUP_SHOW_COUNT(faults_a_task), CUP_SHOW_S(kernel / tasks / 1e9), share * 100);
}

/* ---- outside of tasks ------------------------------------------------------------------- */

/* Where many tasks run outside the pool's threads, idle threads of the pool are no complaint. */
static bool many_elsewhere(const struct cup_totals *t)
{
    return (double)t->elsewhere_ns > 0.1 * (double)t->all.wall_ns;
}

/* Time without a task in one stage, with the gaps of up to 0.1 s; of the process stage without its
 * tail, which is in both. */
static uint64_t without_task_ns(const struct cup_totals *t, enum cup_stage_id stage)
{
    const struct cup_stage *rows = t->stages->rows;
    uint64_t idle_ns = rows[stage].idle_ns;
    uint64_t tail_ns = rows[CUP_STAGE_TAIL].known ? rows[CUP_STAGE_TAIL].idle_ns : 0;
    if (t->stages->mixed || !rows[stage].known)
        return 0;
    if (stage == CUP_STAGE_PROCESS)
        return idle_ns > tail_ns ? idle_ns - tail_ns : 0;
    return idle_ns;
}

/* The stage in which threads had no task for longest. CUP_STAGE_COUNT: not known, because they had
 * none for longer in no known stage. */
static enum cup_stage_id find_idle_stage(const struct cup_totals *t)
{
    enum cup_stage_id longest = CUP_STAGE_GRAPH;
    uint64_t all_ns = t->budget.ns[CUP_BUDGET_IDLE] + t->budget.ns[CUP_BUDGET_BETWEEN];
    uint64_t known_ns = 0;
    for (enum cup_stage_id stage = 0; stage < CUP_STAGE_COUNT; stage++) {
        known_ns += without_task_ns(t, stage);
        if (without_task_ns(t, stage) > without_task_ns(t, longest))
            longest = stage;
    }
    return known_ns + without_task_ns(t, longest) > all_ns ? longest : CUP_STAGE_COUNT;
}

/* Adds "6.36 s while the client prepared and sent work, 42.1 ms while the chunks ran (12.3 ms of it
 * in the last 10 % of them)" for all known stages: the idle time in the table of stages. */
static void advise_stages(const struct cup_totals *t, struct cup_advice *advice)
{
    static const char *const when[CUP_STAGE_COUNT] = {
        [CUP_STAGE_GRAPH] = " while the client prepared and sent work",
        [CUP_STAGE_PREPROCESS] = " during the metadata tasks",
        [CUP_STAGE_PROCESS] = " while the chunks ran",
        [CUP_STAGE_TAIL] = " of it in the last 10 % of them)",
        [CUP_STAGE_MERGE] = " after the last chunk"};
    const char *separator = "By stage, gaps of up to 100 ms included: ";
    for (enum cup_stage_id stage = 0; stage < CUP_STAGE_COUNT; stage++) {
        if (!t->stages->rows[stage].known)
            continue;
        cup_advise_more(advice, "%s%s%s", stage == CUP_STAGE_TAIL ? " (" : separator,
                        CUP_SHOW_NS(t->stages->rows[stage].idle_ns), when[stage]);
        separator = ", ";
    }
    cup_advise_more(advice, " (`--only stages`). ");
}

/* Smaller chunks help only where several threads had too few of them; fewer workers only where
 * there are several. */
static bool advise_against_idling(const struct cup_totals *t, enum cup_stage_id stage,
                                  struct cup_advice *advice)
{
    enum { CHUNKS_A_THREAD = 4 };
    bool without_dask = cup_profile_is_without_dask(t->profile);
    bool several = t->workers > 1 && !without_dask;
    bool few = t->budget.threads > 1 && t->used_chunks &&
               t->used_chunks < CHUNKS_A_THREAD * t->budget.threads;
    if (stage == CUP_STAGE_GRAPH)
        return cup_advise_more(advice, "\nSee what the client does before it sends work. This time "
                                       "is spent once for each call of the Runner: it matters less "
                                       "in a longer run, and more workers do not shorten it.");
    if (stage == CUP_STAGE_PREPROCESS)
        return cup_advise_more(advice, "\nKeep the metadata of the files for the next run: give "
                                       "Coffea's Runner a metadata_cache that lasts.");
    if (stage == CUP_STAGE_TAIL)
        return cup_advise_more(advice, "\nUse smaller or more even chunks%s.",
                               several ? ", or fewer workers" : "");
    if (stage == CUP_STAGE_MERGE)
        return cup_advise_more(advice, "\nSee what the client does after the last chunk, and make "
                                       "results smaller: few threads can merge at the same time.");
    if (without_dask)
        return cup_advise_more(advice, "\n%s what the executor does between chunks.",
                               few ? "Use smaller chunks, and see" : "See");
    if (stage == CUP_STAGE_COUNT)
        return cup_advise_more(advice,
                               "\nCheck that the client and the scheduler send work fast enough; "
                               "then use smaller or more even %s, so that fewer threads wait for "
                               "the last ones%s.",
                               t->used_chunks ? "chunks" : "tasks",
                               several ? "; use fewer workers only if that does not help" : "");
    return cup_advise_more(advice, "\n%s client and the scheduler send work fast enough.",
                           few && several
                               ? "Use smaller chunks or fewer workers, and check that the"
                           : few     ? "Use smaller chunks, and check that the"
                           : several ? "Use fewer workers, and check that the"
                                     : "Check that the");
}

bool cup_rule_starved(const struct cup_totals *t, struct cup_advice *advice)
{
    double idle = (double)t->budget.ns[CUP_BUDGET_IDLE] / 1e9, share = cup_saves(t, advice, idle);
    big threads = t->budget.threads;
    if (!(share > 0.3) || t->budget.gaps_unknown || many_elsewhere(t))
        return false;
    enum cup_stage_id stage = find_idle_stage(t);
    char who[CUP_LINE_ROOM];
    if (threads == 1)
        cup_format(who, "worker's only thread was idle for %.0f %% of its", share * 100);
    else
        cup_format(who, "%s %llu threads were idle for %.0f %% of their",
                   t->workers == 1 ? "worker's" : "workers'", threads, share * 100);
    cup_advise(advice, share,
               "Starved: the %s time (%s, threshold 30 %%), that is before %s first task, after "
               "%s last, or for more than 100 ms between two tasks. ",
               who, CUP_SHOW_S(idle), threads == 1 ? "its" : "their",
               threads == 1 ? "its" : "their");
    if (stage != CUP_STAGE_COUNT)
        advise_stages(t, advice);
    return advise_against_idling(t, stage, advice);
}

bool cup_rule_between_tasks(const struct cup_totals *t, struct cup_advice *advice)
{
    double between = (double)t->budget.ns[CUP_BUDGET_BETWEEN] / 1e9;
    double share = cup_saves(t, advice, between), tasks = (double)t->all.tasks;
    return share > 0.1 &&
           cup_advise(advice, share,
                      "%s took %.0f %% of the threads' time between tasks (%s, "
                      "threshold 10 %%). The mean gap is %s, the mean task %s. \nUse "
                      "larger %s: then there are fewer tasks to schedule.",
                      cup_profile_is_without_dask(t->profile) ? "The executor" : "Dask",
                      share * 100, CUP_SHOW_S(between),
                      CUP_SHOW_S(between / (double)t->budget.gaps),
                      CUP_SHOW_S((double)t->all.wall_ns / 1e9 / tasks),
                      t->used_chunks ? "chunks" : "tasks");
}
