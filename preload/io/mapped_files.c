#include "preload/io/mapped_files.h"

#include "preload/counters/block.h"
#include "preload/io/descriptor.h"
#include "preload/lifecycle/recording.h"
#include "preload/log/log.h"
#include "preload/sys/clock.h"
#include "preload/sys/raw.h"
#include "preload/sys/spin.h"

#include <errno.h>
#include <sys/ioctl.h>

enum { MAPPINGS = 1024 }; /* followed at a time */

uint32_t cup_mapping_count;

/* The first cup_mapping_count are in use. The lock is held while pages are counted: nobody can then
 * unmap what is looked at, nor count it a second time. */
static struct {
    uint32_t locked;
    size_t page; /* bytes; 0: the kernel does not tell, nothing is followed */
    struct cup_mapping followed[MAPPINGS];
} table;

/* /proc/self/pagemap: opened when there is something to look at, closed with the table's lock. Kept
 * open it would be in the program's way, and tell a forked child its parent's pages. */
static struct {
    int fd; /* -1: not open */
    uint64_t opened;
    bool no_scan; /* a kernel before 6.7 */
} pagemap = {.fd = -1};

static void enter(void)
{
    cup_spin_lock(&table.locked);
}

static void leave(void)
{
    int fd = pagemap.fd;
    if (fd >= 0) {
        pagemap.fd = -1;
        cup_raw_close(fd);
        cup_log_health(CUP_H_MAPPING_NS, cup_ticks_ns(cup_ticks() - pagemap.opened));
    }
    cup_spin_unlock(&table.locked);
}

void cup_mapping_reset(void)
{
    cup_mapping_count = 0;
    if (pagemap.fd >= 0) /* forked while another thread looked: it is not here to close it */
        cup_raw_close(pagemap.fd);
    pagemap.fd = -1;
    __atomic_store_n(&table.locked, 0, __ATOMIC_RELEASE);
}

/* ---- counting pages ---------------------------------------------------------------------- */

/* A private page that was written and then swapped out was touched as well. */
struct look {
    uint64_t pages; /* present or swapped */
    bool last;      /* the last one is among them */
};

/* linux/fs.h, since 6.7; older headers lack it. */
struct scan_region {
    uint64_t start, end, categories;
};
struct scan {
    uint64_t size, flags, start, end, walk_end, regions, region_count, max_pages;
    uint64_t inverted, all_of, any_of, returned;
};
#define SCAN_PAGES _IOWR('f', 16, struct scan)
enum { SCAN_PRESENT = 1 << 3, SCAN_SWAPPED = 1 << 4 };

#define PAGEMAP_PRESENT (UINT64_C(3) << 62) /* or swapped */

/* One look at a time: under the table's lock. Not more regions: the kernel collects 512 in one go,
 * and when asked for more tells some of them twice (seen with 6.18). */
static union {
    struct scan_region regions[512];
    uint64_t entries[1536];
} answer;

/* The kernel names runs of present pages, and skips what was never touched. */
static bool scan_pages(uintptr_t at, uintptr_t end, struct look *look)
{
    struct scan scan = {.size = sizeof scan,
                        .start = at,
                        .end = end,
                        .regions = (uintptr_t)answer.regions,
                        .region_count = sizeof answer.regions / sizeof *answer.regions,
                        .any_of = SCAN_PRESENT | SCAN_SWAPPED,
                        .returned = SCAN_PRESENT | SCAN_SWAPPED};
    for (; scan.start < end; scan.start = scan.walk_end) {
        long found = syscall(SYS_ioctl, pagemap.fd, SCAN_PAGES, &scan);
        if (found < 0 || scan.walk_end <= scan.start)
            return false;
        for (long i = 0; i < found; i++) {
            look->pages += (answer.regions[i].end - answer.regions[i].start) / table.page;
            look->last |= answer.regions[i].end == end;
        }
    }
    return true;
}

/* Eight bytes for each page, touched or not. */
static void read_pages(uintptr_t at, uintptr_t end, struct look *look)
{
    while (at < end) {
        size_t wanted = (end - at) / table.page * sizeof *answer.entries;
        ssize_t bytes = cup_raw_pread(pagemap.fd, answer.entries,
                                      wanted < sizeof answer ? wanted : sizeof answer,
                                      at / table.page * sizeof *answer.entries);
        if (bytes < (ssize_t)sizeof *answer.entries)
            return;
        cup_log_health(CUP_H_OWN_READ_BYTES, (uint64_t)bytes);
        size_t pages = (size_t)bytes / sizeof *answer.entries;
        for (size_t i = 0; i < pages; i++)
            look->pages += (answer.entries[i] & PAGEMAP_PRESENT) != 0;
        at += pages * table.page;
        look->last = at == end && (answer.entries[pages - 1] & PAGEMAP_PRESENT);
    }
}

static bool open_pagemap(void)
{
    if (pagemap.fd < 0) {
        pagemap.opened = cup_ticks();
        pagemap.fd = cup_raw_open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC, 0);
    }
    return pagemap.fd >= 0;
}

