#include "preload/io/descriptor.h"

#include "preload/attribution/attribution.h"
#include "preload/attribution/looked_up_paths.h"
#include "preload/io/peer.h"
#include "preload/log/log.h"
#include "preload/root/baskets.h"
#include "preload/sys/raw.h"
#include "preload/sys/spin.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

enum {
    FILE_SLOTS = 1 << 13, /* files told apart in one process (3/4 of it) */
    PEER_SLOTS = 1 << 11, /* likewise peers (half of it), which must not take the files' place */
    SPILL_DIRECTORIES = 16,
    DASK_ADDRESSES = 64,
    PATH_LONGEST = 4096,
};

struct file_slot {
    uint64_t device;
    uint64_t inode;
    uint32_t path; /* string id: an inode's number is used again for another file */
    uint32_t id;   /* 0: free */
    uint32_t class;
};

struct peer_slot {
    uint32_t id; /* 0: free */
    char address[CUP_PEER_LONGEST];
};

struct cup_descriptor *cup_descriptor_table;

/* One mapping, whose pages are there once they are used. */
struct tables {
    struct cup_descriptor descriptors[CUP_DESCRIPTORS];
    struct file_slot files[FILE_SLOTS];
    struct peer_slot peers[PEER_SLOTS];
};

static struct {
    struct file_slot *files;
    struct peer_slot *peers;
    uint32_t file_count, peer_count;
    uint32_t last_id; /* of files and peers */
    char spill[SPILL_DIRECTORIES][256];
    uint32_t spill_count;
    char dask[DASK_ADDRESSES][CUP_PEER_LONGEST];
    uint32_t dask_count;
} known;

/* A crash handler writes its first line from an alternate stack of 8 KiB, of which the kernel has
 * taken half: no path lies on the stack here, and no printf runs. One look-up at a time. */
static struct {
    uint32_t locked;
    char path[PATH_LONGEST];
} looking;

int cup_descriptor_init(void)
{
    struct tables *tables = cup_raw_mmap(NULL, sizeof *tables, PROT_READ | PROT_WRITE,
                                         MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (tables == MAP_FAILED)
        return -1;
    cup_descriptor_table = tables->descriptors;
    known.files = tables->files;
    known.peers = tables->peers;
    return 0;
}

void cup_descriptor_reset(void)
{
    cup_spin_unlock(
        &looking.locked); /* forked while another thread looked: it is not here to unlock */
    if (!cup_descriptor_table)
        return;
    /* Give the pages back instead of writing zeros into them. */
    madvise(cup_descriptor_table, sizeof(struct tables), MADV_DONTNEED);
    known.file_count = known.peer_count = known.last_id = known.spill_count = known.dask_count = 0;
}

/* ---- classes ----------------------------------------------------------------------------- */

static bool ends_with(const char *text, size_t length, const char *suffix)
{
    size_t bytes = strlen(suffix);
    return length >= bytes && memcmp(text + length - bytes, suffix, bytes) == 0;
}

static bool starts_with(const char *text, const char *prefix)
{
    return strncmp(text, prefix, strlen(prefix)) == 0;
}

/* Settings of packages and of the machine (OpenSSL's, time zones), which libraries read once in a
 * process as they are imported or first used: as data, no two runs would compare. Data that a
 * package brings (.root, .json.gz, ...) stay data. */
static bool is_setting(const char *path, size_t length)
{
    static const char *const endings[] = {".yaml", ".yml", ".json", ".toml", ".cfg",
                                          ".ini",  ".txt", ".pyi",  ".lark", ".pth"};
    if (starts_with(path, "/etc/") || starts_with(path, "/usr/share/zoneinfo/") ||
        ends_with(path, length, "/openssl.cnf") || ends_with(path, length, "/pyvenv.cfg"))
        return true;
    if (!strstr(path, "/site-packages/") && !strstr(path, "/dist-packages/"))
        return false;
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++)
        if (ends_with(path, length, endings[i]))
            return true;
    return false;
}

static bool is_import(const char *path, size_t length)
{
    return ends_with(path, length, ".py") || ends_with(path, length, ".pyc") ||
           ends_with(path, length, ".so") || strstr(path, ".so.") || strstr(path, ".dist-info/") ||
           strstr(path, ".egg-info") || is_setting(path, length);
}

static bool is_spill(const char *path)
{
    uint32_t count = __atomic_load_n(&known.spill_count, __ATOMIC_ACQUIRE);
    for (uint32_t i = 0; i < count; i++)
        if (starts_with(path, known.spill[i]) && path[strlen(known.spill[i])] == '/')
            return true;
    return false;
}

