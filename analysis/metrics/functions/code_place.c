#include "analysis/metrics/functions/code_place.h"

#include <ctype.h>
#include <string.h>

#include "analysis/symbols/native_modules.h"

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
        return (struct cup_code_place){shown, first_part(shown), false};
    shown = after_stdlib(path);
    if (shown.length)
        return (struct cup_code_place){shown, TEXT("stdlib"), false};
    return (struct cup_code_place){without_worker(path), TEXT("user"), true};
}
