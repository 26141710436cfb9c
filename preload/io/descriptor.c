#include "preload/io/descriptor.h"

#include "preload/attribution/attribution.h"
#include "preload/attribution/lock_origin.h"
#include "preload/io/file_class.h"
#include "preload/io/known_files.h"
#include "preload/io/mounts.h"
#include "preload/io/peer.h"
#include "preload/io/repeats.h"
#include "preload/io/requests.h"
#include "preload/lifecycle/lifecycle.h"
#include "preload/lifecycle/thread.h"
#include "preload/log/log.h"
#include "preload/sys/id_table.h"
#include "preload/sys/raw.h"
#include "preload/sys/spin.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

struct cup_descriptor *cup_descriptor_table;
enum { TABLE_BYTES = CUP_DESCRIPTORS * sizeof(struct cup_descriptor) };

/* One look-up at a time. Its path is not on the stack: a crash handler may write its first line on
 * an alternate stack of 8 KiB, half of which the kernel has taken. For the same reason no printf()
 * is called here. */
static struct {
    uint32_t locked;
    char path[CUP_PATH_LONGEST];
} look_up;

/* Files of events that were looked up, by the path that the program opened and by inode. uproot
 * opens a file for every read, and asking the kernel for the path of a descriptor takes 1 us. */
enum { EVENT_FILES = 64 };
static struct event_file {
    uint64_t device, inode;
    uint32_t path; /* hash_path(); 0: no file */
    uint32_t file; /* its number */
} event_files[EVENT_FILES];

