#include "analysis/metrics/functions/code_place.h"

#include <ctype.h>
#include <string.h>

#include "analysis/symbols/native_modules.h"
#include "include/log_format.h"

#define TEXT(literal) ((struct cup_text){(literal), sizeof(literal) - 1})

static struct cup_text text_from(struct cup_text path, size_t at)
{
    return (struct cup_text){path.bytes + at, path.length - at};
}

static bool begins_with(struct cup_text text, const char *with)
{
    size_t length = strlen(with);
    return text.length >= length && memcmp(text.bytes, with, length) == 0;
}

/* The text after the last occurrence of a directory; {NULL, 0} if the path does not have it. */
static struct cup_text after_last(struct cup_text path, const char *directory)
{
    size_t length = strlen(directory);
    struct cup_text rest = {0};
    for (const char *at = path.bytes;
         (at = memmem(at, path.length - (size_t)(at - path.bytes), directory, length)) != NULL;)
        rest = text_from(path, (size_t)((at += length) - path.bytes));
    return rest;
}

static struct cup_text after_packages(struct cup_text path)
{
    struct cup_text rest = after_last(path, "/site-packages/");
    return rest.length ? rest : after_last(path, "/dist-packages/");
}

/* The path below ".../lib/python3.11/", or inside the zip file of the standard library; {NULL, 0}
 * if PATH is not there. */
static struct cup_text after_stdlib(struct cup_text path)
{
    struct cup_text rest = after_last(path, "/python3");
    size_t at = 0;
    while (at < rest.length && (isdigit((unsigned char)rest.bytes[at]) || rest.bytes[at] == '.' ||
                                begins_with(text_from(rest, at), "zip")))
        at += rest.bytes[at] == 'z' ? 3 : 1;
    bool library = memmem(path.bytes, path.length, "/lib", 4) != NULL;
    return library && at && at < rest.length && rest.bytes[at] == '/' ? text_from(rest, at + 1)
                                                                      : (struct cup_text){0};
}

/* The first part of a path: "coffea" of "coffea/util.py", "six" of "six.py". */
static struct cup_text first_part(struct cup_text shown)
{
    const char *slash = memchr(shown.bytes, '/', shown.length);
    const char *dot = memchr(shown.bytes, '.', shown.length);
    const char *end = slash ? slash : dot && dot > shown.bytes ? dot : shown.bytes + shown.length;
    return (struct cup_text){shown.bytes, (size_t)(end - shown.bytes)};
}

/* Files that the client sent with Client.upload_file() lie in a directory of each worker: strips
 * it. */
static struct cup_text without_worker(struct cup_text path)
{
    static const char *const spaces[] = {"/dask-scratch-space/worker-",
                                         "/dask-worker-space/worker-"};
    for (size_t i = 0; i < sizeof spaces / sizeof *spaces; i++) {
        struct cup_text rest = after_last(path, spaces[i]);
        const char *slash = rest.bytes ? memchr(rest.bytes, '/', rest.length) : NULL;
        if (slash && slash + 1 < rest.bytes + rest.length)
            return text_from(rest, (size_t)(slash + 1 - rest.bytes));
    }
    return path;
}

/* Code that comes from no file: "<string>". */
static struct cup_code_place place_of_no_file(struct cup_text path)
{
    if (begins_with(path, "<frozen "))
        return (struct cup_code_place){path, TEXT("stdlib"), false};
    if (begins_with(path, "<__array_function__"))
        return (struct cup_code_place){path, TEXT("numpy"), false};
    if (begins_with(path, "<stdin>") || begins_with(path, "<ipython-input"))
        return (struct cup_code_place){path, TEXT("user"), true};
    return (struct cup_code_place){path, TEXT("generated"), false};
}

static bool is_interpreter(struct cup_text file)
{
    struct cup_text rest = begins_with(file, "libpython") ? text_from(file, 9) : file;
    if (rest.bytes == file.bytes && begins_with(file, "python"))
        rest = text_from(file, 6);
    return rest.bytes != file.bytes && (rest.length == 0 || isdigit((unsigned char)rest.bytes[0]));
}

/* "libz" of "libz.so.1", "libc" of "libc-2.31.so" */
static struct cup_text library_name(struct cup_text file)
{
    size_t length = 0;
    while (length < file.length && !begins_with(text_from(file, length), ".so") &&
           !(file.bytes[length] == '-' && length + 1 < file.length &&
             isdigit((unsigned char)file.bytes[length + 1])))
        length++;
    return (struct cup_text){file.bytes, length};
}

/* "numpy" of "numpy.libs/libopenblas.so", where wheels keep the libraries that they bring */
static struct cup_text wheel_name(struct cup_text shown)
{
    struct cup_text part = first_part(shown);
    static const char libs[] = ".libs";
    size_t length = sizeof libs - 1;
    if (part.length > length && memcmp(part.bytes + part.length - length, libs, length) == 0)
        part.length -= length;
    return part;
}

/* A library in none of Python's directories is a package of its own, such as "libz". Its directory
 * is not shown, because it differs from host to host. */
static struct cup_code_place place_of_module(struct cup_text path)
{
    struct cup_text file = cup_module_file(path);
    struct cup_text packages = cup_without_tag(after_packages(path));
    struct cup_text library = cup_without_tag(after_stdlib(path));
    if (is_interpreter(file))
        return (struct cup_code_place){file, TEXT("python"), false};
    if (packages.length)
        return (struct cup_code_place){packages, wheel_name(packages), false};
    if (library.length)
        return (struct cup_code_place){library, TEXT("stdlib"), false};
    struct cup_text name = library_name(file);
    return (struct cup_code_place){file, name.length ? name : TEXT("native"), false};
}

