/* Logs of older versions stay readable, and what they lack is not known rather than 0.
 *
 * tests/data/logs/format-3.cup.gz was written by the library of commit 0a1c996b, the last one of
 * format 3: four Dask tasks, each of which read a file of 100,000 bytes and fetched one of 50,000
 * bytes by HTTP. format-4.cup.gz and format-6.cup.gz are the same by commits 63d29164 and b4a0f07a,
 * the last ones of their formats, without functions. Whoever raises CUP_LOG_VERSION adds a log of
 * the version before. */
#include "tests/wrappers/shell.h"

#include <criterion/criterion.h>

TestSuite(upgrade, .init = shell_enter, .fini = shell_leave);

#define UNPACK "mkdir logs; gzip -dc $top/tests/data/logs/format-3.cup.gz >logs/a.cup; "

Test(upgrade, a_log_of_format_3_is_read)
{
    const struct shell_result *r = shell(
        UNPACK "$cupping tasks logs --csv - | python3 -c '\n"
               "import csv, sys\n"
               "rows = list(csv.DictReader(sys.stdin))\n"
               "for name in \"read_bytes\", \"server_read_bytes\", \"status\", \"open_calls\":\n"
               "    print(name, *{row[name] for row in rows}, len(rows))\n"
               "print(all(50000 < int(row[\"recv_bytes\"]) < 51000 for row in rows))'");
    cr_expect_str_eq(r->out, "read_bytes 100000 4\nserver_read_bytes  4\nstatus finished 4\n"
                             "open_calls 1 4\nTrue\n");
    cr_expect_str_empty(r->err);
}

static const struct shell_result *read_tasks(const char *log)
{
    return shell("mkdir logs; gzip -dc $top/tests/data/logs/%s.cup.gz >logs/a.cup; "
                 "$cupping tasks logs --csv - | python3 -c '\n"
                 "import csv, sys\n"
                 "rows = list(csv.DictReader(sys.stdin))\n"
                 "for name in \"read_bytes\", \"server_read_bytes\", \"read_calls\", \"status\":\n"
                 "    print(name, *{row[name] for row in rows}, len(rows))'",
                 log);
}

Test(upgrade, a_log_of_format_4_is_read)
{
    const struct shell_result *r = read_tasks("format-4");
    cr_expect_str_eq(r->out, "read_bytes 150042 4\nserver_read_bytes 50042 4\nread_calls 1 4\n"
                             "status finished 4\n");
    cr_expect_str_empty(r->err);
}

Test(upgrade, a_log_of_format_6_is_read)
{
    const struct shell_result *r = read_tasks("format-6");
    cr_expect_str_eq(r->out, "read_bytes 150203 4\nserver_read_bytes 50203 4\nread_calls 2 4\n"
                             "status finished 4\n");
    cr_expect_str_empty(r->err);
}

Test(upgrade, the_report_says_what_an_older_log_lacks)
{
    const struct shell_result *r =
        shell(UNPACK "$cupping report logs --only health | tr '\\n' ' ' | tr -s ' '; "
                     "$cupping report logs --only attribution");
    cr_expect(has(r->out,
                  "servers was off in 1 process: what servers sent counts as received only, "
                  "not as read."),
              "%s", r->out);
    cr_expect(has(r->out, "unattributed was off in 1 process: "), "%s", r->out);
    cr_expect(has(r->out, "by sockets: HTTP, S3          n/a [1]  server_read_bytes"), "%s",
              r->out);
    cr_expect(has(r->out, "attributed to tasks              601 kB"), "%s", r->out);
    cr_expect_str_empty(r->err);
}

Test(upgrade, every_verb_reads_it)
{
    static const char *const verbs[] = {"report logs --json -",        "report logs --full",
                                        "export logs --to csv -o csv", "compare logs logs",
                                        "plot logs -o p --all",        "dump logs/a.cup",
                                        "plot logs --html p.html"};
    shell(UNPACK);
    for (size_t i = 0; i < sizeof verbs / sizeof *verbs; i++) {
        const struct shell_result *r = shell("$cupping %s >/dev/null", verbs[i]);
        cr_expect_eq(r->status, 0, "%s: %s", verbs[i], r->err);
    }
}

/* The version is the 16-bit number at byte 12, the oldest reader that at byte 14. */
Test(upgrade, a_newer_log_is_refused_in_one_line)
{
    const struct shell_result *r = shell(
        UNPACK
        "printf '\\013\\000\\013\\000' | dd of=logs/a.cup bs=1 seek=12 conv=notrunc status=none; "
        "$cupping report logs");
    cr_expect_eq(r->status, 1);
    cr_expect_str_eq(r->err,
                     "cupping: logs/a.cup: byte 12: written in log format 11, which needs a "
                     "reader of format 11; this cupping reads up to 9: use a newer cupping\n");
}