static struct look look_at(uintptr_t at, uintptr_t end)
{
    struct look look = {0};
    if (!pagemap.no_scan && scan_pages(at, end, &look))
        return look;
    pagemap.no_scan = true;
    look = (struct look){0};
    read_pages(at, end, &look);
    return look;
}

/* Bytes of the file in MAPPING's pages. The last page of a file is counted as far as the file goes:
 * who touches all of it read its size. */
static uint64_t bytes_present(const struct cup_mapping *mapping)
{
    if (!mapping->in_file)
        return 0;
    if (!open_pagemap()) { /* no descriptor left, or the process went undumpable */
        cup_log_health(CUP_H_MAPPINGS_DROPPED, 1);
        return 0;
    }
    uint64_t pages = (mapping->in_file + table.page - 1) / table.page;
    struct look look = look_at(mapping->at, mapping->at + pages * table.page);
    return look.pages * table.page - (look.last ? pages * table.page - mapping->in_file : 0);
}

bool cup_mapping_verify(void)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    char *probe =
        cup_raw_mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (probe == MAP_FAILED)
        return false;
    *(volatile char *)(probe + page) = 1;
    bool told = false;
    enter();
    table.page = page;
    for (int method = 0; method < 2 && !told && open_pagemap(); method++) {
        pagemap.no_scan = method;
        struct look look = look_at((uintptr_t)probe, (uintptr_t)probe + 2 * page);
        told = look.pages == 1 && look.last;
    }
    table.page = told ? page : 0;
    leave();
    cup_raw_munmap(probe, 2 * page);
    return told;
}

void cup_mapping_log_opened(enum cup_log_size size)
{
    (void)size;
    if (cup_mapping_verify())
        cup_recording_add_feature(CUP_FEATURE_MAPPED);
    else
        cup_recording_note("mapped files are not seen", "/proc/self/pagemap does not tell");
}

/* ---- who pays ---------------------------------------------------------------------------- */

static struct cup_block *block_of(uint32_t task)
{
    struct cup_thread *thread = &cup_self;
    if (thread->own && thread->own->task == task)
        return thread->own;
    if (!cup_thread_known())
        return NULL;
    if (!task)
        return cup_block_none(thread);
    return thread->inherited == task ? cup_block_inheriting(thread)
                                     : cup_block_helping(thread, task);
}

/* PRESENT bytes of MAPPING are there now. */
static void credit(struct cup_mapping *mapping, uint64_t present)
{
    if (present <= mapping->credited)
        return;
    struct cup_block *block = block_of(mapping->task);
    if (block) {
        uint64_t bytes = present - mapping->credited;
        block->counters[CUP_C_MAPPED_BYTES] += bytes;
        cup_block_file(block, mapping->file)->counters[CUP_F_MAPPED_BYTES] += bytes;
    }
    mapping->credited = present;
}

/* ---- the table --------------------------------------------------------------------------- */

static uintptr_t end_of(const struct cup_mapping *mapping)
{
    return mapping->at + mapping->bytes;
}

static struct cup_mapping *orphan(void)
{
    for (uint32_t i = 0; i < cup_mapping_count; i++)
        if (!table.followed[i].task)
            return &table.followed[i];
    return NULL;
}

/* Where there is no room, one whose task has ended gives way: what it may still touch would be
 * nobody's. */
static void add(const struct cup_mapping *mapping)
{
    struct cup_mapping *place =
        cup_mapping_count < MAPPINGS ? &table.followed[cup_mapping_count++] : orphan();
    if (place)
        *place = *mapping;
    else
        cup_log_health(CUP_H_MAPPINGS_DROPPED, 1);
}

static void drop(uint32_t index)
{
    table.followed[index] = table.followed[--cup_mapping_count];
}

/* What of MAPPING lies in [from, to); of no bytes if nothing does. */
static struct cup_mapping part_of(const struct cup_mapping *mapping, uintptr_t from, uintptr_t to)
{
    struct cup_mapping part = *mapping;
    from = from > mapping->at ? from : mapping->at;
    to = to < end_of(mapping) ? to : end_of(mapping);
    uint64_t skipped = from - mapping->at;
    part.at = from;
    part.bytes = from < to ? to - from : 0;
    part.in_file = mapping->in_file > skipped ? mapping->in_file - skipped : 0;
    part.in_file = part.in_file < part.bytes ? part.in_file : part.bytes;
    part.credited = bytes_present(&part);
    return part;
}

/* Takes [from, to) out of mapping INDEX; what stays on either side is followed on. Returns what was
 * taken. Nothing is counted twice: each part remembers what of it is paid for. */
static struct cup_mapping take(uint32_t index, uintptr_t from, uintptr_t to)
{
    struct cup_mapping whole = table.followed[index];
    struct cup_mapping before = part_of(&whole, whole.at, from), taken = part_of(&whole, from, to),
                       after = part_of(&whole, to, end_of(&whole));
    credit(&whole, before.credited + taken.credited + after.credited);
    drop(index);
    if (before.bytes)
        add(&before);
    if (after.bytes)
        add(&after);
    return taken;
}

