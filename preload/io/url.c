#include "preload/io/url.h"

#include <string.h>
#include <strings.h>

/* A text that is being written. */
struct text {
    char *at, *end;
};

static bool put_bytes(struct text *to, const char *bytes, size_t count)
{
    if (count >= (size_t)(to->end - to->at))
        return false;
    memcpy(to->at, bytes, count);
    to->at += count;
    *to->at = '\0';
    return true;
}

/* ---- requests ----------------------------------------------------------------------------- */

/* The number of bytes that may stand in a URL, from FROM on. */
static size_t measure_visible(const char *from, const char *end)
{
    const char *at = from;
    while (at<end && * at> ' ' && *at < 0x7f)
        at++;
    return (size_t)(at - from);
}

/* The value of the header NAME ("host:") in the lines from AT to END; *LENGTH is 0 if there is
 * none.
 */
static const char *find_header(const char *name, const char *at, const char *end, size_t *length)
{
    size_t bytes = strlen(name);
    *length = 0;
    while (at && at < end) {
        if ((size_t)(end - at) > bytes && strncasecmp(at, name, bytes) == 0) {
            at += bytes;
            while (at < end && *at == ' ')
                at++;
            *length = measure_visible(at, end);
            return at;
        }
        at = memchr(at, '\n', (size_t)(end - at));
        at = at ? at + 1 : NULL;
    }
    return NULL;
}

/* A proxy is asked for a whole URL: http://USER@HOST/PATH. Moves *TARGET behind what stands before
 * the host. */
static bool skip_user(const char **target, const char *end)
{
    static const char scheme[] = "http://";
    if ((size_t)(end - *target) < sizeof scheme - 1 ||
        strncasecmp(*target, scheme, sizeof scheme - 1) != 0)
        return false;
    *target += sizeof scheme - 1;
    const char *path = memchr(*target, '/', (size_t)(end - *target));
    const char *user = memrchr(*target, '@', (size_t)((path ? path : end) - *target));
    *target = user ? user + 1 : *target;
    return true;
}

/* The end of the path. */
static const char *find_query(const char *target, const char *end)
{
    while (target < end && *target != '?' && *target != '#')
        target++;
    return target;
}

/* The length of "GET " or "HEAD ", if the request begins with that; else 0. */
static size_t measure_method(const char *bytes, size_t count)
{
    static const char get[] = "GET ", head[] = "HEAD ";
    if (count >= sizeof get && memcmp(bytes, get, sizeof get - 1) == 0)
        return sizeof get - 1;
    return count >= sizeof head && memcmp(bytes, head, sizeof head - 1) == 0 ? sizeof head - 1 : 0;
}

bool cup_url_of_request(char url[CUP_URL_LONGEST], const char *bytes, size_t count)
{
    size_t method = measure_method(bytes, count);
    const char *target = bytes + method, *end = bytes + count;
    if (!method)
        return false;
    const char *target_end = target + measure_visible(target, end);
    struct text to = {url, url + CUP_URL_LONGEST};
    if (target_end == end || *target_end != ' ' || !put_bytes(&to, "http://", 7))
        return false;
    size_t length = 0;
    bool is_whole = skip_user(&target, target_end);
    const char *host = find_header("host:", target_end, end, &length);
    if (!is_whole && (!length || *target != '/' || !put_bytes(&to, host, length)))
        return false;
    return put_bytes(&to, target, (size_t)(find_query(target, target_end) - target));
}

/* ---- origins ------------------------------------------------------------------------------ */

bool cup_url_of_origin(char url[CUP_URL_LONGEST], const char *server, const char *peer)
{
    struct text to = {url, url + CUP_URL_LONGEST};
    const char *host = strstr(peer, "://"), *port = strrchr(peer, ':');
    if (!host || port <= host)
        return false;
    host += 3;
    bool named = *server != '\0';
    return put_bytes(&to, "https://", 8) &&
           put_bytes(&to, named ? server : host, named ? strlen(server) : (size_t)(port - host)) &&
           (strcmp(port, ":443") == 0 || put_bytes(&to, port, strlen(port))) &&
           put_bytes(&to, "/", 1);
}

bool cup_url_of_tunnel(char url[CUP_URL_LONGEST], const char *bytes, size_t count)
{
    static const char connect[] = "CONNECT ";
    char peer[256];
    struct text to = {peer, peer + sizeof peer};
    if (count < sizeof connect || memcmp(bytes, connect, sizeof connect - 1) != 0)
        return false;
    const char *server = bytes + sizeof connect - 1;
    size_t length = measure_visible(server, bytes + count);
    if (server + length == bytes + count || memchr(server, '/', length) ||
        memchr(server, '@', length) || !put_bytes(&to, "tcp://", 6) ||
        !put_bytes(&to, server, length))
        return false;
    for (char *at = peer; *at; at++)
        *at = (char)(*at >= 'A' && *at <= 'Z' ? *at + 'a' - 'A' : *at);
    return cup_url_of_origin(url, "", peer);
}

/* ---- keys of requests ------------------------------------------------------------------------ */

/* FNV-1a */
static uint32_t hash_bytes(uint32_t hash, const char *bytes, size_t count)
{
    for (size_t i = 0; i < count; i++)
        hash = (hash ^ (unsigned char)bytes[i]) * UINT32_C(16777619);
    return hash;
}

uint32_t cup_url_request_key(const char *bytes, size_t count)
{
    const char *end = bytes + count, *line = count ? memchr(bytes, '\n', count) : NULL;
    size_t range_bytes;
    if (!line)
        return 0;
    const char *range = find_header("range:", line + 1, end, &range_bytes);
    uint32_t key = hash_bytes(UINT32_C(2166136261), bytes, (size_t)(line - bytes));
    key = range ? hash_bytes(key, range, range_bytes) : key;
    return key ? key : 1;
}
