/* `cupping doctor`: a row for each check, one line for each bad case, nothing left behind. */
#include "tests/wrappers/shell.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <unistd.h>

TestSuite(doctor, .init = shell_enter, .fini = shell_leave);

/* A program in ./fake, which is first on PATH. */
#define FAKE(name, text)                                                                           \
    "mkdir -p fake; printf '#!/bin/sh\n" text "\n' >fake/" name "; chmod +x fake/" name            \
    "; PATH=$PWD/fake:$PATH "

Test(doctor, a_fit_machine_is_one_screen_of_rows)
{
    if (access(CUP_PYTHON, X_OK))
        cr_skip_test("no %s", CUP_PYTHON);
    const struct shell_result *r =
        shell("COLUMNS=80 $cupping doctor --python %s; ls -A", CUP_PYTHON);
    cr_expect_eq(r->status, 0);
    cr_expect_str_empty(r->err);
    cr_expect(lines_of(r->out) <= 24, "%s", r->out);
    cr_expect(has(r->out, "  fit    library   libcupping.so can be preloaded\n"), "%s", r->out);
    cr_expect(has(r->out, "  fit    Dask      distributed 20"), "%s", r->out);
    cr_expect(has(r->out, "  fit    Coffea    coffea 20"), "%s", r->out);
    cr_expect(has(r->out, "  fit    measures  all that cupping can measure"), "%s", r->out);
    const char *end = "Profiles made here will be whole.\n.test-err\n.test-out\n";
    cr_expect(has(r->out, end) || has(r->out, "  lacks  native    "), "nothing is left: %s",
              r->out);
}

Test(doctor, what_is_missing_has_a_row_and_the_exit_status)
{
    static const struct {
        const char *command, *row;
    } cases[] = {
        {"$cupping doctor --python nosuch",
         "  wrong  Python    nosuch: command not found. -> name"},
        {FAKE("old", "printf "
                     "\"python=3.8.18\\\\nimplementation=CPython\\\\nexecutable=/"
                     "old\\\\n\"") "$cupping doctor --python old",
         "  wrong  Python    CPython 3.8.18 (/old) is not recorded"},
        {FAKE("old", "printf "
                     "\"python=3.11.1\\\\nimplementation=CPython\\\\ndistributed=2021.12."
                     "0\\\\n\"") "$cupping doctor --python old",
         "  lacks  Dask      distributed 2021.12.0 is too old: its tasks are not"},
        {"cp $top/build/libcupping.so .; " FAKE(
             "old",
             "printf \"python=3.8.18\\\\nimplementation=CPython\\\\nexecutable=$LD_PRELOAD"
             "\\\\n\"") "LD_PRELOAD=$PWD/libcupping.so:libm.so.6 $cupping doctor --python old",
         "  wrong  Python    CPython 3.8.18 (libm.so.6:" CUP_TOP "/build/libcupping.so) is not"},
        {FAKE("broken", "echo SyntaxError: none >&2; exit 1") "$cupping doctor --python broken",
         "  wrong  Python    broken does not run: SyntaxError: none. -> name"},
        {FAKE("musl", "echo Error loading shared library ld-linux >&2; exit 127") "$cupping doctor "
                                                                                  "--python musl",
         "  wrong  library   musl is a program of musl"},
        {FAKE("uname", "echo Linux aarch64") "$cupping doctor",
         "  wrong  library   this is Linux aarch64: cupping is for Linux on x86_64\n"},
        {FAKE("uname", "echo Darwin arm64") "$cupping doctor",
         "  n/a    Python    without the library it was not tried\n"},
        {"CUPPING_DISABLE=1 $cupping doctor", "  wrong  settings  CUPPING_DISABLE=1: nothing is"},
        {"CUPPING_STACKS=0 $cupping doctor", "  lacks  settings  CUPPING_STACKS=0: no stacks"},
        {"CUPPING_INTERVAL=abc $cupping doctor",
         "  wrong  settings  `cupping run` refuses CUPPING_INTERVAL=abc: neither 0 nor 0.02 to"},
        {"CUPPING_SHARE=me $cupping doctor",
         "  wrong  settings  `cupping run` refuses CUPPING_SHARE=me: neither 0, group nor all"},
        {"ulimit -f 100; $cupping doctor", "  lacks  directory a file may have "},
        {"mkdir 'a b'; cp -r $top/build/cupping $top/wrappers/cupping-run 'a b'; mkdir -p "
         "lib/cupping; "
         "cp $top/build/libcupping.so lib/cupping; cp -r lib 'a b'; mkdir 'a b/bin'; "
         "mv 'a b/cupping' 'a b/cupping-run' 'a b/bin'; 'a b/bin/cupping' doctor",
         "  wrong  library   LD_PRELOAD splits at spaces and colons"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct shell_result *r = shell("export COLUMNS=500; %s", cases[i].command);
        cr_expect_eq(r->status, 1, "%s: %d", cases[i].row, r->status);
        cr_expect(has(r->out, cases[i].row), "%s: %s%s", cases[i].row, r->out, r->err);
        cr_expect_str_empty(r->err);
    }
    const struct shell_result *r = shell("LD_PRELOAD=/nosuch.so $cupping doctor 2>/dev/null");
    cr_expect(has(r->out, "fit    library "), "%s: this is another library", r->out);
    r = shell("$cupping doctor nowhere/new");
    cr_expect(has(r->out, "directory"), "%s: it would be made", r->err);
    cr_expect_str_empty(r->err);
    r = shell("touch file; $cupping doctor file/new");
    cr_expect_eq(r->status, 2);
    cr_expect(has(r->err, "file/new: cannot examine the directory") && lines_of(r->err) == 1);
}

Test(doctor, each_package_that_cannot_be_imported_has_a_row)
{
    if (access(CUP_PYTHON, X_OK))
        cr_skip_test("no %s", CUP_PYTHON);
    const struct shell_result *r =
        shell("mkdir -p fake/uproot fake/coffea fake/distributed; touch fake/uproot/utils.py\n"
              "echo 'from uproot.utils import nothing' >fake/uproot/__init__.py\n"
              "echo 'import nosuchmodule' >fake/coffea/__init__.py\n"
              "echo 'raise RuntimeError(5)' >fake/distributed/__init__.py\n"
              "COLUMNS=500 PYTHONPATH=$PWD/fake $cupping doctor --python %s",
              CUP_PYTHON);
    cr_expect_eq(r->status, 1);
    cr_expect(has(r->out, "  lacks  readers   uproot cannot be imported: ImportError: cannot"),
              "%s", r->out);
    cr_expect(has(r->out, " cannot be imported: ModuleNotFoundError: No module named"), "%s",
              r->out);
    cr_expect(has(r->out, " cannot be imported: RuntimeError: 5"), "%s", r->out);
}

Test(doctor, run_refuses_other_systems_in_one_line)
{
    const struct shell_result *r = shell(FAKE("uname", "echo Darwin arm64") "$run -o p true");
    cr_expect_eq(r->status, 1);
    cr_expect_str_eq(r->err, "cupping-run: this is Darwin arm64: cupping is for Linux on x86_64\n");
    r = shell("rm fake/uname; " FAKE(
        "sh", "echo Error relocating x: y: symbol not found >&2; exit 127") "$run -o p true");
    cr_expect_eq(r->status, 1);
    cr_expect_str_eq(r->err, "cupping-run: the C library of this system is musl, as in Alpine: "
                             "cupping needs glibc\n");
}
