#include "analysis/metrics/code_place.h"

#include <ctype.h>
#include <string.h>

#define TEXT(literal) ((struct cup_text){(literal), sizeof(literal) - 1})

static struct cup_text from(struct cup_text path, size_t at)
{
    return (struct cup_text){path.bytes + at, path.length - at};
}

static bool begins(struct cup_text text, const char *with)
{
    size_t length = strlen(with);
    return text.length >= length && memcmp(text.bytes, with, length) == 0;
}

/* What follows the last occurrence of a directory; {NULL, 0} if it is not there. */
static struct cup_text after_last(struct cup_text path, const char *directory)
{
    size_t length = strlen(directory);
    struct cup_text rest = {0};
    for (const char *at = path.bytes;
         (at = memmem(at, path.length - (size_t)(at - path.bytes), directory, length)) != NULL;)
        rest = from(path, (size_t)((at += length) - path.bytes));
    return rest;
}

/* What follows ".../lib/python3.11/", or its zip file; likewise. */
static struct cup_text after_stdlib(struct cup_text path)
{
    struct cup_text rest = after_last(path, "/python3");
    size_t at = 0;
    while (at < rest.length && (isdigit((unsigned char)rest.bytes[at]) || rest.bytes[at] == '.' ||
                                begins(from(rest, at), "zip")))
        at += rest.bytes[at] == 'z' ? 3 : 1;
    bool library = memmem(path.bytes, path.length, "/lib", 4) != NULL;
    return library && at && at < rest.length && rest.bytes[at] == '/' ? from(rest, at + 1)
                                                                      : (struct cup_text){0};
}

/* The first part of "coffea/util.py" and of "six.py". */
static struct cup_text first_part(struct cup_text shown)
{
    const char *slash = memchr(shown.bytes, '/', shown.length);
    const char *dot = memchr(shown.bytes, '.', shown.length);
    const char *end = slash ? slash : dot && dot > shown.bytes ? dot : shown.bytes + shown.length;
    return (struct cup_text){shown.bytes, (size_t)(end - shown.bytes)};
}

/* What a worker was sent (Client.upload_file) lies in a directory of its own. */
static struct cup_text without_worker(struct cup_text path)
{
    static const char *const spaces[] = {"/dask-scratch-space/worker-",
                                         "/dask-worker-space/worker-"};
    for (size_t i = 0; i < sizeof spaces / sizeof *spaces; i++) {
        struct cup_text rest = after_last(path, spaces[i]);
        const char *slash = rest.bytes ? memchr(rest.bytes, '/', rest.length) : NULL;
        if (slash && slash + 1 < rest.bytes + rest.length)
            return from(rest, (size_t)(slash + 1 - rest.bytes));
    }
    return path;
}

/* Code that comes from no file: "<string>". */
static struct cup_code_place place_of_no_file(struct cup_text path)
{
    if (begins(path, "<frozen "))
        return (struct cup_code_place){path, TEXT("stdlib"), false};
    if (begins(path, "<__array_function__"))
        return (struct cup_code_place){path, TEXT("numpy"), false};
    if (begins(path, "<stdin>") || begins(path, "<ipython-input"))
        return (struct cup_code_place){path, TEXT("user"), true};
    return (struct cup_code_place){path, TEXT("generated"), false};
}

struct cup_code_place cup_code_place(struct cup_text path, bool native)
{
    if (path.length == 0)
        return (struct cup_code_place){path, TEXT("unknown"), false};
    if (path.bytes[0] == '<')
        return place_of_no_file(path);
    struct cup_text shown = after_last(path, "/site-packages/");
    if (!shown.length)
        shown = after_last(path, "/dist-packages/");
    if (shown.length)
        return (struct cup_code_place){shown, first_part(shown), false};
    shown = after_stdlib(path);
    if (shown.length)
        return (struct cup_code_place){shown, TEXT("stdlib"), false};
    if (native)
        return (struct cup_code_place){path, TEXT("native"), false};
    return (struct cup_code_place){without_worker(path), TEXT("user"), true};
}
