#include "analysis/anonymize/aliases.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/anonymize/public_names.h"

#define TEXT(literal) ((struct cup_text){(literal), sizeof(literal) - 1})

static const char *const words[CUP_NAME_KIND_COUNT] = {
#define X(id, alias) [CUP_NAME_##id] = (alias),
    CUP_NAME_KINDS(X)
#undef X
};

/* What translates a text: the names, and the alias that grows. */
struct writer {
    struct cup_aliases *aliases;
    struct cup_alias *to;
};

static struct cup_text text_part(struct cup_text text, size_t from, size_t to)
{
    return (struct cup_text){text.bytes + from, to - from};
}

static struct cup_text text_from(struct cup_text text, size_t from)
{
    return text_part(text, from, text.length);
}

/* The place of the first of these bytes; the length of the text if it has none. */
static size_t find_byte(struct cup_text text, char byte)
{
    const char *at = text.length ? memchr(text.bytes, byte, text.length) : NULL;
    return at ? (size_t)(at - text.bytes) : text.length;
}

static bool begins_with(struct cup_text text, const char *with)
{
    size_t length = strlen(with);
    return text.length >= length && memcmp(text.bytes, with, length) == 0;
}

static bool ends_with(struct cup_text text, const char *with)
{
    size_t length = strlen(with);
    return text.length >= length && memcmp(text.bytes + text.length - length, with, length) == 0;
}

/* What stands behind the last slash. */
static struct cup_text last_part(struct cup_text path)
{
    size_t from = path.length;
    while (from > 0 && path.bytes[from - 1] != '/')
        from--;
    return text_from(path, from);
}

/* ---- writing ------------------------------------------------------------------------------ */

static void write_text(struct writer *writer, struct cup_text text)
{
    struct cup_alias *to = writer->to;
    if (to->length + text.length > to->room) {
        size_t room = 2 * (to->length + text.length) + 64;
        char *grown = realloc(to->bytes, room);
        if (!grown) {
            writer->aliases->short_of_memory = true;
            return;
        }
        to->bytes = grown;
        to->room = room;
    }
    if (text.length)
        memcpy(to->bytes + to->length, text.bytes, text.length);
    to->length += text.length;
}

/* The alias of a name as it is: "host-2". Before numbering, collects the name. */
static void write_alias(struct writer *writer, enum cup_name_kind kind, struct cup_text name)
{
    char alias[64];
    struct cup_aliases *aliases = writer->aliases;
    if (name.length == 0)
        return;
    uint32_t id = aliases->numbers[kind]
                      ? cup_intern_find(&aliases->names[kind], name.bytes, name.length)
                      : cup_intern_add(&aliases->names[kind], name.bytes, name.length);
    if (id == 0 && !aliases->numbers[kind])
        aliases->short_of_memory = true;
    uint32_t number = id && aliases->numbers[kind] ? aliases->numbers[kind][id] : 0;
    int bytes = snprintf(alias, sizeof alias, "%s-%u", words[kind], number);
    write_text(writer, (struct cup_text){alias, (size_t)bytes});
}

static void write_word(struct writer *writer, enum cup_name_kind kind, struct cup_text word)
{
    if (cup_is_public_word(word))
        write_text(writer, word);
    else
        write_alias(writer, kind, word);
}

/* ---- places ------------------------------------------------------------------------------- */

