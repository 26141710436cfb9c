#include "preload/io/descriptor.h"

#include "preload/attribution/attribution.h"
#include "preload/attribution/looked_up_paths.h"
#include "preload/io/dask_addresses.h"
#include "preload/io/file_class.h"
#include "preload/io/known_files.h"
#include "preload/io/peer.h"
#include "preload/io/wires.h"
#include "preload/log/log.h"
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
enum { PATH_LONGEST = 4096 };
static struct {
    uint32_t locked;
    char path[PATH_LONGEST];
} look_up;

int cup_descriptor_init(void)
{
    void *room = cup_raw_mmap(NULL, TABLE_BYTES, PROT_READ | PROT_WRITE,
                              MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (room == MAP_FAILED)
        return -1;
    cup_descriptor_table = room;
    return cup_known_files_init();
}

void cup_descriptor_reset(void)
{
    cup_spin_unlock(&look_up.locked); /* a thread of the parent may have held it during the fork */
    if (cup_descriptor_table)
        madvise(cup_descriptor_table, TABLE_BYTES, MADV_DONTNEED); /* cheaper than writing zeros */
    cup_known_files_reset();
    cup_file_class_reset();
    cup_dask_address_reset();
}

/* FD's entry, looked up or not; NULL: it lies beyond the table. */
static struct cup_descriptor *find_entry(int fd)
{
    return cup_descriptor_table && (unsigned)fd < CUP_DESCRIPTORS ? &cup_descriptor_table[fd]
                                                                  : NULL;
}

/* ---- look-up ----------------------------------------------------------------------------- */

static uint32_t classify_mode(mode_t mode)
{
    if (S_ISFIFO(mode))
        return CUP_FILE_PIPE;
    return S_ISSOCK(mode) ? CUP_FILE_SOCKET : CUP_FILE_OTHER;
}

static void write_decimal(char *text, unsigned number)
{
    unsigned digits = 1;
    for (unsigned rest = number; rest >= 10; rest /= 10)
        digits++;
    text[digits] = '\0';
    for (; digits; number /= 10)
        text[--digits] = (char)('0' + number % 10);
}

/* Path of an open descriptor as the kernel knows it; "" if /proc cannot be read. */
static void read_path(int fd, char *path, size_t size)
{
    char link[32] = "/proc/self/fd/";
    write_decimal(link + strlen(link), (unsigned)fd);
    ssize_t length = readlink(link, path, size - 1);
    path[length < 0 ? 0 : length] = '\0';
}

/* Fills in ENTRY for FD, a regular file. Returns its class. */
static uint32_t look_up_file(int fd, struct cup_descriptor *entry, const struct stat *status)
{
    read_path(fd, look_up.path, sizeof look_up.path);
    uint32_t class = cup_file_class_of(look_up.path);
    if (class != CUP_FILE_OTHER && class != CUP_FILE_IMPORT)
        entry->file = cup_known_file(status, look_up.path, class);
    if (!entry->opened) { /* reads before this one were not seen, and may have moved the cursor */
        int64_t at = cup_raw_lseek(fd, 0, SEEK_CUR);
        entry->cursor = at < 0 ? 0 : at;
    }
    return class;
}

/* The same for anything but a regular file. */
static uint32_t look_up_other(int fd, struct cup_descriptor *entry, mode_t mode)
{
    uint32_t class = classify_mode(mode);
    if (class == CUP_FILE_SOCKET)
        entry->wire = cup_wire_is(fd);
    if (!S_ISCHR(mode))
        return class;
    read_path(fd, look_up.path, sizeof look_up.path);
    return cup_file_is_terminal(look_up.path) ? CUP_FILE_PIPE : CUP_FILE_OTHER;
}

static bool fill_entry(int fd, struct cup_descriptor *entry)
{
    struct stat status;
    if (cup_raw_fstat(fd, &status))
        return false;
    uint32_t class = S_ISREG(status.st_mode) ? look_up_file(fd, entry, &status)
                                             : look_up_other(fd, entry, status.st_mode);
    __atomic_store_n(&entry->class, class, __ATOMIC_RELEASE);
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
    cup_spin_lock(&look_up.locked);
    bool found = entry->class || fill_entry(fd, entry);
    cup_spin_unlock(&look_up.locked);
    errno = saved;
    return found ? entry : NULL;
}

enum cup_file_class cup_descriptor_class(int fd)
{
    struct stat status;
    if (cup_raw_fstat(fd, &status) || !S_ISREG(status.st_mode))
        return CUP_FILE_OTHER;
    cup_spin_lock(&look_up.locked);
    read_path(fd, look_up.path, sizeof look_up.path);
    enum cup_file_class class = cup_file_class_of(look_up.path);
    cup_spin_unlock(&look_up.locked);
    return class;
}

/* ---- peers ------------------------------------------------------------------------------- */

static enum cup_peer_state classify_peer(const char *peer, const char *own)
{
    static const char unnamed[] = "unix:";
    if (cup_dask_address_is_known(peer) || cup_dask_address_is_known(own))
        return CUP_PEER_DASK;
    return strcmp(peer, unnamed) || strcmp(own, unnamed) ? CUP_PEER_KNOWN : CUP_PEER_PAIR;
}

void cup_descriptor_look_up_peer(struct cup_descriptor *entry, int fd)
{
    if (entry->peer)
        return;
    char address[CUP_PEER_LONGEST], own[CUP_PEER_LONGEST];
    cup_spin_lock(&look_up.locked);
    if (!entry->peer && cup_peer_address(fd, address) && cup_peer_own(fd, own)) {
        enum cup_peer_state state = classify_peer(address, own);
        entry->file = state == CUP_PEER_DASK ? 0 : cup_known_peer(address);
        entry->opened = entry == find_entry(fd); /* a spare entry is made anew for every call */
        __atomic_store_n(&entry->peer, state, __ATOMIC_RELEASE);
    }
    cup_spin_unlock(&look_up.locked);
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

void cup_descriptor_opened(int fd, const char *path)
{
    struct cup_descriptor *entry = find_entry(fd);
    if (!entry)
        return;
    *entry = (struct cup_descriptor){.opened = 1, .owner = find_opener(path)};
    if (!entry->owner || cup_attribution_task())
        cup_path_used(path);
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
    if (entry && (entry->class || entry->opened))
        *entry = (struct cup_descriptor){0};
}

void cup_descriptor_clear_range(unsigned first, unsigned last)
{
    for (unsigned fd = first; fd <= last && fd < CUP_DESCRIPTORS; fd++)
        cup_descriptor_clear((int)fd);
}