enum cup_file_class cup_file_class_of(const char *path)
{
    if (starts_with(path, "/proc/") || starts_with(path, "/sys/") || starts_with(path, "/memfd:"))
        return CUP_FILE_OTHER;
    if (is_import(path, strlen(path)))
        return CUP_FILE_IMPORT;
    return is_spill(path) ? CUP_FILE_SPILL : CUP_FILE_DATA;
}

void cup_descriptor_spill_directory(const char *directory)
{
    size_t bytes = strlen(directory);
    if (bytes < 2 || bytes >= sizeof known.spill[0])
        return;
    cup_log_lock();
    uint32_t at = 0;
    while (at < known.spill_count && strcmp(known.spill[at], directory))
        at++;
    if (at == known.spill_count && at < SPILL_DIRECTORIES) {
        memcpy(known.spill[at], directory, bytes + 1);
        __atomic_store_n(&known.spill_count, at + 1, __ATOMIC_RELEASE);
    }
    cup_log_unlock();
}

/* tls:// is tcp:// to a socket. */
static const char *without_scheme(const char *address)
{
    const char *at = strstr(address, "://");
    return at ? at + 3 : address;
}

void cup_descriptor_dask_address(const char *address)
{
    const char *name = without_scheme(address);
    size_t bytes = strlen(name);
    if (!bytes || bytes >= sizeof known.dask[0])
        return;
    cup_log_lock();
    uint32_t at = 0;
    while (at < known.dask_count && strcmp(known.dask[at], name))
        at++;
    if (at == known.dask_count && at < DASK_ADDRESSES) {
        memcpy(known.dask[at], name, bytes + 1);
        __atomic_store_n(&known.dask_count, at + 1, __ATOMIC_RELEASE);
    }
    cup_log_unlock();
}

bool cup_descriptor_is_dask(const char *address)
{
    const char *name = without_scheme(address);
    uint32_t count = __atomic_load_n(&known.dask_count, __ATOMIC_ACQUIRE);
    for (uint32_t i = 0; i < count; i++)
        if (strcmp(known.dask[i], name) == 0)
            return true;
    return false;
}

/* ---- files ------------------------------------------------------------------------------- */

static void write_file_record(const struct file_slot *slot, const char *path, uint64_t size)
{
    struct cup_r_file *record = cup_log_reserve(sizeof *record, 0);
    if (!record)
        return;
    record->id = slot->id;
    record->path = slot->path;
    record->class = slot->class;
    record->flags = (ends_with(path, strlen(path), ".root") ? CUP_FILE_IS_ROOT : 0) |
                    (slot->class == CUP_FILE_DATA && !slot->inode ? CUP_FILE_IS_REMOTE : 0);
    record->device = slot->device;
    record->inode = slot->inode;
    record->size = size;
    cup_log_commit(record, CUP_R_FILE);
}

static struct file_slot *find_slot(const struct stat *status, uint32_t path)
{
    uint64_t hash = (status->st_ino * UINT64_C(0x9e3779b97f4a7c15)) ^ status->st_dev ^ path;
    uint32_t at = (uint32_t)(hash >> 20) % FILE_SLOTS;
    for (;; at = (at + 1) % FILE_SLOTS) {
        struct file_slot *slot = &known.files[at];
        if (!slot->id ||
            (slot->inode == status->st_ino && slot->device == status->st_dev && slot->path == path))
            return slot;
    }
}

static uint32_t file_id(const struct stat *status, const char *path, uint32_t class)
{
    uint32_t path_id = cup_log_cstring(path);
    bool fresh = false;
    cup_log_lock();
    struct file_slot *slot = find_slot(status, path_id);
    if (!slot->id && known.file_count < FILE_SLOTS / 4 * 3) {
        known.file_count++;
        *slot = (struct file_slot){.device = status->st_dev,
                                   .inode = status->st_ino,
                                   .path = path_id,
                                   .id = ++known.last_id,
                                   .class = class};
        fresh = true;
    }
    uint32_t id = slot->id;
    cup_log_unlock();
    if (fresh) {
        write_file_record(slot, path, (uint64_t)status->st_size);
        if (class == CUP_FILE_DATA)
            cup_baskets_file(id, path_id, (uint32_t)status->st_blksize,
                             ends_with(path, strlen(path), ".root"));
    }
    if (!id)
        cup_log_health(CUP_H_FILES_DROPPED, 1);
    return id;
}

