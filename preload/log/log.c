#include "preload/log/log.h"

#include "include/packed_fixed.h"
#include "preload/log/secrets.h"
#include "preload/sys/clock.h"
#include "preload/sys/id_table.h"
#include "preload/sys/raw.h"
#include "preload/sys/spin.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <linux/magic.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <unistd.h>

#ifndef CUPPING_VERSION
#define CUPPING_VERSION "0.1.0"
#endif

enum {
    GROW_BYTES = 64 * 1024, /* a small log grows by this */
    GROW_SHARE = 16,        /* a large one by 1/16 of its size, because each step is a mapping, */
    GROW_MOST = 4 << 20,    /* but by no more than this: other threads wait for it */
    CHILD_GROW_BYTES = 32 * 1024, /* the whole file of most children */
    CHILD_MAX_BYTES = 64 * 1024 * 1024,
    RELEASE_LAG = 512 * 1024, /* pages this far behind the end are dropped from the resident set */
    RESERVE_BYTES = 128 * 1024, /* for the totals, and for records of tasks that run */
    MOST_STRINGS = 12288,       /* that are interned */
    FOR_NAMES = 2048,           /* of them, kept free for names that the totals need */
    STRING_LONGEST = 4096,
};

/* Counter blocks that lie next to each other: a region of the log, or memory outside of it. */
struct block_lot {
    struct cup_block *blocks;
    uint32_t count;
};
enum { LOT_ROOM = CUP_REGION_ROOM + 12 };

/* What the library relies on is here, and only copied into the file: a file system that fails to
 * write a page may show its old contents in the mapping, such as zeros. */
static struct {
    uint32_t lock;
    uint32_t region_count;
    struct cup_region regions[CUP_REGION_ROOM];
    uint32_t lot_count;
    uint32_t logged_blocks; /* number of blocks in the log; those outside of it follow */
    struct block_lot lots[LOT_ROOM];
    uint64_t records_end;
    uint64_t bin_ns;    /* of the series; 0: there is none */
    char *base;         /* start of the mapping; NULL: no log */
    uint64_t reserved;  /* address space kept for it */
    uint64_t allocated; /* bytes of it that have disk blocks and are mapped */
    uint64_t limit;     /* CUPPING_MAX_BYTES, or what the address space allowed */
    uint64_t reserve;   /* bytes that are left free for essential records; 0: no task has begun */
    uint32_t totals;    /* index of their region; 0: there is none */
    uint64_t released;  /* offset up to which pages of records were dropped */
    bool by_write;      /* the file system cannot map files shared: records are in plain memory, and
                           each is written with pwrite() when it is committed */
    bool refused;       /* the file system refused to store something: said beside the log */
    bool full;          /* the disk is full or the limit reached: growing is tried once a second */
    bool child;         /* a child's log: few blocks, no series */
    int64_t next_full_try_ns; /* CLOCK_MONOTONIC */
    dev_t device;             /* of its file */
    ino_t inode;              /* 0: not known yet */
    char path[4096];
    struct cup_id_table strings; /* interned: their ids by their hashes */
    char clean[STRING_LONGEST];  /* a string without its secrets */
    uint32_t string_count;
} the_log;

static mode_t shared_with; /* of 077: who may read logs, besides the user */

void cup_log_lock(void)
{
    cup_spin_lock(&the_log.lock);
}

void cup_log_unlock(void)
{
    cup_spin_unlock(&the_log.lock);
}

struct cup_log_header *cup_log_header(void)
{
    return (struct cup_log_header *)the_log.base;
}

static uint64_t blocks_offset(void)
{
    return (sizeof(struct cup_log_header) + 63) & ~UINT64_C(63);
}

static uint32_t first_blocks(void)
{
    return the_log.child ? CUP_LOG_CHILD_BLOCK_COUNT : CUP_LOG_BLOCK_COUNT;
}

static uint64_t series_offset(void)
{
    return blocks_offset() + first_blocks() * sizeof(struct cup_block);
}

static uint64_t records_offset(void)
{
    if (the_log.child)
        return (series_offset() + 63) & ~UINT64_C(63);
    return (series_offset() + sizeof(struct cup_series) + 4095) & ~UINT64_C(4095);
}

static uint64_t grow_bytes(void)
{
    return the_log.child ? CHILD_GROW_BYTES : GROW_BYTES;
}

/* Another thread may add a lot at any time. */
static uint32_t count_lots(void)
{
    return __atomic_load_n(&the_log.lot_count, __ATOMIC_ACQUIRE);
}

