/* Which processes still run: asked of the kernel on this host, and judged by the log elsewhere. */
#include <criterion/criterion.h>

#include <time.h>
#include <unistd.h>

#include "analysis/profile/process_life.h"
#include "tests/analysis/support.h"

static char scratch[SUPPORT_PATH];

static int64_t now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return now.tv_sec * INT64_C(1000000000) + now.tv_nsec;
}

static void save(const char *name, const char *host, pid_t pid, int64_t start_ns, int64_t stop_ns)
{
    struct log_builder builder;
    builder_start(&builder);
    struct cup_log_header *header = builder_header(&builder);
    header->pid = (uint32_t)pid;
    header->process_start_ns = header->log_start_ns = start_ns;
    header->log_stop_ns = stop_ns;
    memset(header->host, 0, sizeof header->host);
    if (host)
        snprintf(header->host, sizeof header->host, "%s", host);
    else
        gethostname(header->host, sizeof header->host - 1);
    builder_finish(&builder);
    save_log(&builder, scratch, name);
    builder_free(&builder);
}

/* The lives of the processes, in the order of the logs' names. */
static void expect(const enum cup_life *lives, size_t count, bool any)
{
    struct cup_profile profile;
    struct cup_error error;
    const struct cup_load_options options = {0};
    cr_assert_eq(cup_profile_load(&profile, scratch, &options, &error), 0, "%s", error.text);
    cr_assert_eq(profile.process_count, count);
    for (size_t i = 0; i < count; i++)
        cr_expect_eq(profile.processes[i].life, lives[i], "%s: %d", profile.processes[i].log_path,
                     profile.processes[i].life);
    cr_expect_eq(cup_profile_runs(&profile), any);
    cup_profile_free(&profile);
}

static void set_up(void)
{
    make_scratch(scratch);
}

static void tear_down(void)
{
    remove_scratch(scratch);
}

TestSuite(process_life, .init = set_up, .fini = tear_down);

Test(process_life, of_this_host_the_kernel_knows)
{
    static const enum cup_life lives[] = {CUP_LIFE_RUNS, CUP_LIFE_ENDED, CUP_LIFE_VANISHED,
                                          CUP_LIFE_VANISHED};
    int64_t now = now_ns();
    save("a.cup", NULL, getpid(), now, 0);
    save("b.cup", NULL, getpid(), now - 1, now);
    save("c.cup", NULL, 0x7ffffff0, now, 0); /* no such process */
    save("d.cup", NULL, 1, 1000000000, 0);   /* began after that log: another of that number */
    expect(lives, 4, true);
}

Test(process_life, the_later_log_of_a_process_replaces_the_earlier_one)
{
    static const enum cup_life lives[] = {CUP_LIFE_VANISHED, CUP_LIFE_RUNS};
    int64_t now = now_ns();
    save("a.cup", NULL, getpid(), now - 1000, 0);
    save("b.cup", NULL, getpid(), now, 0);
    expect(lives, 2, true);
}

Test(process_life, of_other_hosts_the_last_sign_counts)
{
    static const enum cup_life lives[] = {CUP_LIFE_VANISHED};
    static const enum cup_life recent[] = {CUP_LIFE_RUNS};
    save("a.cup", "elsewhere", getpid(), now_ns() - 2 * CUP_RECENT_NS, 0);
    expect(lives, 1, false);
    struct log_builder builder;
    builder_start(&builder);
    snprintf(builder_header(&builder)->host, 64, "elsewhere");
    builder_header(&builder)->log_stop_ns = 0;
    struct cup_r_task_begin begin = {.task = 1, .start_ns = now_ns() - 1000000};
    builder_begin(&builder, &begin, "one");
    builder_finish(&builder);
    save_log(&builder, scratch, "a.cup");
    builder_free(&builder);
    expect(recent, 1, true);
}
