#include "preload/xrootd/xrootd.h"

#include "preload/attribution/attribution.h"
#include "preload/io/known_files.h"
#include "preload/io/opening.h"
#include "preload/log/log.h"
#include "preload/stacks/modules.h"
#include "preload/sys/parse_number.h"
#include "preload/sys/raw.h"
#include "preload/sys/spin.h"

#include <errno.h>
#include <string.h>

/* ---- open files -------------------------------------------------------------------------- */

enum { CUP_XROOTD_SERVER = 136 };

/* An XrdCl::File object and its file. The number of a file is valid in one log. */
struct open_file {
    const void *object; /* NULL: free */
    uint32_t log;       /* that FILE is numbered for: cup_xrootd_log() */
    bool local;         /* its bytes are counted by descriptors: see is_local() */
    bool numbered;
    bool failed; /* it could not be opened */
    struct cup_descriptor file;
    char url[CUP_XROOTD_URL]; /* empty: local, or too long */
    uint32_t server_log;      /* that `server` is a string of: cup_xrootd_log() */
    uint32_t server;
    char server_name[CUP_XROOTD_SERVER]; /* empty: not known */
};

/* No hook sees that an object is destroyed, so a new object replaces an old one of its row. If more
 * files than this are open at a time, some are counted without their names. */
enum { ROWS = 1024, IN_ROW = 4 };

static struct {
    struct open_file *files; /* ROWS of IN_ROW; NULL: none was opened yet */
    uint32_t lock;
    uint32_t log;
    uint8_t next[ROWS]; /* the entry of each row that is replaced next */
    struct cup_descriptor unknown;
} known = {.log = 1, .unknown = {.class = CUP_FILE_DATA}};

void cup_xrootd_reset(void)
{
    cup_spin_unlock(&known.lock); /* a thread of the parent may have held it during the fork */
    known.log++;
}

bool cup_xrootd_seen;

static uint32_t choose_row(const void *object)
{
    return (uint32_t)((uintptr_t)object / 16 * UINT64_C(0x9e3779b97f4a7c15) >> 40) % ROWS;
}

/* OBJECT's entry. If it has none: with MAKE the entry to fill for it, which may be another object's
 * so far; without MAKE NULL. */
static struct open_file *find_entry(const void *object, bool make)
{
    uint32_t row = choose_row(object);
    struct open_file *entries = known.files + (size_t)row * IN_ROW, *found = NULL;
    for (int i = 0; i < IN_ROW; i++) {
        if (entries[i].object == object)
            return &entries[i];
        if (!entries[i].object)
            found = &entries[i];
    }
    if (!make || found)
        return make ? found : NULL;
    return &entries[known.next[row]++ % IN_ROW];
}

