/* Names of native functions: from real libraries with and without symbols, and from files that are
 * not what ran, or nothing at all. */
#include <arpa/inet.h>
#include <criterion/criterion.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "analysis/symbols/native_modules.h"
#include "tests/analysis/native_files.h"
#include "tests/analysis/support.h"

static char scratch[SUPPORT_PATH];
static struct cup_modules modules;
static struct native_file file;

static void set_up(void)
{
    make_scratch(scratch);
}

static void tear_down(void)
{
    cup_modules_free(&modules);
    remove_scratch(scratch);
}

TestSuite(symbols, .init = set_up, .fini = tear_down);

static struct cup_text text_of(const char *string)
{
    return (struct cup_text){string, strlen(string)};
}

static uint32_t add(const char *path, struct cup_text build_id)
{
    uint32_t module = cup_modules_add(&modules, text_of(path), build_id, false);
    cr_assert_lt(module, modules.count);
    return module;
}

static const char *name_at(uint32_t module, uint32_t offset)
{
    static struct cup_native_name name;
    cr_assert_eq(cup_modules_name(&modules, module, offset, &name), 0);
    return name.text;
}

static const char *name_of(const struct native_file *of, int place)
{
    return name_at(add(of->path, native_build_id(of)), of->places[place]);
}

static void expect_nameless(uint32_t module, enum cup_module_state state, const char *why)
{
    char expected[NATIVE_PATH + 32];
    const struct cup_text name = cup_module_file(modules.rows[module].path);
    snprintf(expected, sizeof expected, "%.*s+0x12", (int)name.length, name.bytes);
    cr_expect_str_eq(name_at(module, 0x12), expected);
    cr_expect_eq(modules.rows[module].state, state, "%d", modules.rows[module].state);
    cr_expect(strstr(modules.rows[module].why, why), "%s", modules.rows[module].why);
    cr_expect_eq(modules.rows[module].named, 0);
}

/* ---- names -------------------------------------------------------------------------------- */

Test(symbols, names_are_as_their_authors_wrote_them)
{
    static const char *const names[][2] = {
        {"inflate", "inflate"},
        {"main", "main"},
        {"_ZNSt6vectorIiSaIiEE9push_backERKi", "std::vector<int, std::allocator<int> >::push_back"},
        {"_ZZ4mainENKUliE_clEi", "main::{lambda(int)#1}::operator()"},
        {"_Z3fooIiEvT_.constprop.0", "foo<int>"},
        {"_Z3fooi.cold", "foo"},
        {"work.part.3", "work"},
        {"memcpy@@GLIBC_2.14", "memcpy"},
        {"_RNvCskwGfYPst2Cb_3foo16example_function", "foo::example_function"},
        {"_RINvNtC3std3mem8align_ofdE", "std::mem::align_of::<f64>"},
        {"_ZN4core3ptr13drop_in_place17h0123456789abcdefE.llvm.123", "core::ptr::drop_in_place"},
        {"_ZN71_$LT$Test$u20$$u2b$$u20$$u27$static$u20$as$u20$foo..Bar$LT$Test$GT$$GT$"
         "3bar17h930b740aa94f1d3aE",
         "<Test + 'static as foo::Bar<Test>>::bar"},
        {"_Znonsense", "_Znonsense"},
        {"_R", "_R"},
        {".cold", ".cold"},
        {"@", "@"},
        {"", ""},
    };
    char name[200];
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        cr_expect_str_eq(cup_demangle(names[i][0], name, sizeof name), names[i][1]);
    cr_expect_str_eq(cup_demangle("inflate", name, 4), "inf");
    cr_expect_str_eq(cup_demangle("_Z3fooi", name, 3), "fo");
}

Test(symbols, names_without_end_end)
{
    char *symbol = malloc(100001), name[200];
    memset(symbol, 'P', 100000);
    memcpy(symbol, "_Z1f", 4);
    symbol[100000] = '\0';
    cr_expect_eq(strncmp(cup_demangle(symbol, name, sizeof name), "_Z1fPPP", 7), 0);
    symbol[4000] = '\0';
    cup_demangle(symbol, name, sizeof name);
    free(symbol);
}

/* ---- whole files -------------------------------------------------------------------------- */

