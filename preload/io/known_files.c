#include "preload/io/known_files.h"

#include "preload/io/file_class.h"
#include "preload/io/peer.h"
#include "preload/log/log.h"
#include "preload/root/baskets.h"
#include "preload/sys/raw.h"

#include <string.h>

enum {
    FILE_SLOTS = 1 << 13, /* of which 3/4 are used, at most */
    PEER_SLOTS = 1 << 11, /* of which half are used: peers must not take the place of files */
};

struct file_slot {
    uint64_t device;
    uint64_t inode;
    uint32_t path; /* string id. An inode's number alone may be used again for another file */
    uint32_t id;   /* 0: free */
    uint32_t class;
};

struct peer_slot {
    uint32_t id; /* 0: free */
    char address[CUP_PEER_LONGEST];
};

/* One mapping: the kernel provides its pages when they are first used. */
static struct tables {
    struct file_slot files[FILE_SLOTS];
    struct peer_slot peers[PEER_SLOTS];
} * tables;

/* Under the log's lock. */
static uint32_t file_count, peer_count;
static uint32_t last_id; /* of files and peers */

int cup_known_files_init(void)
{
    void *room = cup_raw_mmap(NULL, sizeof *tables, PROT_READ | PROT_WRITE,
                              MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (room == MAP_FAILED)
        return -1;
    tables = room;
    return 0;
}

void cup_known_files_reset(void)
{
    if (tables)
        madvise(tables, sizeof *tables, MADV_DONTNEED); /* cheaper than writing zeros */
    file_count = peer_count = last_id = 0;
}

static void write_file_record(const struct file_slot *slot, const char *path, uint64_t size)
{
    struct cup_r_file *record = cup_log_reserve(sizeof *record, 0);
    if (!record)
        return;
    record->id = slot->id;
    record->path = slot->path;
    record->class = slot->class;
    record->flags = (cup_file_is_called_root(path) ? CUP_FILE_IS_ROOT : 0) |
                    (slot->class == CUP_FILE_DATA && !slot->inode ? CUP_FILE_IS_REMOTE : 0);
    record->device = slot->device;
    record->inode = slot->inode;
    record->size = size;
    cup_log_commit(record, CUP_R_FILE);
}

/* ---- files ------------------------------------------------------------------------------- */

/* The file's slot, or the free one where it belongs. */
static struct file_slot *find_file(const struct stat *status, uint32_t path)
{
    uint64_t hash = (status->st_ino * UINT64_C(0x9e3779b97f4a7c15)) ^ status->st_dev ^ path;
    uint32_t at = (uint32_t)(hash >> 20) % FILE_SLOTS;
    for (;; at = (at + 1) % FILE_SLOTS) {
        struct file_slot *slot = &tables->files[at];
        if (!slot->id ||
            (slot->inode == status->st_ino && slot->device == status->st_dev && slot->path == path))
            return slot;
    }
}

uint32_t cup_known_file(const struct stat *status, const char *path, uint32_t class)
{
    uint32_t path_id = cup_log_cstring(path);
    bool is_new = false;
    cup_log_lock();
    struct file_slot *slot = find_file(status, path_id);
    if (!slot->id && file_count < FILE_SLOTS / 4 * 3) {
        file_count++;
        *slot = (struct file_slot){.device = status->st_dev,
                                   .inode = status->st_ino,
                                   .path = path_id,
                                   .id = ++last_id,
                                   .class = class};
        is_new = true;
    }
    uint32_t id = slot->id;
    cup_log_unlock();
    if (is_new) {
        write_file_record(slot, path, (uint64_t)status->st_size);
        if (class == CUP_FILE_DATA)
            cup_baskets_file(id, path_id, (uint32_t)status->st_blksize,
                             cup_file_is_called_root(path));
    }
    if (!id)
        cup_log_health(CUP_H_FILES_DROPPED, 1);
    return id;
}

uint32_t cup_known_url(const char *url)
{
    return cup_known_file(&(struct stat){0}, url, CUP_FILE_DATA);
}

/* ---- peers ------------------------------------------------------------------------------- */

/* The peer's slot, or the free one where it belongs. The hash is FNV-1a
 * (http://www.isthe.com/chongo/tech/comp/fnv). */
static struct peer_slot *find_peer(const char *address)
{
    uint32_t hash = 2166136261u;
    for (const char *at = address; *at; at++)
        hash = (hash ^ (unsigned char)*at) * 16777619u;
    for (uint32_t at = hash % PEER_SLOTS;; at = (at + 1) % PEER_SLOTS) {
        struct peer_slot *slot = &tables->peers[at];
        if (!slot->id || strcmp(slot->address, address) == 0)
            return slot;
    }
}

uint32_t cup_known_peer(const char *address)
{
    bool is_new = false;
    cup_log_lock();
    struct peer_slot *slot = find_peer(address);
    if (!slot->id && peer_count < PEER_SLOTS / 2) {
        peer_count++;
        slot->id = ++last_id;
        strcpy(slot->address, address);
        is_new = true;
    }
    uint32_t id = slot->id;
    cup_log_unlock();
    if (is_new)
        write_file_record(&(struct file_slot){.id = id,
                                              .path = cup_log_cstring(address),
                                              .class = CUP_FILE_SOCKET},
                          address, 0);
    if (!id)
        cup_log_health(CUP_H_FILES_DROPPED, 1);
    return id;
}