int cup_descriptor_init(void)
{
    void *room = cup_raw_mmap(NULL, TABLE_BYTES, PROT_READ | PROT_WRITE,
                              MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (room == MAP_FAILED)
        return -1;
    cup_descriptor_table = room;
    return 0;
}

void cup_descriptor_reset(void)
{
    cup_spin_unlock(&look_up.locked); /* a thread of the parent may have held it during the fork */
    if (cup_descriptor_table)
        madvise(cup_descriptor_table, TABLE_BYTES, MADV_DONTNEED); /* cheaper than writing zeros */
    memset(event_files, 0, sizeof event_files);
    cup_known_files_reset();
    cup_file_class_reset();
    cup_mounts_reset();
    cup_peer_reset();
}

/* FD's entry, looked up or not; NULL: it lies beyond the table. */
static struct cup_descriptor *find_entry(int fd)
{
    if (!cup_descriptor_table || (unsigned)fd >= CUP_DESCRIPTORS)
        return NULL;
    cup_kernel_gave(&cup_descriptor_table[fd]);
    return &cup_descriptor_table[fd];
}

/* ---- sockets of XRootD's client -------------------------------------------------------- */

static uint32_t wires[CUP_DESCRIPTORS / 32]; /* one bit for each descriptor */
static int wires_process;
bool cup_wires_exist;

bool cup_wire_is(int fd)
{
    return (unsigned)fd < CUP_DESCRIPTORS &&
           __atomic_load_n(&wires[fd / 32], __ATOMIC_RELAXED) >> fd % 32 & 1;
}

void cup_wire_add(int fd)
{
    if ((unsigned)fd >= CUP_DESCRIPTORS)
        return;
    __atomic_fetch_or(&wires[fd / 32], UINT32_C(1) << fd % 32, __ATOMIC_RELAXED);
    wires_process = cup_raw_getpid();
    cup_wires_exist = true;
    struct cup_descriptor *entry = cup_descriptor_known(fd);
    if (entry && entry->class == CUP_FILE_SOCKET)
        entry->wire = true;
}

/* A child of vfork() shares this process's memory, but closes descriptors of its own: a wire is
 * only removed by the process that connected it. */
void cup_wire_remove_slowly(int fd)
{
    if (cup_wire_is(fd) && cup_raw_getpid() == wires_process)
        __atomic_fetch_and(&wires[fd / 32], ~(UINT32_C(1) << fd % 32), __ATOMIC_RELAXED);
}

void cup_wire_remove_range(unsigned first, unsigned last)
{
    for (unsigned fd = first; cup_wires_exist && fd <= last && fd < CUP_DESCRIPTORS; fd++)
        cup_wire_remove_slowly((int)fd);
}

/* ---- look-up ----------------------------------------------------------------------------- */

/* Not 0 for the absolute path of a file of events: another path of the same file has most likely
 * another hash. */
static uint32_t hash_path(const char *path)
{
    if (!path || *path != '/' || !cup_file_is_called_events(path))
        return 0;
    return (uint32_t)cup_hash_bytes((struct cup_hash){1, 1}, path, strlen(path)).key | 1;
}

static struct event_file *find_event_file(uint32_t path)
{
    return &event_files[(path >> 1) % EVENT_FILES];
}

static bool is_event_file(const struct event_file *known, uint32_t path, const struct stat *status)
{
    return path && known->path == path && known->inode == status->st_ino &&
           known->device == status->st_dev && S_ISREG(status->st_mode);
}

/* Sets the entry's file and returns its class. look_up.path is then the path of a data file; "": it
 * was known before. PATH: hash_path() of how it was opened. */
static uint32_t identify_file(int fd, struct cup_descriptor *entry, uint32_t path,
                              const struct stat *status)
{
    struct event_file *known = find_event_file(path);
    if (is_event_file(known, path, status)) {
        entry->file = known->file;
        look_up.path[0] = '\0';
        return CUP_FILE_DATA;
    }
    uint32_t class = cup_file_classify(fd, status, look_up.path);
    if (class == CUP_FILE_DATA || class == CUP_FILE_SPILL)
        entry->file = cup_known_file(status, look_up.path, class);
    if (path && class == CUP_FILE_DATA && entry->file)
        *known = (struct event_file){status->st_dev, status->st_ino, path, entry->file};
    return class;
}

static void fill_entry(int fd, struct cup_descriptor *entry, const struct stat *status)
{
    uint32_t path = entry->file; /* see cup_descriptor_opened() */
    entry->file = 0;
    uint32_t class = identify_file(fd, entry, path, status);
    if (class == CUP_FILE_SOCKET)
        entry->wire = cup_wire_is(fd);
    if (class == CUP_FILE_DATA)
        entry->mount = cup_mount_of(status->st_dev, look_up.path);
    if (S_ISREG(status->st_mode) && !entry->opened) {
        int64_t at = syscall(SYS_lseek, fd, 0L, SEEK_CUR); /* no hook recorded earlier reads */
        entry->cursor = at < 0 ? 0 : at;
    }
    __atomic_store_n(&entry->class, class, __ATOMIC_RELEASE);
}

/* fstat() comes before the lock: it may wait for a server that does not answer, and other threads
 * must not wait with it. */
static bool identify_entry(int fd, struct cup_descriptor *entry)
{
    struct stat status;
    if (__atomic_load_n(&entry->class, __ATOMIC_ACQUIRE))
        return true;
    if (cup_raw_fstat(fd, &status))
        return false;
    cup_spin_lock(&look_up.locked);
    if (!entry->class)
        fill_entry(fd, entry, &status);
    cup_spin_unlock(&look_up.locked);
    return true;
}

struct cup_descriptor *cup_descriptor_look_up(int fd, struct cup_descriptor *spare)
{
    struct cup_descriptor *entry = find_entry(fd);
    if (fd < 0)
        return NULL;
    if (!entry) {
        *spare = (struct cup_descriptor){0};
        entry = spare;
    }
    int saved = errno;
    bool found = identify_entry(fd, entry);
    errno = saved;
    return found ? entry : NULL;
}

enum cup_file_class cup_descriptor_class(int fd)
{
    struct stat status;
    if (cup_raw_fstat(fd, &status))
        return CUP_FILE_OTHER;
    cup_spin_lock(&look_up.locked);
    enum cup_file_class class = cup_file_classify(fd, &status, look_up.path);
    cup_spin_unlock(&look_up.locked);
    return class;
}

/* ---- opened, moved, closed --------------------------------------------------------------- */

bool cup_descriptor_is_ours(void)
{
    return cup_raw_getpid() == (int)cup_log_header()->pid;
}

/* The task for which this thread opens PATH: its own, its context's, or, for a native thread, the
 * one that looked the path up before. */
static uint32_t find_opener(const char *path)
{
    uint32_t task = cup_attribution_opener();
    return task || cup_attribution_task() ? task : cup_path_task(path);
}

/* The class that the path alone shows; 0: the kernel is asked at the first use of the descriptor.
 * Dask opens files below /proc ten times a second. */
static uint8_t classify_path(const char *path)
{
    if (!path)
        return 0;
    return cup_file_is_compiled(path)    ? CUP_FILE_IMPORT
           : cup_file_is_of_kernel(path) ? CUP_FILE_OTHER
                                         : 0;
}

void cup_descriptor_opened(int fd, const char *path)
{
    struct cup_descriptor *entry = find_entry(fd);
    if (!entry)
        return;
    uint8_t class = classify_path(path);
    if (path && cup_file_is_module(path)) {
        cup_guard();
        CUP_LIFECYCLE(module_loads);
        cup_unguard();
    }
    *entry = (struct cup_descriptor){
        .class = class, .file = hash_path(path), .opened = 1, .owner = find_opener(path)};
    if (!entry->owner || cup_attribution_task())
        cup_path_used(path);
}

void cup_descriptor_piped(const int ends[2], uint32_t task)
{
    for (int i = 0; i < 2; i++) {
        struct cup_descriptor *entry = find_entry(ends[i]);
        if (entry)
            *entry = (struct cup_descriptor){.owner = task};
    }
}

void cup_descriptor_moved(int fd, int64_t offset)
{
    struct cup_descriptor *entry = find_entry(fd);
    if (entry)
        entry->cursor = offset;
}

void cup_descriptor_clear(int fd)
{
    struct cup_descriptor *entry = find_entry(fd);
    if (entry && entry->class == CUP_FILE_SOCKET)
        cup_request_closed(entry);
    if (entry && entry->class == CUP_FILE_SOCKET && entry->connects && !cup_self.guard) {
        int saved = cup_enter();
        cup_repeats_disconnected(entry->connector, entry->file);
        cup_leave(saved);
    }
    if (entry && (entry->class || entry->opened || entry->owner || entry->cursor))
        *entry = (struct cup_descriptor){0};
    if (entry)
        cup_kernel_takes(entry);
}

void cup_descriptor_clear_range(unsigned first, unsigned last)
{
    for (unsigned fd = first; fd <= last && fd < CUP_DESCRIPTORS; fd++)
        cup_descriptor_clear((int)fd);
}