Test(symbols, all_functions_of_a_whole_file_have_names)
{
    make_native(&file, scratch, "libwhole.so", "");
    cr_expect_str_eq(name_of(&file, P_STATIC_INNER), "static_inner");
    cr_expect_str_eq(name_of(&file, P_OUTER), "outer");
    cr_expect_str_eq(name_of(&file, P_LAMBDA), "main::{lambda(int)#1}::operator()");
    cr_expect_str_eq(name_of(&file, P_TEMPLATE),
                     "std::vector<int, std::allocator<int> >::push_back");
    cr_expect_str_eq(name_of(&file, P_RUST), "foo::example_function");
    cr_expect_eq(modules.count, 1, "told five times, and the same");
    cr_expect_eq(modules.rows[0].state, CUP_MODULE_READ);
    cr_expect_str_eq(modules.rows[0].why, "");
    cr_expect_eq(modules.rows[0].named, 5);
    cr_expect_str_eq(name_at(0, 0), "libwhole.so+0x0", "%s is no function", name_at(0, 0));
    cr_expect_str_eq(name_at(0, 0xfffffff0), "libwhole.so+0xfffffff0");
}

/* Statics are gone; where one begins is known from the tables for unwinding. */
Test(symbols, a_stripped_file_has_the_names_that_it_exports)
{
    char expected[64];
    make_native(&file, scratch, "libstripped.so", "-s -fasynchronous-unwind-tables");
    cr_expect_str_eq(name_of(&file, P_OUTER), "outer");
    cr_expect_str_eq(name_of(&file, P_RUST), "foo::example_function");
    snprintf(expected, sizeof expected, "libstripped.so+%#x", file.places[P_STATIC_INNER] - 2);
    cr_expect_str_eq(name_of(&file, P_STATIC_INNER), expected);
    cr_expect_str_eq(name_at(0, file.places[P_STATIC_INNER] + 1), expected, "it is one function");
    cr_expect_eq(modules.rows[0].named, 2);
}

/* The lowest mapping of a program that is not moved lies where the file says. */
Test(symbols, a_program_with_fixed_addresses_is_read_likewise)
{
    char command[2 * SUPPORT_PATH];
    unsigned long places[NATIVE_PLACES];
    make_native(&file, scratch, "libfixed.so", "");
    shell("cd %s && ${CC:-$(command -v gcc || command -v clang)} -O1 -no-pie -fno-pie "
          "-Wl,--build-id=none -Wl,-Ttext-segment=0x700000 -o fixed libfixed.so.c",
          scratch);
    snprintf(command, sizeof command, "%s/fixed", scratch);
    FILE *out = popen(command, "r");
    for (int i = 0; i < NATIVE_PLACES; i++)
        cr_assert_eq(fscanf(out, "%lx", &places[i]), 1);
    cr_assert_eq(pclose(out), 0);
    uint32_t module = cup_modules_add(&modules, text_of(command), (struct cup_text){0}, true);
    cr_expect_str_eq(name_at(module, (uint32_t)(places[P_OUTER] - 0x700000) + 2), "outer");
    cr_expect_str_eq(name_at(module, (uint32_t)(places[P_STATIC_INNER] - 0x700000) + 2),
                     "static_inner");
}

/* ---- debugging files ---------------------------------------------------------------------- */

static void split(const struct native_file *of, const char *debug)
{
    shell("cd %s && mkdir -p \"$(dirname %s)\" && objcopy --only-keep-debug %s %s && strip %s",
          scratch, debug, of->path, debug, of->path);
}

Test(symbols, the_file_that_a_debuglink_names_is_read)
{
    make_native(&file, scratch, "liblinked.so", "-g -Wl,--build-id=none");
    split(&file, ".debug/liblinked.so.debug");
    shell("cd %s && objcopy --add-gnu-debuglink=.debug/liblinked.so.debug liblinked.so", scratch);
    uint32_t module = cup_modules_add(&modules, text_of(file.path), (struct cup_text){0}, true);
    cr_expect_str_eq(name_at(module, file.places[P_STATIC_INNER]), "static_inner");
}

/* DIRECTORY/.build-id/ab/cdef.debug */
static void split_by_build_id(const struct native_file *of, const char *directory)
{
    char debug[200];
    int length = snprintf(debug, sizeof debug, "%s/.build-id/%02x/", directory, of->build_id[0]);
    for (uint32_t i = 1; i < of->build_id_bytes; i++)
        length += snprintf(debug + length, sizeof debug - (size_t)length, "%02x", of->build_id[i]);
    snprintf(debug + length, sizeof debug - (size_t)length, ".debug");
    split(of, debug);
}