uint32_t cup_log_block_count(void)
{
    uint32_t count = 0;
    for (uint32_t i = 0, lots = count_lots(); i < lots; i++)
        count += the_log.lots[i].count;
    return count;
}

struct cup_block *cup_log_block(uint32_t index)
{
    for (uint32_t i = 0, lots = count_lots(); i < lots; index -= the_log.lots[i++].count)
        if (index < the_log.lots[i].count)
            return the_log.lots[i].blocks + index;
    return NULL;
}

uint32_t cup_log_block_index(const struct cup_block *block)
{
    uint32_t index = 0;
    for (uint32_t i = 0, lots = count_lots(); i < lots; index += the_log.lots[i++].count)
        if (block >= the_log.lots[i].blocks &&
            block < the_log.lots[i].blocks + the_log.lots[i].count)
            return index + (uint32_t)(block - the_log.lots[i].blocks);
    return index;
}

bool cup_log_block_is_outside(uint32_t index)
{
    return index >= __atomic_load_n(&the_log.logged_blocks, __ATOMIC_RELAXED);
}

struct cup_series *cup_log_series(void)
{
    return the_log.base && !the_log.child ? (struct cup_series *)(the_log.base + series_offset())
                                          : NULL;
}

void cup_log_health(enum cup_health counter, uint64_t amount)
{
    struct cup_log_header *header = cup_log_header();
    if (header)
        __atomic_fetch_add(&header->health[counter], amount, __ATOMIC_RELAXED);
}

/* ---- growth ------------------------------------------------------------------------------ */

/* A write beyond RLIMIT_FSIZE would raise SIGXFSZ in the user's process, so the limit is checked
 * first.
 */
static bool file_size_allowed(uint64_t bytes)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_FSIZE, &limit))
        return true;
    return limit.rlim_cur == RLIM_INFINITY || bytes <= limit.rlim_cur;
}

/* The header may be among what the file system refused to store, so the news is the name of a file
 * beside the log, which takes no blocks. */
static void note_refusal(void)
{
    static char path[sizeof the_log.path + sizeof CUP_LOG_REFUSED];
    if (__atomic_exchange_n(&the_log.refused, true, __ATOMIC_RELAXED))
        return;
    size_t bytes = strlen(the_log.path);
    memcpy(path, the_log.path, bytes);
    memcpy(path + bytes, CUP_LOG_REFUSED, sizeof CUP_LOG_REFUSED);
    int fd = cup_raw_open(path, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW,
                          0600 | (shared_with & 0666));
    if (fd >= 0)
        cup_raw_close(fd);
}

/* The kernel stores changed pages of the mapping later. If the file system refuses one, by a quota
 * or an error, the kernel drops the page, and says so only to calls on the file that wait for
 * storing, such as this one. It waits for nothing here: the range, behind all records, has no
 * pages. */
static void check_stored(int fd)
{
    if (syscall(SYS_sync_file_range, fd, the_log.reserved, UINT64_C(4096),
                SYNC_FILE_RANGE_WAIT_BEFORE) &&
        (errno == EIO || errno == ENOSPC || errno == EDQUOT))
        note_refusal();
}

/* NFS and FUSE store changed pages when a descriptor of the file is closed. */
static void close_and_check(int fd)
{
    if (cup_raw_close(fd) && errno != EINTR && errno != EBADF)
        note_refusal();
}

/* Allocates disk blocks for [FROM, TO) of the file. Without them, a store into the mapping would
 * raise SIGBUS if the disk is full. */
static int allocate_blocks(int fd, uint64_t from, uint64_t to)
{
    int result;
    do /* a timer's signal may interrupt it again and again */
        result = (int)syscall(SYS_fallocate, fd, 0, from, to - from);
    while (result && errno == EINTR);
    if (!result)
        return 0;
    if (errno != EOPNOTSUPP && errno != ENOSYS && errno != EINVAL)
        return -1;
    static const char zeros[4096];
    for (uint64_t at = from; at < to; at += sizeof zeros)
        if (cup_raw_pwrite(fd, zeros, sizeof zeros, at) != sizeof zeros)
            return -1;
    return 0;
}

/* FD is the file that was opened first. True without a look where the log is not mapped: then a
 * FUSE file system may give the same file another number later. */