static bool is_loopback(struct cup_text host)
{
    static const char *const names[] = {"localhost", "127.0.0.1", "[::1]", "0.0.0.0", "[::]"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (cup_text_is(host, names[i]))
            return true;
    return host.length == 0;
}

/* "node1:1094"; the port stays. */
static void write_host(struct writer *writer, struct cup_text host)
{
    size_t end = host.length;
    while (end > 0 && isdigit((unsigned char)host.bytes[end - 1]))
        end--;
    end = end > 0 && end < host.length && host.bytes[end - 1] == ':' ? end - 1 : host.length;
    struct cup_text name = text_part(host, 0, end);
    if (is_loopback(name))
        write_text(writer, name);
    else
        write_alias(writer, CUP_NAME_HOST, name);
    write_text(writer, text_from(host, end));
}

/* A part of a path. What has a known extension is a file. */
static void write_part(struct writer *writer, struct cup_text part, bool last)
{
    static const char worker[] = "worker-";
    struct cup_text extension = cup_public_extension(part);
    if (part.length == 0 || cup_is_public_folder(part) || (last && cup_is_public_library(part))) {
        write_text(writer, part);
    } else if (extension.length) {
        write_alias(writer, CUP_NAME_FILE_NAME, part);
        write_text(writer, extension);
    } else {
        if (begins_with(part, worker)) /* what Dask calls the folder of a worker */
            write_text(writer, TEXT(worker));
        write_alias(writer, CUP_NAME_FOLDER, part);
    }
}

/* The rest of a path is public from here on: behind "lib/python3.11/", or a known package. BEFORE:
 * the parts before NEXT, with the slash. */
static bool opens_public(struct cup_text before, struct cup_text next)
{
    static const char *const packages[] = {"/site-packages/", "/dist-packages/"};
    struct cup_text folder, above;
    for (size_t i = 0; i < sizeof packages / sizeof *packages; i++)
        if (ends_with(before, packages[i]))
            return cup_is_public_package(next);
    if (!before.length)
        return false;
    folder = last_part(text_part(before, 0, before.length - 1));
    above = text_part(before, 0, before.length - 1 - folder.length);
    return begins_with(folder, "python3.") && cup_is_public_folder(folder) &&
           (ends_with(above, "/lib/") || ends_with(above, "/lib64/")) &&
           !cup_text_is(next, "site-packages") && !cup_text_is(next, "dist-packages");
}

static void write_path(struct writer *writer, struct cup_text path)
{
    for (size_t at = 0; at <= path.length;) {
        size_t end = at + find_byte(text_from(path, at), '/');
        struct cup_text part = text_part(path, at, end);
        if (part.length && opens_public(text_part(path, 0, at), part)) {
            write_text(writer, text_from(path, at));
            return;
        }
        write_part(writer, part, end == path.length);
        if (end < path.length)
            write_text(writer, TEXT("/"));
        at = end + 1;
    }
}

/* "root://node1:1094//store/a.root". SCHEME: its length. */
static void write_url(struct writer *writer, struct cup_text url, size_t scheme)
{
    struct cup_text rest = text_from(url, scheme + 3);
    size_t host = find_byte(rest, '/');
    write_text(writer, text_part(url, 0, scheme + 3));
    write_host(writer, text_part(rest, 0, host));
    if (host < rest.length)
        write_path(writer, text_from(rest, host));
}

/* Code that comes from no file: "<frozen importlib._bootstrap>", "<ipython-input-1-...>". */
static void write_no_file(struct writer *writer, struct cup_text name)
{
    if (begins_with(name, "<frozen ") || begins_with(name, "<__array_function__") ||
        cup_is_public_word(name)) {
        write_text(writer, name);
        return;
    }
    write_text(writer, begins_with(name, "<ipython-input") ? TEXT("<ipython-input-") : TEXT("<"));
    write_alias(writer, CUP_NAME_TEXT, name);
    write_text(writer, TEXT(">"));
}

/* The length of "root" in "root://node1//store"; 0: TEXT is no URL. */
static size_t scheme_length(struct cup_text text)
{
    size_t length = 0;
    while (length < text.length && isalnum((unsigned char)text.bytes[length]))
        length++;
    return begins_with(text_from(text, length), "://") ? length : 0;
}

static void write_place(struct writer *writer, struct cup_text place)
{
    size_t scheme = scheme_length(place);
    if (scheme) {
        write_url(writer, place, scheme);
    } else if (begins_with(place, "<")) {
        write_no_file(writer, place);
    } else if (begins_with(place, "unix:")) {
        write_text(writer, TEXT("unix:"));
        write_path(writer, text_from(place, 5));
    } else {
        write_path(writer, place);
    }
}

/* ---- other texts -------------------------------------------------------------------------- */

/* "OSError('...')": the class stays, as other names of code do. */
static void write_error(struct writer *writer, struct cup_text error)
{
    size_t name = 0;
    while (name < error.length && (isalnum((unsigned char)error.bytes[name]) ||
                                   error.bytes[name] == '_' || error.bytes[name] == '.'))
        name++;
    bool has_class = name > 0 && name < error.length && error.bytes[name] == '(';
    if (has_class)
        write_text(writer, text_part(error, 0, name + 1));
    write_alias(writer, CUP_NAME_ERROR, error);
    if (has_class)
        write_text(writer, TEXT(")"));
}

/* Dask's name for a worker is its address, unless somebody gave it one. */
static void write_worker(struct writer *writer, struct cup_text name)
{
    if (scheme_length(name))
        write_place(writer, name);
    else
        write_word(writer, CUP_NAME_WORKER, name);
}

/* "nfs4:server:/export": the type of the file system stays. */
static void write_mount(struct writer *writer, struct cup_text mount)
{
    size_t end = find_byte(mount, ':');
    if (end == mount.length)
        end = 0;
    else
        write_text(writer, text_part(mount, 0, end++));
    write_text(writer, TEXT(":"));
    write_alias(writer, CUP_NAME_MOUNT, text_from(mount, end));
}

/* Words of the library stay; what it quotes does not, nor what stands behind "=" or has a "/". */
static void write_note(struct writer *writer, struct cup_text note)
{
    bool quoted = false;
    for (size_t at = 0; at < note.length;) {
        size_t end = at + find_byte(text_from(note, at), ' ');
        struct cup_text word = text_part(note, at, end);
        size_t set = find_byte(word, '=');
        bool quotes = find_byte(word, '\'') < word.length || find_byte(word, '"') < word.length;
        bool hidden = quoted || quotes || find_byte(word, '/') < word.length ||
                      find_byte(word, '@') < word.length;
        write_text(writer, hidden ? TEXT("...") : text_part(word, 0, set));
        if (!hidden && set < word.length)
            write_text(writer, TEXT("=..."));
        for (size_t i = 0; i < word.length; i++)
            quoted ^= word.bytes[i] == '"' || word.bytes[i] == '\'';
        if (end < note.length)
            write_text(writer, TEXT(" "));
        at = end + 1;
    }
}

void cup_alias_make(struct cup_aliases *aliases, enum cup_name_kind kind, struct cup_text text,
                    struct cup_alias *alias)
{
    struct writer writer = {aliases, alias};
    alias->length = 0;
    switch (kind) {
    case CUP_NAME_PUBLIC:
        write_text(&writer, text);
        break;
    case CUP_NAME_PLACE:
        write_place(&writer, text);
        break;
    case CUP_NAME_HOST:
        write_host(&writer, text);
        break;
    case CUP_NAME_WORKER:
        write_worker(&writer, text);
        break;
    case CUP_NAME_ERROR:
        write_error(&writer, text);
        break;
    case CUP_NAME_MOUNT:
        write_mount(&writer, text);
        break;
    case CUP_NAME_NOTE:
        write_note(&writer, text);
        break;
    case CUP_NAME_KEY:
    case CUP_NAME_COMMAND:
        write_alias(&writer, kind, text);
        break;
    default:
        write_word(&writer, kind, text);
    }
}

/* ---- numbers ------------------------------------------------------------------------------ */

static int by_text(const void *left, const void *right, void *names)
{
    const struct cup_intern *intern = names;
    return cup_text_compare(cup_intern_text(intern, *(const uint32_t *)left),
                            cup_intern_text(intern, *(const uint32_t *)right));
}

static int number_names(struct cup_intern *names, uint32_t **numbers)
{
    size_t count = names->count ? names->count : 1;
    uint32_t *order = malloc(count * sizeof *order);
    *numbers = calloc(count, sizeof **numbers);
    for (uint32_t i = 0; order && i < count; i++)
        order[i] = i;
    if (order && *numbers && count > 1) {
        qsort_r(order + 1, count - 1, sizeof *order, by_text, names);
        for (uint32_t i = 1; i < count; i++)
            (*numbers)[order[i]] = i;
    }
    free(order);
    return order && *numbers ? 0 : -1;
}

int cup_aliases_number(struct cup_aliases *aliases)
{
    int result = aliases->short_of_memory ? -1 : 0;
    for (int kind = 0; result == 0 && kind < CUP_NAME_KIND_COUNT; kind++)
        result = number_names(&aliases->names[kind], &aliases->numbers[kind]);
    return result;
}

void cup_aliases_free(struct cup_aliases *aliases)
{
    for (int kind = 0; kind < CUP_NAME_KIND_COUNT; kind++) {
        cup_intern_clear(&aliases->names[kind]);
        free(aliases->numbers[kind]);
    }
}
