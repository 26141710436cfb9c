#include "preload/log/secrets.h"

#include <string.h>
#include <strings.h>

enum { CUT_LEAST = 500 }; /* shorter texts are recorded whole */

/* A text that is copied onto itself, without what is left out. */
struct copy {
    const char *from, *end;
    const char *start; /* of the result */
    char *to;
};

static bool is_letter(char c)
{
    return (c | 0x20) >= 'a' && (c | 0x20) <= 'z';
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* Where a URL ends inside other text. */
static bool ends_url(char c)
{
    return (unsigned char)c <= ' ' || c == '"' || c == '\'' || c == '<' || c == '>' || c == '`';
}

static const char *find_url_end(const char *at, const char *end)
{
    while (at < end && !ends_url(*at))
        at++;
    return at;
}

static const char *find_any(const char *at, const char *end, const char *set)
{
    while (at < end && !strchr(set, *at))
        at++;
    return at;
}

static void copy_to(struct copy *copy, const char *until)
{
    size_t bytes = (size_t)(until - copy->from);
    memmove(copy->to, copy->from, bytes);
    copy->to += bytes;
    copy->from = until;
}

/* ---- URLs --------------------------------------------------------------------------------- */

/* True if HOST to END is "name:PORT" or has no port. An address of IPv6 stands in brackets. */
static bool is_host(const char *host, const char *end)
{
    if (host < end && *host == '[')
        host = find_any(host, end, "]");
    const char *colon = find_any(host, end, ":");
    while (colon < end && colon + 1 < end && is_digit(colon[1]))
        colon++;
    return colon == end || colon + 1 == end;
}

/* The host of a URL whose part behind "://" is START to END. A password with a slash, which should
 * have been written as %2F, ends at the next "@". If a password has no end because the text was
 * cut, the result is END. */
static const char *find_host(const char *start, const char *end, bool cut)
{
    const char *authority = find_any(start, end, "/?#");
    const char *at = memrchr(start, '@', (size_t)(authority - start));
    if (at)
        return at + 1;
    if (is_host(start, authority))
        return cut && authority == end ? end : start;
    at = memchr(start, '@', (size_t)(end - start));
    return at ? at + 1 : end;
}

/* The address of a server of Dask's, which has neither user nor password. In a key, other text may
 * stand behind its port. */
static bool is_dask_address(const struct copy *copy, const char *end)
{
    return copy->to - copy->start >= 6 && !memchr(copy->from, '@', (size_t)(end - copy->from)) &&
           (memcmp(copy->to - 6, "tcp://", 6) == 0 || memcmp(copy->to - 6, "tls://", 6) == 0);
}

/* FROM is behind "://". */
static void copy_url(struct copy *copy, bool cut)
{
    const char *end = find_url_end(copy->from, copy->end);
    if (!is_dask_address(copy, end))
        copy->from = find_host(copy->from, end, cut && end == copy->end);
    copy_to(copy, find_any(copy->from, end, "?#"));
    copy->from = end;
}

/* ---- values with names -------------------------------------------------------------------- */

static const char *const secret_names[] = {"token",  "passw",      "secret",     "authoriz",
                                           "authz",  "signature",  "credential", "api_key",
                                           "apikey", "access_key", "accesskey",  "private_key"};

static bool is_name_part(char c)
{
    return is_letter(c) || is_digit(c) || c == '_' || c == '-';
}

/* True if one of the names is in a word. */
static bool is_secret_word(const char *word, const char *end)
{
    for (size_t i = 0; i < sizeof secret_names / sizeof *secret_names; i++) {
        size_t bytes = strlen(secret_names[i]);
        for (const char *at = word; (size_t)(end - at) >= bytes; at++)
            if (strncasecmp(at, secret_names[i], bytes) == 0)
                return true;
    }
    return false;
}

static const char *skip_blanks(const char *at, const char *end)
{
    while (at < end && *at == ' ')
        at++;
    return at;
}

/* True for "=" and ":", but not in "https://" and "std::less". */
static bool is_mark(const char *at, const char *end)
{
    return at < end && (*at == '=' || (*at == ':' && !(at + 1 < end && strchr("/:", at[1]))));
}

/* Where the value of a name begins that ends at AT: behind "=", ": ", "': ", or the blank behind an
 * option. NULL: it has none. */
static const char *find_value(const char *at, const char *end, bool is_option)
{
    const char *mark = at < end && (*at == '\'' || *at == '"') ? at + 1 : at;
    mark = skip_blanks(mark, end);
    if (is_mark(mark, end))
        return skip_blanks(mark + 1, end);
    return is_option && at < end && *at == ' ' ? skip_blanks(at, end) : NULL;
}

/* The end of a value: of a quoted one, the quote; else where a word ends. */
static const char *find_value_end(const char *at, const char *end)
{
    static const char *const schemes[] = {"bearer ", "basic ", "token "};
    for (size_t i = 0; i < sizeof schemes / sizeof *schemes; i++)
        if ((size_t)(end - at) > strlen(schemes[i]) &&
            strncasecmp(at, schemes[i], strlen(schemes[i])) == 0)
            at = skip_blanks(at + strlen(schemes[i]), end);
    return find_any(at, end, " \t\r\n'\",;)]}");
}

/* FROM is where a word begins. */
static void copy_word(struct copy *copy)
{
    const char *word_end = copy->from;
    while (word_end < copy->end && is_name_part(*word_end))
        word_end++;
    const char *value = find_value(word_end, copy->end, *copy->from == '-');
    if (!value || !is_secret_word(copy->from, word_end)) {
        copy_to(copy, word_end);
        return;
    }
    bool quoted = value < copy->end && (*value == '\'' || *value == '"');
    copy_to(copy, value + quoted);
    const char *end = quoted ? find_any(copy->from, copy->end, (char[]){*value, '\0'})
                             : find_value_end(copy->from, copy->end);
    for (int dots = 0; dots < 3 && copy->from + dots < end; dots++)
        *copy->to++ = '.';
    copy->from = end;
}

/* ---- the whole ---------------------------------------------------------------------------- */

bool cup_secrets_possible(const char *text, size_t bytes)
{
    /* A URL has "://", and a value stands behind a mark or an option. */
    return memchr(text, ':', bytes) || memchr(text, '=', bytes) || memmem(text, bytes, "--", 2);
}

size_t cup_secrets_leave_out(char *text, size_t bytes)
{
    struct copy copy = {.from = text, .end = text + bytes, .start = text, .to = text};
    bool cut = bytes >= CUT_LEAST;
    while (copy.from < copy.end) {
        if (is_name_part(*copy.from)) {
            copy_word(&copy);
        } else if (copy.end - copy.from >= 3 && memcmp(copy.from, "://", 3) == 0) {
            copy_to(&copy, copy.from + 3);
            copy_url(&copy, cut);
        } else {
            copy_to(&copy, copy.from + 1);
        }
    }
    return (size_t)(copy.to - text);
}