static bool is_same_file(int fd)
{
    struct stat status;
    if (the_log.by_write || cup_raw_fstat(fd, &status) != 0)
        return true;
    if (!the_log.inode) {
        the_log.device = status.st_dev;
        the_log.inode = status.st_ino;
    }
    return status.st_dev == the_log.device && status.st_ino == the_log.inode;
}

/* The log's file again. -1: it cannot be opened, or another file has its name now. */
static int open_again(int flags)
{
    int fd = cup_raw_open(the_log.path, flags | O_CLOEXEC | O_NOFOLLOW, 0);
    if (fd < 0 || is_same_file(fd))
        return fd;
    cup_raw_close(fd);
    return -1;
}

static int map_range(int fd, uint64_t from, uint64_t to)
{
    int flags = MAP_FIXED | (the_log.by_write ? MAP_PRIVATE | MAP_ANONYMOUS : MAP_SHARED);
    void *got = cup_raw_mmap(the_log.base + from, to - from, PROT_READ | PROT_WRITE, flags,
                             the_log.by_write ? -1 : fd, the_log.by_write ? 0 : from);
    return got == MAP_FAILED ? -1 : 0;
}

/* Allocates and maps [0, TO) of the file. Called with the lock held, or before other threads know
 * of the log. */
static int grow_log(uint64_t to)
{
    to = (to + grow_bytes() - 1) / grow_bytes() * grow_bytes();
    if (to > the_log.limit || !file_size_allowed(to))
        return -1;
    int fd = open_again(O_RDWR);
    if (fd < 0)
        return -1;
    check_stored(fd);
    int result = allocate_blocks(fd, the_log.allocated, to);
    if (result == 0)
        result = map_range(fd, the_log.allocated, to);
    if (result == 0)
        the_log.allocated = to;
    close_and_check(fd);
    return result;
}

/* Drops the pages of records far behind END from the resident set, so that they do not count as the
 * user's memory. They are hardly ever touched again. */
static void release_old_pages(uint64_t end)
{
    if (the_log.by_write || end < the_log.released + RELEASE_LAG + GROW_BYTES)
        return;
    uint64_t to = (end - RELEASE_LAG) & ~UINT64_C(4095);
    madvise(the_log.base + the_log.released, to - the_log.released, MADV_DONTNEED);
    the_log.released = to;
}

/* Lets the log grow until END, and the reserve behind it, is inside it. False: it is full. Lock
 * held. */
static bool make_room(uint64_t end)
{
    end += the_log.reserve;
    if (end <= the_log.allocated)
        return true;
    int64_t now = cup_clock_monotonic_ns();
    if (the_log.full && now < the_log.next_full_try_ns)
        return false;
    uint64_t more = the_log.allocated / GROW_SHARE;
    the_log.full = grow_log(end + (more < GROW_MOST ? more : GROW_MOST)) != 0 && grow_log(end) != 0;
    the_log.next_full_try_ns = now + INT64_C(1000000000);
    if (!the_log.full)
        release_old_pages(end - the_log.reserve);
    return !the_log.full;
}

/* ---- records ----------------------------------------------------------------------------- */

/* ESSENTIAL: the record may use the reserve. */
static void *reserve_locked(uint32_t length, bool essential)
{
    struct cup_log_header *header = cup_log_header();
    if (!header)
        return NULL;
    /* The length of the record after this one must be readable: it is 0, which marks the end. */
    uint64_t at = the_log.records_end, end = at + length + sizeof(struct cup_record);
    if (!make_room(end) && !(essential && end <= the_log.allocated)) {
        cup_log_health(CUP_H_RECORDS_DROPPED, 1);
        return NULL;
    }
    struct cup_record *record = (struct cup_record *)(the_log.base + at);
    __atomic_store_n(&record->length, length, __ATOMIC_RELAXED);
    the_log.records_end = at + length;
    __atomic_store_n(&header->records_end, the_log.records_end, __ATOMIC_RELEASE);
    return record;
}

/* The blocks can be used as soon as this returns. Lock held, or before other threads know of the
 * log. */
static void list_blocks(void *blocks, uint32_t count)
{
    the_log.lots[the_log.lot_count] = (struct block_lot){blocks, count};
    __atomic_store_n(&the_log.lot_count, the_log.lot_count + 1, __ATOMIC_RELEASE);
}

/* The region is in the list before it counts. Lock held, or before other threads know of the log.
 */
