/* Advice on where the time went: what each large part of the time budget means. */
#include "analysis/advice/advice_rules.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/profile/files.h"

/* ---- shares of the tasks' time ---------------------------------------------------------- */

static double wait_s(const struct cup_totals *t, enum cup_waited part)
{
    return (double)t->waits.ns[part] / 1e9;
}

/* NAN where no waits were measured, which is more than no threshold. */
static double wait_share(const struct cup_totals *t, enum cup_waited part)
{
    return wait_s(t, part) * 1e9 / (double)cup_wait_sums_wall_ns(&t->waits);
}

static double of_threads(const struct cup_totals *t, double seconds)
{
    return seconds * 1e9 / (double)t->budget.threads_ns;
}

/* The most threads for tasks that any worker has. */
static uint64_t threads_a_worker(const struct cup_totals *t)
{
    uint64_t most = 0;
    for (size_t i = 0; i < t->profile->process_count; i++)
        if (t->profile->processes[i].tasks && t->budgets[i].threads > most)
            most = t->budgets[i].threads;
    return most;
}

/* ---- the interpreter's lock ------------------------------------------------------------- */

/* With one thread a worker there is no other task to wait for. */
static void say_who_holds_it(const struct cup_totals *t, char *to, size_t room)
{
    unsigned long long threads = threads_a_worker(t);
    if (threads > 1)
        snprintf(to, room,
                 "%llu threads share one interpreter. More workers of fewer threads each do not.",
                 threads);
    else
        snprintf(to, room,
                 "with one thread a worker, the lock is held by the worker's event loop and by "
                 "helper threads, not by other tasks. Fewer helper threads, or fewer and smaller "
                 "transfers, leave it free.");
}