/* The kernel provides the pages when they are first used. */
static bool map_files(void)
{
    if (known.files)
        return true;
    void *room = cup_raw_mmap(NULL, sizeof *known.files * ROWS * IN_ROW, PROT_READ | PROT_WRITE,
                              MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    known.files = room == MAP_FAILED ? NULL : room;
    return known.files != NULL;
}

/* The client itself reads only URLs of its own protocol. What it reads otherwise, local files and,
 * by its plug-ins, URLs such as https://, is counted by descriptors. */
static bool is_local(const char *url, size_t bytes)
{
    static const char *const schemes[] = {"root://", "roots://", "xroot://", "xroots://"};
    for (size_t i = 0; i < sizeof schemes / sizeof *schemes; i++)
        if (bytes >= strlen(schemes[i]) && memcmp(url, schemes[i], strlen(schemes[i])) == 0)
            return false;
    return true;
}

size_t cup_xrootd_url(char *to, size_t room, const char *url, size_t bytes)
{
    const char *question = memchr(url, '?', bytes), *end = question ? question : url + bytes;
    const char *scheme = memmem(url, (size_t)(end - url), "://", 3);
    const char *host = scheme ? scheme + 3 : url;
    const char *slash = memchr(host, '/', (size_t)(end - host));
    const char *at = memrchr(host, '@', (size_t)((slash ? slash : end) - host));
    const char *rest = at ? at + 1 : host;
    size_t front = (size_t)(host - url), back = (size_t)(end - rest);
    if (front + back >= room)
        return 0;
    memmove(to, url, front);
    memmove(to + front, rest, back);
    to[front + back] = '\0';
    return front + back;
}

void cup_xrootd_opened(const void *object, const char *url, size_t bytes)
{
    int saved = errno;
    cup_xrootd_seen = true;
    uint32_t opener = cup_active() ? cup_attribution_opener() : 0;
    cup_guard();
    cup_spin_lock(&known.lock);
    struct open_file *entry = map_files() ? find_entry(object, true) : NULL;
    if (entry) {
        entry->object = object;
        entry->log = known.log;
        entry->numbered = false;
        entry->local = is_local(url, bytes);
        entry->failed = false;
        *entry->server_name = '\0';
        entry->file = (struct cup_descriptor){.class = CUP_FILE_DATA, .opened = 1, .owner = opener};
        if (!cup_xrootd_url(entry->url, sizeof entry->url, url, bytes))
            *entry->url = '\0';
    }
    cup_spin_unlock(&known.lock);
    cup_leave(saved);
}

static void number_file(struct open_file *entry)
{
    if (entry->log == known.log && entry->numbered)
        return;
    if (entry->log != known.log)
        entry->file.owner = 0;
    entry->file.file = *entry->url ? cup_known_url(entry->url) : 0;
    entry->log = known.log;
    entry->numbered = true;
}

struct cup_descriptor *cup_xrootd_file(const void *object)
{
    int saved = cup_enter();
    cup_spin_lock(&known.lock);
    struct open_file *entry = known.files ? find_entry(object, false) : NULL;
    if (entry && cup_active())
        number_file(entry);
    cup_spin_unlock(&known.lock);
    cup_leave(saved);
    if (!entry)
        return &known.unknown;
    return entry->local ? NULL : &entry->file;
}

/* ---- data servers -------------------------------------------------------------------------- */

static uint32_t number_server(struct open_file *entry)
{
    if (!*entry->server_name)
        return 0;
    if (entry->server_log != known.log)
        entry->server = cup_log_cstring(entry->server_name);
    entry->server_log = known.log;
    return entry->server;
}

uint32_t cup_xrootd_server(const void *object)
{
    cup_spin_lock(&known.lock);
    struct open_file *entry = known.files ? find_entry(object, false) : NULL;
    uint32_t server = entry ? number_server(entry) : 0;
    cup_spin_unlock(&known.lock);
    return server;
}

/* Writes "root://host:port": the scheme is that of URL. False: too long. */
static bool print_server(char to[CUP_XROOTD_SERVER], const char *url, const char *host, int port)
{
    const char *scheme = strstr(url, "://"), *at = strrchr(host, '@');
    host = at ? at + 1 : host;
    size_t front = scheme ? (size_t)(scheme - url) + 3 : 0, bytes = strlen(host);
    if (!front || !bytes || front + bytes + sizeof ":65535" > CUP_XROOTD_SERVER)
        return false;
    memcpy(to, url, front);
    memcpy(to + front, host, bytes + 1);
    if (port > 0) {
        to[front + bytes] = ':';
        *cup_number_write(to + front + bytes + 1, (uint64_t)port) = '\0';
    }
    return true;
}

static uint32_t set_server(struct open_file *entry, const char *host, int port)
{
    char name[CUP_XROOTD_SERVER];
    if (print_server(name, entry->url, host, port) && strcmp(name, entry->server_name)) {
        strcpy(entry->server_name, name);
        entry->server_log = 0;
    }
    return number_server(entry);
}

uint32_t cup_xrootd_served(const void *object, const char *host, int port)
{
    cup_spin_lock(&known.lock);
    struct open_file *entry = known.files ? find_entry(object, false) : NULL;
    uint32_t server = entry && !entry->local ? set_server(entry, host, port) : 0;
    cup_spin_unlock(&known.lock);
    return server;
}

/* ---- opens ---------------------------------------------------------------------------------- */

static bool describe_entry(struct open_file *entry, struct cup_opened *opened,
                           char text[CUP_XROOTD_URL])
{
    if (entry->local)
        return false;
    strcpy(text, entry->url);
    opened->path = *text ? text : NULL;
    entry->failed = opened->error != 0;
    if (!entry->failed) {
        number_file(entry);
        opened->file = entry->file.file;
    }
    return true;
}

bool cup_xrootd_describe(const void *object, struct cup_opened *opened, char text[CUP_XROOTD_URL])
{
    cup_spin_lock(&known.lock);
    struct open_file *entry = known.files ? find_entry(object, false) : NULL;
    bool remote = !entry || describe_entry(entry, opened, text);
    cup_spin_unlock(&known.lock);
    return remote;
}

bool cup_xrootd_may_ask(const void *object)
{
    int saved = cup_enter();
    cup_spin_lock(&known.lock);
    struct open_file *entry = known.files ? find_entry(object, false) : NULL;
    bool failed = entry && entry->failed;
    cup_spin_unlock(&known.lock);
    cup_leave(saved);
    return !failed;
}

uint32_t cup_xrootd_log(void)
{
    return known.log;
}

/* ---- libraries --------------------------------------------------------------------------- */

/* PATH is that of LIBRARY in version 5 or 6: "libXrdCl.so.3", "libXrdCl.so.3.0.0",
 * "libXrdCl-0123abcd.so.6". */
static bool is_version(const char *path, const char *library)
{
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    const char *version = strstr(name, ".so.");
    size_t bytes = strlen(library);
    return strncmp(name, library, bytes) == 0 && (name[bytes] == '.' || name[bytes] == '-') &&
           version && (version[4] == '3' || version[4] == '6') &&
           (version[5] == '.' || !version[5]);
}

bool cup_xrootd_is_library(const char *path)
{
    return is_version(path, "libXrdCl");
}

bool cup_xrootd_find_library(const void *place, struct cup_elf *library)
{
    return cup_module_object(cup_module_holding((uintptr_t)place), library) ||
           cup_elf_of(place, library);
}

bool cup_xrootd_connects(const void *place)
{
#if !defined(__x86_64__)
    return false; /* without hooks of the client its reads are counted on its sockets */
#endif
    struct cup_elf object;
    int saved = cup_enter();
    const char *path = cup_module_path(cup_module_holding((uintptr_t)place));
    if (!path && cup_elf_of(place, &object))
        path = object.path;
    bool connects = path && is_version(path, "libXrdUtils");
    cup_leave(saved);
    return connects;
}