/* Takes out of all mappings what lies in [from, to). Returns how many had something there; TAKEN is
 * the last one's. */
static uint32_t take_all(uintptr_t from, uintptr_t to, struct cup_mapping *taken)
{
    uint32_t found = 0;
    for (uint32_t i = cup_mapping_count; i-- > 0;) {
        if (from >= end_of(&table.followed[i]) || to <= table.followed[i].at)
            continue;
        *taken = take(i, from, to);
        found++;
    }
    return found;
}

/* ---- calls ------------------------------------------------------------------------------- */

static size_t whole_pages(size_t bytes)
{
    return (bytes + table.page - 1) / table.page * table.page;
}

/* A file whose pages are data, and that has some from OFFSET on. */
static bool is_wanted(const struct cup_descriptor *descriptor, const struct stat *status,
                      off_t offset)
{
    return descriptor && descriptor->class == CUP_FILE_DATA && descriptor->file &&
           status->st_size > offset;
}

bool cup_mapping_begin_slowly(struct cup_mapping_call *call, int fd, off_t offset)
{
    struct cup_descriptor spare, *descriptor;
    struct stat status;
    bool followed = false;
    int saved = errno;
    if (!table.page || !cup_descriptor_is_ours())
        return false;
    cup_guard();
    descriptor = cup_descriptor_look_up(fd, &spare);
    if (!cup_raw_fstat(fd, &status) && is_wanted(descriptor, &status, offset)) {
        call->owner = cup_attribution(&descriptor->owner);
        call->mapping = (struct cup_mapping){.file = descriptor->file,
                                             .in_file = (uint64_t)(status.st_size - offset)};
        followed = call->owner.block && call->owner.block->task;
    }
    cup_unguard();
    errno = saved;
    return followed;
}

/* Whatever was followed there was unmapped past us, or is part of the file mapped before over
 * which this one lies. */
static void forget(uintptr_t from, uintptr_t to)
{
    for (uint32_t i = cup_mapping_count; i-- > 0;)
        if (from < end_of(&table.followed[i]) && to > table.followed[i].at)
            drop(i);
}

static void follow(struct cup_mapping mapping, uintptr_t at, size_t bytes)
{
    mapping.at = at;
    mapping.bytes = whole_pages(bytes);
    mapping.in_file = mapping.in_file < mapping.bytes ? mapping.in_file : mapping.bytes;
    enter();
    forget(mapping.at, end_of(&mapping));
    add(&mapping);
    leave();
}

void cup_mapping_follow(struct cup_mapping_call *call, const void *at, size_t bytes)
{
    int saved = errno;
    cup_guard();
    cup_attribution_confirm(&call->owner);
    if (call->owner.block && (call->mapping.task = call->owner.block->task))
        follow(call->mapping, (uintptr_t)at, bytes);
    cup_unguard();
    errno = saved;
}

/* How many mappings had something in BYTES from AT on. */
static uint32_t taken_at(const void *at, size_t bytes, struct cup_mapping *taken)
{
    uintptr_t from = (uintptr_t)at, to = from + whole_pages(bytes);
    if (!cup_active() || cup_self.guard || from % table.page || to <= from)
        return 0; /* what the kernel refuses changes nothing */
    int saved = errno;
    uint32_t found = 0;
    cup_guard();
    if (cup_descriptor_is_ours()) {
        enter();
        found = take_all(from, to, taken);
        leave();
    }
    cup_unguard();
    errno = saved;
    return found;
}

void cup_mapping_leaves_slowly(const void *at, size_t bytes)
{
    struct cup_mapping taken;
    taken_at(at, bytes, &taken);
}

/* A tail that is cut off is no part of what moves. */
bool cup_mapping_moves_slowly(struct cup_mapping *moved, const void *at, size_t old_bytes,
                              size_t bytes)
{
    size_t kept = whole_pages(old_bytes < bytes ? old_bytes : bytes);
    if (kept < old_bytes)
        cup_mapping_leaves_slowly((const char *)at + kept, old_bytes - kept);
    return taken_at(at, kept, moved) == 1 && moved->bytes == kept;
}

/* Who lets a mapping grow made the file longer first. */
void cup_mapping_comes(const struct cup_mapping *moved, const void *at, size_t bytes)
{
    struct cup_mapping mapping = *moved;
    int saved = errno;
    if (whole_pages(bytes) > moved->bytes)
        mapping.in_file = bytes;
    cup_guard();
    follow(mapping, (uintptr_t)at, bytes);
    cup_unguard();
    errno = saved;
}

void cup_mapping_task_ends(uint32_t task, uint64_t cpu_ns)
{
    (void)cpu_ns;
    if (__builtin_expect(cup_mapping_count == 0, 1))
        return;
    enter();
    for (uint32_t i = 0; i < cup_mapping_count; i++) {
        struct cup_mapping *mapping = &table.followed[i];
        if (mapping->task != task)
            continue;
        credit(mapping, bytes_present(mapping));
        mapping->task = 0;
    }
    leave();
}