bool cup_rule_gil_bound(const struct cup_totals *t, struct cup_advice *advice)
{
    double share = wait_share(t, CUP_WAITED_GIL);
    char time[CUP_HUMAN_READABLE_ROOM], times[CUP_HUMAN_READABLE_ROOM], who[300];
    if (!(share > 0.15))
        return false;
    say_who_holds_it(t, who, sizeof who);
    advice->weight = of_threads(t, wait_s(t, CUP_WAITED_GIL));
    snprintf(advice->text, sizeof advice->text,
             "GIL-bound: tasks waited for the interpreter's lock for %.0f %% of their time (%s, "
             "threshold 15 %%), with their helpers %s times: %s",
             share * 100, humane(time, wait_s(t, CUP_WAITED_GIL), CUP_UNIT_SECONDS),
             humane(times, (double)t->counters[CUP_C_GIL_WAITS], CUP_UNIT_COUNT), who);
    return true;
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

/* What holds the files that most was read from: a file, or the directory of the first few. */
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

/* Share of all bytes read from files that came from below a place. */
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

/* " 98 % of the bytes came from PLACE." */
static void say_which_files(const struct cup_totals *t, char *to, size_t room)
{
    enum { LONGEST = 160 };
    size_t count;
    uint32_t *files = cup_files_by_bytes(t->profile, CUP_FILE_DATA, &count);
    *to = '\0';
    if (files && count > 0) {
        struct cup_text place = place_of(t->profile, files, count);
        double share = share_of_place(t->profile, files, count, place);
        if (place.bytes && share > 0)
            snprintf(to, room, " %.0f %% of the bytes came from %.*s.", share * 100,
                     (int)(place.length < LONGEST ? place.length : LONGEST), place.bytes);
    }
    free(files);
}

/* Bytes that calls on data files delivered to tasks and their helpers. */
static double read_bytes(const struct cup_totals *t)
{
    double sum = 0;
    for (int method = 0; method < CUP_METHOD_NONE; method++)
        sum += (double)cup_method_bytes(t, method);
    return sum;
}

bool cup_rule_io_bound(const struct cup_totals *t, struct cup_advice *advice)
{
    double share = wait_share(t, CUP_WAITED_IO), reads = (double)t->counters[CUP_C_READ_NS] / 1e9;
    char time[CUP_HUMAN_READABLE_ROOM], rate[CUP_HUMAN_READABLE_ROOM],
        inside[CUP_HUMAN_READABLE_ROOM], files[240];
    if (!(share > 0.2))
        return false;
    say_which_files(t, files, sizeof files);
    advice->weight = of_threads(t, wait_s(t, CUP_WAITED_IO));
    snprintf(advice->text, sizeof advice->text,
             "I/O-bound: tasks waited for files for %.0f %% of their time (%s, threshold 20 %%). "
             "Reads delivered %s per thread while they lasted (%s on all threads together).%s "
             "Faster or nearer storage, fewer branches or a cache help; faster code does not.",
             share * 100, humane(time, wait_s(t, CUP_WAITED_IO), CUP_UNIT_SECONDS),
             humane(rate, reads > 0 ? read_bytes(t) / 1e6 / reads : 0, CUP_UNIT_MBS),
             humane(inside, reads, CUP_UNIT_SECONDS), files);
    return true;
}

/* " Most came from tcp://...: 12 GB in 3,456 requests." */
static void say_which_server(const struct cup_totals *t, char *to, size_t room)
{
    size_t count;
    uint32_t *servers = cup_files_by_bytes(t->profile, CUP_FILE_SOCKET, &count);
    char bytes[CUP_HUMAN_READABLE_ROOM], requests[CUP_HUMAN_READABLE_ROOM];
    *to = '\0';
    if (servers && count > 0) {
        struct cup_text name = cup_profile_text(t->profile, t->profile->files[servers[0]].path);
        const struct cup_file_sum sum = cup_file_total(t->profile, servers[0]);
        snprintf(to, room, " The busiest server is %.*s: %s received for %s requests.",
                 (int)(name.length < 100 ? name.length : 100), name.bytes ? name.bytes : "",
                 humane(bytes, (double)sum.counters[CUP_F_READ_BYTES], CUP_UNIT_BYTES),
                 humane(requests, (double)sum.counters[CUP_F_WRITE_CALLS], CUP_UNIT_COUNT));
    }
    free(servers);
}

bool cup_rule_network_bound(const struct cup_totals *t, struct cup_advice *advice)
{
    double share = wait_share(t, CUP_WAITED_POLL);
    char time[CUP_HUMAN_READABLE_ROOM], server[240];
    if (!(share > 0.2))
        return false;
    say_which_server(t, server, sizeof server);
    advice->weight = of_threads(t, wait_s(t, CUP_WAITED_POLL));
    snprintf(advice->text, sizeof advice->text,
             "Network-bound: tasks waited on sockets and pipes for %.0f %% of their time (%s, "
             "threshold 20 %%).%s",
             share * 100, humane(time, wait_s(t, CUP_WAITED_POLL), CUP_UNIT_SECONDS), server);
    return true;
}

/* ---- other waits ------------------------------------------------------------------------ */

bool cup_rule_lock_bound(const struct cup_totals *t, struct cup_advice *advice)
{
    double share = wait_share(t, CUP_WAITED_LOCK);
    bool with_gil = !cup_profile_measured(t->profile, CUP_FEATURE_GIL);
    char time[CUP_HUMAN_READABLE_ROOM], cpu[CUP_HUMAN_READABLE_ROOM];
    if (!(share > 0.2))
        return false;
    advice->weight = of_threads(t, wait_s(t, CUP_WAITED_LOCK));
    snprintf(advice->text, sizeof advice->text,
             "Lock-bound: tasks waited for locks%s and for other threads for %.0f %% of their time "
             "(%s, threshold 20 %%). Their helper threads used %s of CPU time: where that is much, "
             "tasks waited for their own helpers.",
             with_gil ? " (the interpreter's among them: it is not told apart here)" : "",
             share * 100, humane(time, wait_s(t, CUP_WAITED_LOCK), CUP_UNIT_SECONDS),
             humane(cpu, (double)t->counters[CUP_C_HELPER_CPU_NS] / 1e9, CUP_UNIT_SECONDS));
    return true;
}

bool cup_rule_sleeping(const struct cup_totals *t, struct cup_advice *advice)
{
    double share = wait_share(t, CUP_WAITED_SLEEP);
    char time[CUP_HUMAN_READABLE_ROOM];
    if (!(share > 0.05))
        return false;
    advice->weight = of_threads(t, wait_s(t, CUP_WAITED_SLEEP));
    snprintf(advice->text, sizeof advice->text,
             "Tasks slept for %.0f %% of their time (%s, threshold 5 %%): a sleep() in the "
             "analysis, or a library that tries again after a pause, as on errors of storage.",
             share * 100, humane(time, wait_s(t, CUP_WAITED_SLEEP), CUP_UNIT_SECONDS));
    return true;
}

bool cup_rule_no_core(const struct cup_totals *t, struct cup_advice *advice)
{
    double share = wait_share(t, CUP_WAITED_RUN_DELAY);
    char time[CUP_HUMAN_READABLE_ROOM];
    if (!(share > 0.1))
        return false;
    advice->weight = of_threads(t, wait_s(t, CUP_WAITED_RUN_DELAY));
    snprintf(advice->text, sizeof advice->text,
             "CPU oversubscribed: tasks were ready to run, but without a core, for %.0f %% of "
             "their time (%s, threshold 10 %%). There are more runnable threads than cores: "
             "neighbours on the machine, helper threads of numerical libraries (OMP_NUM_THREADS), "
             "or a limit of the batch system below what the workers were told.",
             share * 100, humane(time, wait_s(t, CUP_WAITED_RUN_DELAY), CUP_UNIT_SECONDS));
    return true;
}

bool cup_rule_waits_unexplained(const struct cup_totals *t, struct cup_advice *advice)
{
    double share = wait_share(t, CUP_WAITED_OTHER);
    char time[CUP_HUMAN_READABLE_ROOM];
    if (!(share > 0.2))
        return false;
    advice->weight = of_threads(t, wait_s(t, CUP_WAITED_OTHER));
    snprintf(advice->text, sizeof advice->text,
             "Tasks were off the CPU in no call that is watched for %.0f %% of their time (%s, "
             "threshold 20 %%): other_wait_s, what is left when all measured waits are taken "
             "away.",
             share * 100, humane(time, wait_s(t, CUP_WAITED_OTHER), CUP_UNIT_SECONDS));
    return true;
}

bool cup_rule_waits_not_told_apart(const struct cup_totals *t, struct cup_advice *advice)
{
    double other = (double)t->budget.ns[CUP_BUDGET_UNTOLD] / 1e9;
    double tasks = (double)t->all.with_cpu_ns / 1e9, reads = (double)t->counters[CUP_C_READ_NS];
    char waited[CUP_HUMAN_READABLE_ROOM], read[CUP_HUMAN_READABLE_ROOM];
    if (!(other / tasks > 0.3))
        return false;
    advice->weight = of_threads(t, other);
    snprintf(advice->text, sizeof advice->text,
             "Tasks were off the CPU for %.0f %% of their time (%s, threshold 30 %%), and their "
             "waits were not measured. Calls that read files took %s on all threads together; the "
             "rest is the GIL, locks, sockets or a busy machine.",
             other / tasks * 100, humane(waited, other, CUP_UNIT_SECONDS),
             humane(read, reads / 1e9, CUP_UNIT_SECONDS));
    return true;
}

/* ---- memory ----------------------------------------------------------------------------- */

bool cup_rule_page_faults(const struct cup_totals *t, struct cup_advice *advice)
{
    double share = wait_share(t, CUP_WAITED_FAULT);
    char time[CUP_HUMAN_READABLE_ROOM], faults[CUP_HUMAN_READABLE_ROOM],
        mapped[CUP_HUMAN_READABLE_ROOM];
    if (!(share > 0.05))
        return false;
    advice->weight = of_threads(t, wait_s(t, CUP_WAITED_FAULT));
    snprintf(advice->text, sizeof advice->text,
             "Memory: tasks waited for pages from a disk for about %.0f %% of their time (%s, "
             "derived, threshold 5 %%), %s major page faults. Tasks touched %s of mapped files; "
             "what is beyond that is a machine that swaps, or code that is loaded.",
             share * 100, humane(time, wait_s(t, CUP_WAITED_FAULT), CUP_UNIT_SECONDS),
             humane(faults, (double)t->counters[CUP_C_MAJOR_FAULTS], CUP_UNIT_COUNT),
             humane(mapped, (double)t->counters[CUP_C_MAPPED_BYTES], CUP_UNIT_BYTES));
    return true;
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

/* The prefix whose tasks were in the kernel for the longest time; NULL if none was. */
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

/* Beyond a megabyte malloc keeps what arrays of events take and give back all the time. */
static const double small_trim_threshold = 1e6;

bool cup_rule_trim_churn(const struct cup_totals *t, struct cup_advice *advice)
{
    const struct cup_prefix *prefix = most_in_kernel(t->profile);
    double threshold = trim_threshold(t->profile);
    char faults[CUP_HUMAN_READABLE_ROOM], time[CUP_HUMAN_READABLE_ROOM];
    if (!prefix || threshold == 0 || threshold >= small_trim_threshold)
        return false;
    double tasks = (double)prefix->waits.tasks;
    double kernel = (double)prefix->counters[CUP_C_SYSTEM_CPU_NS];
    double share = kernel / (double)cup_wait_sums_wall_ns(&prefix->waits);
    double faults_a_task = (double)prefix->counters[CUP_C_MINOR_FAULTS] / tasks;
    struct cup_text name = cup_profile_text(t->profile, prefix->name);
    if (!(share > 0.1) || !(faults_a_task > 1000))
        return false;
    advice->weight = of_threads(t, kernel / 1e9);
    snprintf(advice->text, sizeof advice->text,
             "malloc-trim churn: MALLOC_TRIM_THRESHOLD_=%.0f%s lets malloc give memory back to the "
             "kernel and ask for it again: %.*s has %s minor page faults (threshold 1,000) and %s "
             "in the kernel a task, %.0f %% of its time (threshold 10 %%). Set Dask's "
             "distributed.nanny.pre-spawn-environ.MALLOC_TRIM_THRESHOLD_ to 1000000000 or so: "
             "workers then keep more memory, and spend this time on the analysis.",
             threshold, threshold == 65536 ? " (Dask's default under a nanny)" : "",
             (int)(name.length < 60 ? name.length : 60), name.bytes ? name.bytes : "",
             humane(faults, faults_a_task, CUP_UNIT_COUNT),
             humane(time, kernel / tasks / 1e9, CUP_UNIT_SECONDS), share * 100);
    return true;
}

/* ---- outside of tasks ------------------------------------------------------------------- */

/* Tasks that use none of the pool's threads: where they are many, idle threads say little. */
static bool many_elsewhere(const struct cup_totals *t)
{
    return (double)t->elsewhere_ns > 0.1 * (double)t->all.wall_ns;
}

bool cup_rule_starved(const struct cup_totals *t, struct cup_advice *advice)
{
    double idle = (double)t->budget.ns[CUP_BUDGET_IDLE] / 1e9, share = of_threads(t, idle);
    char time[CUP_HUMAN_READABLE_ROOM];
    if (!(share > 0.3) || many_elsewhere(t))
        return false;
    advice->weight = share;
    snprintf(
        advice->text, sizeof advice->text,
        "Starved: the workers' %llu threads were idle for %.0f %% of their time (%s, threshold "
        "30 %%): without a task for more than 100 ms, before their first or after their last. "
        "Too few chunks for so many threads, a long tail, or a client that hands out work "
        "slowly.",
        (unsigned long long)t->budget.threads, share * 100, humane(time, idle, CUP_UNIT_SECONDS));
    return true;
}

bool cup_rule_between_tasks(const struct cup_totals *t, struct cup_advice *advice)
{
    double between = (double)t->budget.ns[CUP_BUDGET_BETWEEN] / 1e9;
    double share = of_threads(t, between), tasks = (double)t->all.tasks;
    char time[CUP_HUMAN_READABLE_ROOM], gap[CUP_HUMAN_READABLE_ROOM], task[CUP_HUMAN_READABLE_ROOM];
    if (!(share > 0.1))
        return false;
    advice->weight = share;
    snprintf(advice->text, sizeof advice->text,
             "Dask took %.0f %% of the threads' time between tasks (%s, threshold 10 %%): %s on "
             "average after tasks of %s. Larger chunks need fewer tasks.",
             share * 100, humane(time, between, CUP_UNIT_SECONDS),
             humane(gap, between / (double)t->budget.gaps, CUP_UNIT_SECONDS),
             humane(task, (double)t->all.wall_ns / 1e9 / tasks, CUP_UNIT_SECONDS));
    return true;
}