static void list_region(struct cup_region region)
{
    struct cup_log_header *header = cup_log_header();
    uint32_t number = the_log.region_count;
    the_log.regions[number] = header->regions[number] = region;
    __atomic_store_n(&the_log.region_count, number + 1, __ATOMIC_RELEASE);
    __atomic_store_n(&header->region_count, number + 1, __ATOMIC_RELEASE);
    if (region.type != CUP_REGION_BLOCKS)
        return;
    __atomic_store_n(&the_log.logged_blocks, the_log.logged_blocks + region.count,
                     __ATOMIC_RELAXED);
    list_blocks(the_log.base + region.offset, region.count);
}

/* Adds a region of COUNT entries of BYTES each. False: there is no room. Lock held. */
static bool add_region(enum cup_region_type type, uint32_t count, uint32_t bytes, bool essential)
{
    struct cup_record *record = reserve_locked((uint32_t)sizeof *record + count * bytes, essential);
    if (!record)
        return false;
    record->fixed = sizeof *record;
    cup_log_commit(record, CUP_R_ROOM);
    list_region(
        (struct cup_region){type, count, (uint64_t)((char *)(record + 1) - the_log.base), bytes});
    return true;
}

/* One region is left for the totals. Blocks of the log come before those outside of it: readers
 * number only the former. */
bool cup_log_more_blocks(void)
{
    enum { BYTES = CUP_LOG_MORE_BLOCKS * sizeof(struct cup_block) + 2 * sizeof(struct cup_record) };
    return the_log.base && !the_log.by_write &&
           the_log.region_count + !the_log.totals < CUP_REGION_ROOM &&
           cup_log_block_count() == the_log.logged_blocks &&
           make_room(the_log.records_end + BYTES) &&
           add_region(CUP_REGION_BLOCKS, CUP_LOG_MORE_BLOCKS, sizeof(struct cup_block), false);
}