Test(symbols, the_debugging_file_of_that_build_id_is_read)
{
    char path[2 * SUPPORT_PATH];
    snprintf(path, sizeof path, ":.debug:%s/debug", scratch);
    modules.debug_path = path;
    make_native(&file, scratch, "libsplit.so", "-g");
    split_by_build_id(&file, "debug");
    cr_expect_str_eq(name_of(&file, P_STATIC_INNER), "static_inner");
    cr_expect_eq(modules.rows[0].state, CUP_MODULE_READ);
}

Test(symbols, the_debugging_file_alone_is_enough)
{
    char path[2 * SUPPORT_PATH];
    snprintf(path, sizeof path, ":.debug:%s/debug", scratch);
    modules.debug_path = path;
    make_native(&file, scratch, "libgone.so", "-g");
    split_by_build_id(&file, "debug");
    cr_assert_eq(remove(file.path), 0);
    cr_expect_str_eq(name_of(&file, P_STATIC_INNER), "static_inner");
    cr_expect_str_eq(name_of(&file, P_LAMBDA), "main::{lambda(int)#1}::operator()");
    cr_expect_eq(modules.rows[0].state, CUP_MODULE_DEBUG);
}

/* The table that Fedora adds to stripped files, of functions that are not exported. */
Test(symbols, the_compressed_table_is_read)
{
    if (system("command -v xz >/dev/null") != 0)
        cr_skip_test("xz is not installed");
    make_native(&file, scratch, "libmini.so", "");
    shell("cd %s && echo static_inner >kept && objcopy -S --keep-symbols=kept libmini.so mini && "
          "objcopy --only-keep-debug mini && xz mini && strip libmini.so && "
          "objcopy --add-section .gnu_debugdata=mini.xz libmini.so",
          scratch);
    cr_expect_str_eq(name_of(&file, P_STATIC_INNER), "static_inner");
    cr_expect_str_eq(name_of(&file, P_OUTER), "outer");
}

/* A server's address in the environment is that of one that listens, and hears nothing. */
Test(symbols, no_server_is_asked_for_debugging_files)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
    socklen_t length = sizeof address;
    char url[64];
    int server = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
    if (access("/usr/lib/x86_64-linux-gnu/libdebuginfod.so.1", F_OK) != 0)
        cr_skip_test("there is no library here that would ask");
    cr_assert_eq(bind(server, (struct sockaddr *)&address, length), 0);
    cr_assert_eq(listen(server, 8), 0);
    cr_assert_eq(getsockname(server, (struct sockaddr *)&address, &length), 0);
    snprintf(url, sizeof url, "http://127.0.0.1:%u", ntohs(address.sin_port));
    setenv("DEBUGINFOD_URLS", url, 1);
    setenv("DEBUGINFOD_TIMEOUT", "1", 1);
    make_native(&file, scratch, "libasks.so", "-s");
    cr_expect_str_neq(name_of(&file, P_STATIC_INNER), "static_inner");
    cr_expect_eq(accept(server, NULL, NULL), -1);
    cr_expect_eq(errno, EAGAIN);
    close(server);
}

/* ---- files that are not what ran ---------------------------------------------------------- */

Test(symbols, a_file_of_another_build_names_nothing)
{
    make_native(&file, scratch, "libother.so", "");
    file.build_id[3] ^= 1;
    uint32_t module = add(file.path, native_build_id(&file));
    expect_nameless(module, CUP_MODULE_OTHER, "another build id");
    file.build_id[3] ^= 1;
    module = add(file.path, (struct cup_text){(const char *)file.build_id, 8});
    cr_expect_str_neq(name_at(module, file.places[P_OUTER]), "outer");
    module = add(file.path, native_build_id(&file));
    cr_expect_str_eq(name_at(module, file.places[P_OUTER]), "outer", "the right one is read");
}

/* Their offsets mean different things. */
Test(symbols, two_builds_of_one_name_are_told_apart)
{
    const uint32_t first = add("/a/libx.so", text_of("\x01\x02\x03\x04\x05"));
    const uint32_t second = add("/b/libx.so", text_of("\xaa\xbb\xcc\xdd\xee"));
    const uint32_t third = add("/c/libx.so", text_of("\x01\x02\x03\x04\x05"));
    cr_expect_str_eq(name_at(first, 16), "libx.so+0x10");
    cr_expect_str_eq(name_at(second, 16), "libx.so@aabbccdd+0x10");
    cr_expect_str_eq(name_at(third, 16), "libx.so+0x10");
}