struct cup_code_place cup_package_place(struct cup_text path, size_t below)
{
    struct cup_text shown = text_from(path, below);
    return (struct cup_code_place){shown, first_part(shown), false};
}

struct cup_code_place cup_code_place(struct cup_text path, bool native)
{
    if (path.length == 0)
        return (struct cup_code_place){path, native ? TEXT("native") : TEXT("unknown"), false};
    if (native)
        return place_of_module(path);
    if (path.bytes[0] == '<')
        return place_of_no_file(path);
    struct cup_text shown = after_packages(path);
    if (shown.length)
        return cup_package_place(path, path.length - shown.length);
    shown = after_stdlib(path);
    if (shown.length)
        return (struct cup_code_place){shown, TEXT("stdlib"), false};
    return (struct cup_code_place){without_worker(path), TEXT("user"), true};
}

/* ---- phases ------------------------------------------------------------------------------ */

const char *const cup_phase_names[CUP_PHASE_COUNT] = {CUP_PHASES(CUP_NAME_OF)};

const char *const cup_phase_texts[CUP_PHASE_COUNT] = {CUP_PHASES(CUP_TEXT_OF)};

/* The functions that mark a phase, in coffea 0.7 to 2026.9 and uproot 4 and 5. A file that ends in
 * '/' means all files below it; the name "*" means all functions of the file. */
static const struct {
    const char *file, *name;
    enum cup_phase phase;
} rules[] = {
    {"coffea/nanoevents/factory.py", "from_root", CUP_PHASE_EVENTS},
    {"coffea/nanoevents/factory.py", "from_parquet", CUP_PHASE_EVENTS},
    {"coffea/nanoevents/factory.py", "from_preloaded", CUP_PHASE_EVENTS},
    {"coffea/nanoevents/factory.py", "events", CUP_PHASE_EVENTS},
    {"coffea/processor/executor.py", "metadata_fetcher", CUP_PHASE_OPEN},
    {"coffea/processor/executor.py", "metadata_fetcher_root", CUP_PHASE_OPEN},
    {"coffea/processor/executor.py", "metadata_fetcher_parquet", CUP_PHASE_OPEN},
    {"uproot/reading.py", "open", CUP_PHASE_OPEN},
    {"uproot/reading.py", "__getitem__", CUP_PHASE_OPEN},
    {"uproot/reading.py", "get", CUP_PHASE_OPEN},
    {"uproot/reading.py", "close", CUP_PHASE_OPEN},
    {"uproot/reading.py", "__exit__", CUP_PHASE_OPEN},
    {"coffea/processor/executor.py", "_compress", CUP_PHASE_SERIALISE},
    {"coffea/processor/checkpointer.py", "save", CUP_PHASE_SERIALISE},
    {"cloudpickle/", "dump", CUP_PHASE_SERIALISE},
    {"cloudpickle/", "dumps", CUP_PHASE_SERIALISE},
    {"distributed/protocol/", "dumps", CUP_PHASE_SERIALISE},
    {"distributed/protocol/", "serialize", CUP_PHASE_SERIALISE},
    {"coffea/nanoevents/mapping/base.py", "__getitem__", CUP_PHASE_COLUMNS},
    {"coffea/nanoevents/mapping/uproot.py", "extract_column", CUP_PHASE_COLUMNS},
    {"coffea/nanoevents/mapping/parquet.py", "extract_column", CUP_PHASE_COLUMNS},
    {"coffea/nanoevents/factory.py", "load_buffers", CUP_PHASE_COLUMNS},
    {"uproot/behaviors/TBranch.py", "array", CUP_PHASE_COLUMNS},
    {"uproot/behaviors/TBranch.py", "arrays", CUP_PHASE_COLUMNS},
    {"uproot/behaviors/TBranch.py", "iterate", CUP_PHASE_COLUMNS},
    {"uproot/behaviors/TBranch.py", "_ranges_or_baskets_to_arrays", CUP_PHASE_COLUMNS},
    {"uproot/behaviors/RNTuple.py", "array", CUP_PHASE_COLUMNS},
    {"uproot/behaviors/RNTuple.py", "arrays", CUP_PHASE_COLUMNS},
    {"uproot/behaviors/RNTuple.py", "iterate", CUP_PHASE_COLUMNS},
    {"<frozen importlib._bootstrap>", "*", CUP_PHASE_IMPORT},
    {"importlib/_bootstrap.py", "*", CUP_PHASE_IMPORT},
    {"uproot/compression.py", "decompress", CUP_PHASE_DECOMPRESS},
};

static bool is_file(struct cup_text file, const char *rule)
{
    size_t length = strlen(rule);
    return rule[length - 1] == '/' ? file.length > length && memcmp(file.bytes, rule, length) == 0
                                   : cup_text_is(file, rule);
}

/* The name without its class: "process" of "Processor.process". */
static struct cup_text last_part(struct cup_text name)
{
    const char *dot = name.length ? memrchr(name.bytes, '.', name.length) : NULL;
    size_t skip = dot ? (size_t)(dot + 1 - name.bytes) : 0;
    return (struct cup_text){name.bytes + skip, name.length - skip};
}

enum cup_phase cup_phase_of(struct cup_text file, struct cup_text name, bool user)
{
    const struct cup_text last = last_part(name);
    if (user)
        return cup_text_is(last, "process") ? CUP_PHASE_PROCESS : CUP_PHASE_OTHER;
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++)
        if (is_file(file, rules[i].file) &&
            (*rules[i].name == '*' || cup_text_is(last, rules[i].name)))
            return rules[i].phase;
    return CUP_PHASE_OTHER;
}

bool cup_calls_process(struct cup_text file, struct cup_text name)
{
    return cup_text_is(file, "coffea/processor/executor.py") &&
           cup_text_is(last_part(name), "_work_function");
}
