#include <criterion/criterion.h>

#include <stdlib.h>
#include <string.h>

#include "analysis/anonymize/aliases.h"
#include "analysis/anonymize/record_texts.h"

TestSuite(aliases);

struct row {
    enum cup_name_kind kind;
    const char *text, *alias;
};

static void make(struct cup_aliases *aliases, const struct row *row, struct cup_alias *alias)
{
    cup_alias_make(aliases, row->kind, (struct cup_text){row->text, strlen(row->text)}, alias);
}

static void expect_aliases(const struct row *rows, size_t count)
{
    struct cup_aliases aliases = {0};
    struct cup_alias alias = {0};
    for (size_t i = count; i-- > 0;) /* the order does not matter */
        make(&aliases, &rows[i], &alias);
    cr_assert_eq(cup_aliases_number(&aliases), 0);
    for (size_t i = 0; i < count; i++) {
        make(&aliases, &rows[i], &alias);
        cr_expect(alias.length == strlen(rows[i].alias) &&
                      memcmp(alias.bytes, rows[i].alias, alias.length) == 0,
                  "%s is %.*s, not %s", rows[i].text, (int)alias.length, alias.bytes,
                  rows[i].alias);
    }
    cr_expect_not(aliases.short_of_memory);
    cup_aliases_free(&aliases);
    free(alias.bytes);
}

#define EXPECT(...)                                                                                \
    do {                                                                                           \
        static const struct row rows[] = {__VA_ARGS__};                                            \
        expect_aliases(rows, sizeof rows / sizeof *rows);                                          \
    } while (0)

Test(aliases, of_paths_and_addresses)
{
    EXPECT({CUP_NAME_PLACE, "/home/ann/b.root", "/home/dir-1/file-2.root"},
           {CUP_NAME_PLACE, "root://node1.org:1094//store/user/ann/a.root",
            "root://host-2:1094//store/dir-8/dir-1/file-1.root"},
           {CUP_NAME_PLACE, "tcp://10.0.0.1:8786", "tcp://host-1:8786"},
           {CUP_NAME_PLACE, "tcp://127.0.0.1:8786", "tcp://127.0.0.1:8786"},
           {CUP_NAME_HOST, "node1.org", "host-2"},
           {CUP_NAME_PLACE, "/x/https://ann@node1.org/f", "/dir-10/dir-4//dir-2/dir-3"},
           {CUP_NAME_PLACE, "unix:/run/sock", "unix:/run/dir-7"},
           {CUP_NAME_PLACE, "relative", "dir-6"}, {CUP_NAME_PLACE, "", ""},
           {CUP_NAME_PLACE, "mine.cern.ch.secret", "dir-5"},
           {CUP_NAME_PLACE, "/tmp/dask-scratch-space/worker-ann",
            "/tmp/dask-scratch-space/worker-dir-9"});
}

Test(aliases, of_paths_of_code)
{
    EXPECT({CUP_NAME_PLACE, "/a/lib/python3.11/threading.py", "/dir-1/lib/python3.11/threading.py"},
           {CUP_NAME_PLACE, "/a/lib/python3.11/site-packages/uproot/reading.py",
            "/dir-1/lib/python3.11/site-packages/uproot/reading.py"},
           {CUP_NAME_PLACE, "/a/lib/python3.11/site-packages/ann/x.py",
            "/dir-1/lib/python3.11/site-packages/dir-2/file-3.py"},
           {CUP_NAME_PLACE, "/a/python3.11/secret.py", "/dir-1/python3.11/file-2.py"},
           {CUP_NAME_PLACE, "/usr/lib/x86_64-linux-gnu/libz.so.1",
            "/usr/lib/x86_64-linux-gnu/libz.so.1"},
           {CUP_NAME_PLACE, "/a/libpython3.11.so.1.0", "/dir-1/libpython3.11.so.1.0"},
           {CUP_NAME_PLACE, "/a/libm-ann.so", "/dir-1/file-1.so"},
           {CUP_NAME_PLACE, "<frozen importlib._bootstrap>", "<frozen importlib._bootstrap>"},
           {CUP_NAME_PLACE, "<ipython-input-1-ann>", "<ipython-input-text-1>"},
           {CUP_NAME_PLACE, "<string>", "<string>"});
}

Test(aliases, of_other_texts)
{
    EXPECT({CUP_NAME_KEY, "process-1", "key-1"}, {CUP_NAME_PREFIX, "process", "process"},
           {CUP_NAME_PREFIX, "search", "prefix-1"}, {CUP_NAME_SPAN, "default", "default"},
           {CUP_NAME_DATASET, "signal", "dataset-1"}, {CUP_NAME_WORKER, "0", "0"},
           {CUP_NAME_WORKER, "tcp://127.0.0.1:1", "tcp://127.0.0.1:1"},
           {CUP_NAME_WORKER, "ann-1", "worker-1"},
           {CUP_NAME_ERROR, "OSError('/home/ann')", "OSError(error-1)"},
           {CUP_NAME_ERROR, "no class", "error-2"},
           {CUP_NAME_MOUNT, "nfs4:server:/export", "nfs4:mount-1"},
           {CUP_NAME_COMMAND, "python x.py", "command-1"}, {CUP_NAME_PUBLIC, "Muon_pt", "Muon_pt"},
           {CUP_NAME_TEXT, "unknown", "text-1"},
           {CUP_NAME_NOTE, "off: cannot open /home/ann of 'a b', x=1",
            "off: cannot open ... of ... ... x=..."});
}

static enum cup_name_kind kind_of(const char *name, const char *value)
{
    return cup_fact_kind((struct cup_text){name, strlen(name)},
                         (struct cup_text){value, strlen(value)});
}

Test(aliases, facts_about_the_process)
{
    cr_expect_eq(kind_of("python", "3.11.7"), CUP_NAME_PUBLIC);
    cr_expect_eq(kind_of("dask", "2026.8.0+ann"), CUP_NAME_PUBLIC);
    cr_expect_eq(kind_of("command", "3.11"), CUP_NAME_COMMAND);
    cr_expect_eq(kind_of("uncaught_exception", "KeyboardInterrupt"), CUP_NAME_PUBLIC);
    cr_expect_eq(kind_of("uncaught_exception", "3"), CUP_NAME_ERROR);
    cr_expect_eq(kind_of("uncaught_exception", "an error"), CUP_NAME_ERROR);
    cr_expect_eq(kind_of("of a newer version", "ann"), CUP_NAME_TEXT);
}