bool cup_log_blocks_outside(void)
{
    uint32_t count = cup_log_block_count(), more = CUP_LOG_MOST_BLOCKS - count;
    if (!count || !more || the_log.lot_count == LOT_ROOM)
        return false;
    if (more > count)
        more = count;
    void *blocks = cup_raw_mmap(NULL, more * sizeof(struct cup_block), PROT_READ | PROT_WRITE,
                                MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (blocks == MAP_FAILED)
        return false;
    list_blocks(blocks, more);
    return true;
}

/* ---- the reserve ------------------------------------------------------------------------- */

bool cup_log_has_room(void)
{
    enum { BEGIN_BYTES = 8192 }; /* TASK_BEGIN with the longest key, and what others may add */
    if (!the_log.base || the_log.child)
        return true;
    cup_log_lock();
    the_log.reserve = RESERVE_BYTES;
    bool room = make_room(the_log.records_end + BEGIN_BYTES);
    cup_log_unlock();
    return room;
}

struct cup_task_totals *cup_log_totals(void)
{
    uint32_t region = __atomic_load_n(&the_log.totals, __ATOMIC_ACQUIRE);
    return region ? (struct cup_task_totals *)(the_log.base + the_log.regions[region].offset)
                  : NULL;
}

/* The region is known to readers before it is used: an entry that is not used is empty. */
bool cup_log_make_totals(void)
{
    cup_log_lock();
    if (the_log.base && !the_log.totals &&
        add_region(CUP_REGION_TOTALS, 1, sizeof(struct cup_task_totals), true)) {
        uint32_t region = the_log.region_count - 1;
        struct cup_task_totals *totals =
            (struct cup_task_totals *)(the_log.base + the_log.regions[region].offset);
        totals->entries[CUP_TOTAL_NONE].used = totals->entries[CUP_TOTAL_OTHERS].used = 1;
        __atomic_store_n(&the_log.totals, region, __ATOMIC_RELEASE);
    }
    cup_log_unlock();
    return the_log.totals != 0;
}

static uint32_t record_length(uint16_t fixed, size_t tail)
{
    return (uint32_t)((fixed + tail + 7) & ~(size_t)7);
}

void *cup_log_reserve(uint16_t fixed, size_t tail)
{
    cup_log_lock();
    struct cup_record *record = reserve_locked(record_length(fixed, tail), false);
    cup_log_unlock();
    if (record)
        record->fixed = fixed;
    return record;
}

static void write_back(const void *at, size_t bytes)
{
    int fd = open_again(O_WRONLY);
    if (fd < 0)
        return;
    uint64_t offset = (uint64_t)((const char *)at - the_log.base);
    if (cup_raw_pwrite(fd, at, bytes, offset) != (ssize_t)bytes)
        note_refusal();
    close_and_check(fd);
}

void cup_log_changed(const void *at, size_t bytes)
{
    if (!the_log.by_write)
        return;
    write_back(at, bytes);
    write_back(the_log.base, records_offset());
}

void cup_log_commit(void *whole, enum cup_record_type type)
{
    struct cup_record *record = whole;
    __atomic_store_n(&record->type, (uint16_t)type, __ATOMIC_RELEASE);
    if (!the_log.by_write)
        return;
    write_back(record, record->length);
    if (type == CUP_R_TASK_END || type == CUP_R_TASK_BEGIN)
        write_back(the_log.base, records_offset());
}

static const uint16_t fixed_bytes[] = {
#define X(NAME, name, number, bytes, least, tail) [number] = (bytes),
    CUP_RECORDS(X)
#undef X
};

/* Behind the end of the log all bytes are 0, and so is what follows the tail. */
static void *fill_record(struct cup_record *record, enum cup_record_type type, const void *from,
                         const void *tail, size_t bytes)
{
    uint16_t fixed = fixed_bytes[type];
    if (!record)
        return NULL;
    record->fixed = fixed;
    memcpy(record + 1, (const struct cup_record *)from + 1, fixed - sizeof *record);
    if (bytes)
        memcpy((char *)record + fixed, tail, bytes);
    cup_log_commit(record, type);
    return record;
}

/* Each task has such records, and no one changes them later. */
#define PACKED_TYPES(X)                                                                            \
    X(TASK_BEGIN, task_begin)                                                                      \
    X(TASK_END, task_end)                                                                          \
    X(ITEM, item)                                                                                  \
    X(CHUNK, chunk)                                                                                \
    X(CHUNK_REPORT, chunk_report)                                                                  \
    X(COUNTERS, counters)                                                                          \
    X(FILE_USE, file_use)                                                                          \
    X(INPUTS, inputs)                                                                              \
    X(BASKETS, baskets)                                                                            \
    X(ACCESS, access)                                                                              \
    X(STACK_USE, stack_use)                                                                        \
    X(CPU_SAMPLES, cpu_samples)                                                                    \
    X(REQUESTS, requests)                                                                          \
    X(OPENS, opens)

enum { MOST_PACKED_WORDS = sizeof(struct cup_r_task_begin) / sizeof(uint32_t) };
#define X(NAME, name)                                                                              \
    _Static_assert(sizeof(struct cup_r_##name) <= MOST_PACKED_WORDS * sizeof(uint32_t),            \
                   #NAME " fits the buffer of write_packed()");
PACKED_TYPES(X)
#undef X

static bool is_packed(enum cup_record_type type)
{
    switch (type) {
#define X(NAME, name) case CUP_R_##NAME:
        PACKED_TYPES(X)
#undef X
        return true;
    default:
        return false;
    }
}

/* Without these, a task that has begun would lack its end, or its sums. */
static bool is_essential(enum cup_record_type type)
{
    switch (type) {
    case CUP_R_TASK_BEGIN:
    case CUP_R_TASK_END:
    case CUP_R_ITEM:
    case CUP_R_CHUNK:
    case CUP_R_COUNTERS:
    case CUP_R_VOID:
    case CUP_R_CHILD:
        return true;
    default:
        return false;
    }
}

/* As cup_log_write(). The bytes that a record's length needs to be a multiple of 8 lie before the
 * tail: a reader of pairs takes all that follows for pairs. */
static void *write_packed(enum cup_record_type type, const void *record, const void *tail,
                          size_t bytes)
{
    unsigned char
        packed[MOST_PACKED_WORDS * sizeof(uint32_t) + MOST_PACKED_WORDS / CUP_FIXED_GROUP];
    size_t words = (fixed_bytes[type] - sizeof(struct cup_record)) / sizeof(uint32_t);
    size_t count = cup_fixed_pack(packed, (const struct cup_record *)record + 1, words);
    uint32_t length = record_length((uint16_t)(sizeof(struct cup_record) + count), bytes);
    cup_log_lock();
    struct cup_record *to = reserve_locked(length, is_essential(type));
    cup_log_unlock();
    if (!to)
        return NULL;
    to->fixed = (uint16_t)(CUP_FIXED_PACKED | (length - bytes));
    memcpy(to + 1, packed, count);
    if (bytes)
        memcpy((char *)to + length - bytes, tail, bytes);
    cup_log_commit(to, type);
    return to;
}

void *cup_log_write(enum cup_record_type type, const void *record, const void *tail, size_t bytes)
{
    if (is_packed(type))
        return write_packed(type, record, tail, bytes);
    cup_log_lock();
    void *to = reserve_locked(record_length(fixed_bytes[type], bytes), is_essential(type));
    cup_log_unlock();
    return fill_record(to, type, record, tail, bytes);
}

/* ---- strings ----------------------------------------------------------------------------- */

/* 0: there is no room. */
static uint32_t add_string(struct cup_hash hash, const char *text, size_t bytes, bool essential)
{
    if (!cup_id_room(&the_log.strings, 1, essential ? MOST_STRINGS : MOST_STRINGS - FOR_NAMES)) {
        cup_log_health(CUP_H_STRINGS_DROPPED, 1);
        return 0;
    }
    struct cup_r_string string = {.id = the_log.string_count + 1, .bytes = (uint32_t)bytes};
    void *record = reserve_locked(record_length(sizeof string, bytes), essential);
    if (!fill_record(record, CUP_R_STRING, &string, text, bytes))
        return 0;
    cup_id_add(&the_log.strings, hash.key, hash.more, ++the_log.string_count);
    return string.id;
}

static uint32_t intern_string(const char *text, size_t bytes, bool essential)
{
    if (!text || !the_log.base)
        return 0;
    if (bytes > STRING_LONGEST)
        bytes = STRING_LONGEST;
    cup_log_lock();
    if (cup_secrets_possible(text, bytes)) {
        memcpy(the_log.clean, text, bytes);
        bytes = cup_secrets_leave_out(the_log.clean, bytes);
        text = the_log.clean;
    }
    struct cup_hash hash = cup_hash_bytes((struct cup_hash){0}, text, bytes);
    const struct cup_id_entry *entry = cup_id_find(&the_log.strings, hash.key, hash.more);
    uint32_t id = entry ? entry->id : add_string(hash, text, bytes, essential);
    cup_log_unlock();
    return id;
}

uint32_t cup_log_string(const char *text, size_t bytes)
{
    return intern_string(text, bytes, false);
}

uint32_t cup_log_name(const char *text, size_t bytes)
{
    return intern_string(text, bytes, true);
}

uint32_t cup_log_cstring(const char *text)
{
    return text ? cup_log_string(text, strlen(text)) : 0;
}

void cup_log_note(const char *text)
{
    cup_log_write(CUP_R_NOTE, &(struct cup_r_note){.text = cup_log_cstring(text)}, NULL, 0);
}

void cup_log_info(const char *name, const char *value)
{
    struct cup_r_info info = {.name = cup_log_cstring(name)};
    info.value = cup_log_cstring(value);
    cup_log_write(CUP_R_INFO, &info, NULL, 0);
}

/* ---- series ------------------------------------------------------------------------------ */

static void double_bins(struct cup_series *series)
{
    __atomic_store_n(&series->doubling, 1, __ATOMIC_RELEASE);
    for (int row = 0; row < CUP_SERIES_COUNT; row++) {
        uint64_t *values = series->values[row];
        for (int bin = 0; bin < CUP_SERIES_BINS / 2; bin++)
            values[bin] = values[2 * bin] + values[2 * bin + 1];
        memset(values + CUP_SERIES_BINS / 2, 0, CUP_SERIES_BINS / 2 * sizeof *values);
    }
    __atomic_store_n(&the_log.bin_ns, 2 * the_log.bin_ns, __ATOMIC_RELAXED);
    series->bin_ns = the_log.bin_ns;
    __atomic_store_n(&series->doubling, 0, __ATOMIC_RELEASE);
}

uint64_t cup_log_bin_ns(void)
{
    return __atomic_load_n(&the_log.bin_ns, __ATOMIC_RELAXED);
}

void cup_log_series_add(enum cup_series_row row, int64_t now_ns, uint64_t amount)
{
    struct cup_series *series = cup_log_series();
    if (!series)
        return;
    int64_t since = now_ns - cup_log_header()->log_start_ns;
    uint64_t bin = 0;
    cup_log_lock(); /* another thread may double the bins */
    while (since > 0 && (bin = (uint64_t)since / the_log.bin_ns) >= CUP_SERIES_BINS)
        double_bins(series);
    series->values[row][bin] += amount;
    cup_log_unlock();
}

/* ---- opening and closing ----------------------------------------------------------------- */

void cup_log_share(enum cup_log_readers readers)
{
    static const mode_t modes[] = {
        [CUP_LOG_OF_USER] = 0, [CUP_LOG_OF_GROUP] = 050, [CUP_LOG_OF_ALL] = 055};
    shared_with = modes[readers];
}

/* btrfs writes a changed page to new blocks. If the disk is full by then, or a quota is used up,
 * the store into the mapping raises SIGBUS, although the file has its blocks. Files with this flag
 * are changed in place. It can only be set while a file is empty. */
static void write_in_place(int fd)
{
    struct statfs system;
    int flags = 0;
    if (fstatfs(fd, &system) || system.f_type != BTRFS_SUPER_MAGIC ||
        syscall(SYS_ioctl, fd, FS_IOC_GETFLAGS, &flags))
        return;
    flags |= FS_NOCOW_FL;
    syscall(SYS_ioctl, fd, FS_IOC_SETFLAGS, &flags);
}

static int make_directory(const char *directory)
{
    mode_t mode = 0700 | shared_with;
    if (mkdir(directory, mode) != 0)
        return -1;
    struct stat made;
    int fd = shared_with ? cup_raw_open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0) : -1;
    if (fd >= 0 && cup_raw_fstat(fd, &made) == 0)
        fchmod(fd, (made.st_mode & S_ISGID) | mode); /* inherited: the group of a project */
    if (fd >= 0)
        cup_raw_close(fd);
    return 0;
}

static int create_file(const char *directory, int64_t now_ns, const char *host)
{
    int length = snprintf(the_log.path, sizeof the_log.path, "%s/%s-%d-%lld" CUP_LOG_SUFFIX,
                          directory, host, (int)getpid(), (long long)now_ns);
    if (length < 0 || (size_t)length >= sizeof the_log.path) {
        errno = ENAMETOOLONG;
        return -1;
    }
    int flags = O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW;
    mode_t mode = 0600 | (shared_with & 0666);
    int fd = cup_raw_open(the_log.path, flags, mode);
    /* Without cupping-run no one else makes the directory. Another process of the job may make it
     * at the same time. */
    if (fd < 0 && errno == ENOENT && (make_directory(directory) == 0 || errno == EEXIST))
        fd = cup_raw_open(the_log.path, flags, mode);
    if (fd < 0)
        return -1;
    if (shared_with)
        fchmod(fd, mode); /* the umask does not restrict what the user wants to share */
    write_in_place(fd);
    cup_raw_close(fd);
    return 0;
}

/* Of a limited address space (RLIMIT_AS) the log may take a sixteenth: the rest is the program's.
 */
static uint64_t limit_addresses(uint64_t bytes)
{
    enum { SHARE = 16 };
    struct rlimit limit;
    if (getrlimit(RLIMIT_AS, &limit) || limit.rlim_cur == RLIM_INFINITY)
        return bytes;
    return bytes < limit.rlim_cur / SHARE ? bytes : limit.rlim_cur / SHARE;
}

/* Reserves address space for the whole log, so that records never move. If there is not enough,
 * takes half of it, and so on. */
static int reserve_addresses(uint64_t max_bytes)
{
    for (uint64_t bytes = limit_addresses(max_bytes); bytes >= 4 * GROW_BYTES; bytes /= 2) {
        void *base = cup_raw_mmap(NULL, bytes, PROT_NONE,
                                  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (base == MAP_FAILED)
            continue;
        the_log.base = base;
        the_log.reserved = the_log.limit = bytes / GROW_BYTES * GROW_BYTES;
        return 0;
    }
    return -1;
}

static void read_host_name(char *host, size_t size)
{
    if (gethostname(host, size))
        snprintf(host, size, "unknown");
    host[size - 1] = '\0';
    for (char *c = host; *c; c++)
        if (*c == '/')
            *c = '_';
}

static void fill_header(const char *host, int64_t process_start_ns, int64_t now_ns)
{
    struct cup_log_header *header = cup_log_header();
    header->byte_order = CUP_LOG_BYTE_ORDER;
    header->version = CUP_LOG_VERSION;
    header->min_reader = CUP_LOG_MIN_READER;
    header->header_size = sizeof *header;
    header->records_offset = header->records_end = the_log.records_end = records_offset();
    header->pid = (uint32_t)getpid();
    header->ppid = (uint32_t)getppid();
    header->process_start_ns = process_start_ns;
    header->log_start_ns = now_ns;
    snprintf(header->host, sizeof header->host, "%s", host);
    snprintf(header->library_version, sizeof header->library_version, "%s", CUPPING_VERSION);
    snprintf(header->library_build, sizeof header->library_build, "%.40s", __VERSION__);
    list_region((struct cup_region){CUP_REGION_BLOCKS, first_blocks(), blocks_offset(),
                                    sizeof(struct cup_block)});
    struct cup_series *series = cup_log_series();
    list_region(
        (struct cup_region){CUP_REGION_SERIES, series != NULL, series_offset(), sizeof *series});
    if (series) {
        series->bin_ns = the_log.bin_ns = UINT64_C(100000000);
        series->rows = CUP_SERIES_COUNT;
    }
    /* The magic is stored last, and the compiler must not move other stores behind it: from here on
     * the file is a log. */
    uint64_t magic;
    memcpy(&magic, CUP_LOG_MAGIC, sizeof magic);
    __atomic_store_n((uint64_t *)header->magic, magic, __ATOMIC_RELEASE);
}

static int map_first(void)
{
    uint64_t to = records_offset() + grow_bytes() / (the_log.child ? 4 : 2);
    if (grow_log(to) == 0)
        return 0;
    the_log.by_write = true; /* the file system cannot map a file shared */
    return grow_log(to);
}

static void forget_log(void)
{
    cup_id_table_reset(&the_log.strings);
    memset(&the_log, 0, sizeof the_log);
}

static void remove_log(void)
{
    if (the_log.path[0])
        unlink(the_log.path);
    if (the_log.base)
        cup_raw_munmap(the_log.base, the_log.reserved);
    forget_log();
}

/* The beginning of a sentence that the directory's name ends. strerror() may allocate. */
static const char *explain_errno(int number)
{
    switch (number) {
    case EACCES:
    case EPERM:
        return "permission denied; make CUPPING_DIR a directory that this user can write to, not ";
    case EROFS:
        return "read-only file system; make CUPPING_DIR a directory that can be written, not ";
    case ENOSPC:
    case EDQUOT:
        return "no space left in CUPPING_DIR, ";
    case ENOENT:
        return "CUPPING_DIR does not exist and cannot be made: ";
    case ENOTDIR:
        return "CUPPING_DIR is no directory: ";
    case ENAMETOOLONG:
        return "CUPPING_DIR is too long: ";
    case EMFILE:
    case ENFILE:
        return "no file descriptor is left (ulimit -n) for a log in CUPPING_DIR, ";
    default:
        return "CUPPING_DIR cannot be written: ";
    }
}

int cup_log_open(const char *directory, uint64_t max_bytes, int64_t process_start_ns,
                 enum cup_log_size size, const char **why)
{
    char host[64];
    the_log.child = size == CUP_LOG_CHILD;
    if (the_log.child && max_bytes > CHILD_MAX_BYTES)
        max_bytes = CHILD_MAX_BYTES;
    read_host_name(host, sizeof host);
    int64_t now = cup_clock_realtime_ns();
    the_log.path[0] = '\0';
    if (create_file(directory, now, host)) {
        the_log.path[0] = '\0';
        *why = explain_errno(errno);
        return -1;
    }
    if (reserve_addresses(max_bytes) || map_first()) {
        remove_log();
        *why = "no room for a log (disk, file size limit or address space) in ";
        return -1;
    }
    the_log.released = records_offset();
    fill_header(host, process_start_ns, now);
    return 0;
}

void cup_log_close(void)
{
    struct cup_log_header *header = cup_log_header();
    if (!header)
        return;
    header->log_stop_ns = cup_clock_realtime_ns();
    if (the_log.by_write)
        write_back(the_log.base, records_offset());
}

/* Replaces the file by zeros, at the same addresses. */
static bool cover_log(void)
{
    return cup_raw_mmap(the_log.base, the_log.allocated, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1,
                        0) == the_log.base;
}

/* If a signal handler has forked and returns in the child, a hook goes on there that has begun
 * before the fork, with the address of a counter block of the parent's log. So there must be memory
 * at that address, where nothing counts: a block of task 0. Address space that the log does not use
 * yet is given back. */
void cup_log_forget(void)
{
    uint64_t covered = the_log.base && cover_log() ? the_log.allocated : 0;
    if (the_log.base)
        cup_raw_munmap(the_log.base + covered, the_log.reserved - covered);
    for (uint32_t i = 0, index = 0; i < the_log.lot_count; index += the_log.lots[i++].count)
        if (cup_log_block_is_outside(index))
            madvise(the_log.lots[i].blocks, the_log.lots[i].count * sizeof(struct cup_block),
                    MADV_DONTNEED);
    forget_log();
}