uint32_t cup_descriptor_remote(const char *url)
{
    return file_id(&(struct stat){0}, url, CUP_FILE_DATA);
}

/* ---- peers ------------------------------------------------------------------------------- */

static struct peer_slot *find_peer(const char *address)
{
    uint32_t hash = 2166136261u;
    for (const char *at = address; *at; at++)
        hash = (hash ^ (unsigned char)*at) * 16777619u;
    for (uint32_t at = hash % PEER_SLOTS;; at = (at + 1) % PEER_SLOTS) {
        struct peer_slot *slot = &known.peers[at];
        if (!slot->id || strcmp(slot->address, address) == 0)
            return slot;
    }
}

uint32_t cup_descriptor_address(const char *address)
{
    bool fresh = false;
    cup_log_lock();
    struct peer_slot *slot = find_peer(address);
    if (!slot->id && known.peer_count < PEER_SLOTS / 2) {
        known.peer_count++;
        slot->id = ++known.last_id;
        strcpy(slot->address, address);
        fresh = true;
    }
    uint32_t id = slot->id;
    cup_log_unlock();
    if (fresh)
        write_file_record(&(struct file_slot){.id = id,
                                              .path = cup_log_cstring(address),
                                              .class = CUP_FILE_SOCKET},
                          address, 0);
    if (!id)
        cup_log_health(CUP_H_FILES_DROPPED, 1);
    return id;
}

/* ---- look-up ----------------------------------------------------------------------------- */

static uint32_t class_of_mode(mode_t mode)
{
    if (S_ISFIFO(mode))
        return CUP_FILE_PIPE;
    return S_ISSOCK(mode) ? CUP_FILE_SOCKET : CUP_FILE_OTHER;
}

static bool is_terminal(const char *path)
{
    return starts_with(path, "/dev/pts/") || starts_with(path, "/dev/tty");
}

static void put_decimal(char *text, unsigned number)
{
    unsigned digits = 1;
    for (unsigned rest = number; rest >= 10; rest /= 10)
        digits++;
    text[digits] = '\0';
    for (; digits; number /= 10)
        text[--digits] = (char)('0' + number % 10);
}

/* Path of an open descriptor as the kernel knows it; "" if /proc does not tell. */
static void path_of(int fd, char *path, size_t size)
{
    char link[32] = "/proc/self/fd/";
    put_decimal(link + strlen(link), (unsigned)fd);
    ssize_t length = readlink(link, path, size - 1);
    path[length < 0 ? 0 : length] = '\0';
}

static bool look_up(int fd, struct cup_descriptor *entry, char path[PATH_LONGEST])
{
    struct stat status;
    if (cup_raw_fstat(fd, &status))
        return false;
    uint32_t class = CUP_FILE_DATA;
    if (S_ISREG(status.st_mode)) {
        path_of(fd, path, PATH_LONGEST);
        class = cup_file_class_of(path);
        if (class != CUP_FILE_OTHER && class != CUP_FILE_IMPORT)
            entry->file = file_id(&status, path, class);
        if (!entry->opened) { /* else every move was seen since */
            int64_t at = cup_raw_lseek(fd, 0, SEEK_CUR);
            entry->cursor = at < 0 ? 0 : at; /* no read ended there: it follows none */
        }
    } else {
        class = class_of_mode(status.st_mode);
        if (S_ISCHR(status.st_mode)) {
            path_of(fd, path, PATH_LONGEST);
            class = is_terminal(path) ? CUP_FILE_PIPE : CUP_FILE_OTHER;
        }
        if (class == CUP_FILE_SOCKET)
            entry->wire = cup_descriptor_is_wire(fd);
    }
    __atomic_store_n(&entry->class, class, __ATOMIC_RELEASE);
    return true;
}

static struct cup_descriptor *entry_of(int fd)
{
    return cup_descriptor_table && (unsigned)fd < CUP_DESCRIPTORS ? &cup_descriptor_table[fd]
                                                                  : NULL;
}

struct cup_descriptor *cup_descriptor_get(int fd, struct cup_descriptor *spare)
{
    struct cup_descriptor *entry = entry_of(fd);
    if (entry && __builtin_expect(entry->class != 0, 1))
        return entry;
    if (fd < 0)
        return NULL;
    if (!entry) {
        *spare = (struct cup_descriptor){0};
        entry = spare;
    }
    int saved = errno;
    cup_spin_lock(&looking.locked);
    bool found = look_up(fd, entry, looking.path);
    cup_spin_unlock(&looking.locked);
    errno = saved;
    return found ? entry : NULL;
}