Test(symbols, without_a_build_id_only_an_unchanged_file_counts)
{
    make_native(&file, scratch, "libplain.so", "-Wl,--build-id=none");
    cr_assert_eq(file.build_id_bytes, 0);
    expect_nameless(add(file.path, (struct cup_text){0}), CUP_MODULE_UNPROVEN, "no build id");
    uint32_t module = cup_modules_add(&modules, text_of(file.path), (struct cup_text){0}, true);
    cr_expect_str_eq(name_at(module, file.places[P_STATIC_INNER]), "static_inner");
    int64_t now = (int64_t)time(NULL);
    cr_expect_not(cup_module_is_unchanged(text_of(file.path), (now - 3600) * 1000000000));
    cr_expect(cup_module_is_unchanged(text_of(file.path), (now + 3600) * 1000000000));
    cr_expect_not(cup_module_is_unchanged(text_of("/nowhere"), INT64_MAX));
}

/* ---- files that are nothing --------------------------------------------------------------- */

Test(symbols, what_is_no_library_names_nothing)
{
    const struct cup_text id = text_of("0123456789");
    char path[2 * SUPPORT_PATH], longer[6000];
    expect_nameless(add("/nowhere/libgone.so", id), CUP_MODULE_MISSING, "no such file");
    expect_nameless(add("libhere.so", id), CUP_MODULE_MISSING, "no path");
    expect_nameless(add("[vdso]", id), CUP_MODULE_MISSING, "no path");
    expect_nameless(add(scratch, id), CUP_MODULE_MISSING, "no regular file");
    snprintf(path, sizeof path, "%s/text", scratch);
    shell("echo no library >%s", path);
    expect_nameless(add(path, id), CUP_MODULE_MISSING, "ELF");
    snprintf(path, sizeof path, "%s/empty", scratch);
    shell(": >%s", path);
    expect_nameless(add(path, id), CUP_MODULE_MISSING, "ELF");
    snprintf(path, sizeof path, "%s/pipe", scratch);
    cr_assert_eq(mkfifo(path, 0600), 0);
    expect_nameless(add(path, id), CUP_MODULE_MISSING, "no regular file");
    memset(longer, 'x', sizeof longer);
    uint32_t module =
        cup_modules_add(&modules, (struct cup_text){longer, sizeof longer}, id, false);
    name_at(module, 1);
    cr_expect_eq(modules.rows[module].state, CUP_MODULE_MISSING);
    cr_expect_str_eq(name_at(add("", id), 16), "+0x10");
}

Test(symbols, a_library_that_is_cut_names_what_is_left_or_nothing)
{
    char path[NATIVE_PATH], expected[64];
    struct stat status;
    make_native(&file, scratch, "libcut.so", "");
    cr_assert_eq(stat(file.path, &status), 0);
    for (off_t length = 1; length < status.st_size; length += 97) {
        snprintf(path, sizeof path, "%s/cut-%ld.so", scratch, (long)length);
        shell("head -c %ld %s >%s", (long)length, file.path, path);
        uint32_t module = add(path, native_build_id(&file));
        const char *name = name_at(module, file.places[P_OUTER]);
        snprintf(expected, sizeof expected, "cut-%ld.so@", (long)length);
        cr_expect(strcmp(name, "outer") == 0 || strncmp(name, expected, strlen(expected) - 1) == 0,
                  "%ld: %s", (long)length, name);
        remove(path);
    }
}

/* Each byte wrong, one after the other: names may be, but nothing else happens. */
Test(symbols, any_byte_of_a_library_may_be_wrong)
{
    make_native(&file, scratch, "libbytes.so", "-s");
    FILE *in = fopen(file.path, "r+");
    cr_assert(in);
    cr_assert_eq(fseek(in, 0, SEEK_END), 0);
    for (long at = 0, size = ftell(in); at < size; at += at < 2048 ? 1 : 61) {
        int byte = (fseek(in, at, SEEK_SET), getc(in));
        cr_assert_eq(fseek(in, at, SEEK_SET), 0);
        putc(byte ^ (1 + (int)(at * 7 % 255)), in);
        fflush(in);
        uint32_t module = add(file.path, native_build_id(&file));
        for (int i = 0; i < NATIVE_PLACES; i++)
            name_at(module, file.places[i]);
        cup_modules_free(&modules);
        cr_assert_eq(fseek(in, at, SEEK_SET), 0);
        putc(byte, in);
    }
    fclose(in);
}