static enum cup_peer_state state_of(const char *peer, const char *own)
{
    static const char unnamed[] = "unix:";
    if (cup_descriptor_is_dask(peer) || cup_descriptor_is_dask(own))
        return CUP_PEER_DASK;
    return strcmp(peer, unnamed) || strcmp(own, unnamed) ? CUP_PEER_KNOWN : CUP_PEER_PAIR;
}

void cup_descriptor_peer(struct cup_descriptor *entry, int fd)
{
    if (entry->peer)
        return;
    char address[CUP_PEER_LONGEST], own[CUP_PEER_LONGEST];
    cup_spin_lock(&looking.locked);
    if (!entry->peer && cup_peer_address(fd, address) && cup_peer_own(fd, own)) {
        enum cup_peer_state state = state_of(address, own);
        entry->file = state == CUP_PEER_DASK ? 0 : cup_descriptor_address(address);
        entry->opened = entry == entry_of(fd); /* a spare entry is new at every call */
        __atomic_store_n(&entry->peer, state, __ATOMIC_RELEASE);
    }
    cup_spin_unlock(&looking.locked);
}

/* Kept apart from what a log knows: connections are older than it, at times. */
static uint32_t wires[CUP_DESCRIPTORS / 32];
static int wires_process;
bool cup_descriptor_wires;

bool cup_descriptor_is_wire(int fd)
{
    return (unsigned)fd < CUP_DESCRIPTORS &&
           __atomic_load_n(&wires[fd / 32], __ATOMIC_RELAXED) >> fd % 32 & 1;
}

void cup_descriptor_wire(int fd)
{
    if ((unsigned)fd >= CUP_DESCRIPTORS)
        return;
    __atomic_fetch_or(&wires[fd / 32], UINT32_C(1) << fd % 32, __ATOMIC_RELAXED);
    wires_process = cup_raw_getpid();
    cup_descriptor_wires = true;
    struct cup_descriptor *entry = cup_descriptor_known(fd);
    if (entry && entry->class == CUP_FILE_SOCKET)
        entry->wire = true;
}

/* A child of vfork shares our memory, but closes its own. */
void cup_descriptor_unwire_slowly(int fd)
{
    if (cup_descriptor_is_wire(fd) && cup_raw_getpid() == wires_process)
        __atomic_fetch_and(&wires[fd / 32], ~(UINT32_C(1) << fd % 32), __ATOMIC_RELAXED);
}

void cup_descriptor_unwire_range(unsigned first, unsigned last)
{
    for (unsigned fd = first; cup_descriptor_wires && fd <= last && fd < CUP_DESCRIPTORS; fd++)
        cup_descriptor_unwire_slowly((int)fd);
}

enum cup_file_class cup_descriptor_class(int fd)
{
    struct stat status;
    if (cup_raw_fstat(fd, &status) || !S_ISREG(status.st_mode))
        return CUP_FILE_OTHER;
    cup_spin_lock(&looking.locked);
    path_of(fd, looking.path, sizeof looking.path);
    enum cup_file_class class = cup_file_class_of(looking.path);
    cup_spin_unlock(&looking.locked);
    return class;
}

void cup_descriptor_forget(int fd)
{
    struct cup_descriptor *entry = entry_of(fd);
    if (entry && (entry->class || entry->opened))
        *entry = (struct cup_descriptor){0};
}

/* The task for which this thread opens PATH: its own, its context's, or of a native thread the one
 * that looked PATH up. */
static uint32_t opener(const char *path)
{
    uint32_t task = cup_attribution_opener();
    return task || cup_attribution_task() ? task : cup_path_task(path);
}

void cup_descriptor_opened(int fd, const char *path)
{
    struct cup_descriptor *entry = entry_of(fd);
    if (!entry)
        return;
    *entry = (struct cup_descriptor){.opened = 1, .owner = opener(path)};
    if (!entry->owner || cup_attribution_task())
        cup_path_used(path);
}

void cup_descriptor_forget_range(unsigned first, unsigned last)
{
    for (unsigned fd = first; fd <= last && fd < CUP_DESCRIPTORS; fd++)
        cup_descriptor_forget((int)fd);
}

void cup_descriptor_moved(int fd, int64_t offset)
{
    struct cup_descriptor *entry = entry_of(fd);
    if (entry)
        entry->cursor = offset;
}
