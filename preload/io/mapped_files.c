#include "preload/io/mapped_files.h"

#include "preload/counters/block.h"
#include "preload/io/descriptor.h"
#include "preload/lifecycle/recording.h"
#include "preload/log/log.h"
#include "preload/sys/clock.h"
#include "preload/sys/raw.h"
#include "preload/sys/spin.h"

#include <sys/ioctl.h>

enum { MAPPINGS = 1024 }; /* followed at a time */

uint32_t cup_mapping_count;

/* The first cup_mapping_count entries are in use. The lock is held while pages are counted:
 * no thread can then unmap them through a hook, or count them a second time. */
static struct {
    uint32_t locked;
    size_t page; /* bytes; 0: the kernel does not say what is present, and nothing is followed */
    struct cup_mapping followed[MAPPINGS];
} table;

/* /proc/self/pagemap. It is opened under the table's lock, when pages are to be counted, and closed
 * before the lock is released. If it stayed open, it would take up one of the program's
 * descriptors, and a forked child would see the pages of its parent through it. */
static struct {
    int fd;          /* -1: not open */
    uint64_t opened; /* ticks */
    bool no_scan;    /* the kernel is older than 6.7 */
} pagemap = {.fd = -1};

static void lock_table(void)
{
    cup_spin_lock(&table.locked);
}

static void unlock_table(void)
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
    if (pagemap.fd >= 0) /* a thread of the parent had opened it during the fork */
        cup_raw_close(pagemap.fd);
    pagemap.fd = -1;
    __atomic_store_n(&table.locked, 0, __ATOMIC_RELEASE);
}

/* ---- counting pages ---------------------------------------------------------------------- */

/* Pages of a range that were touched: those present, and private ones that were written and then
 * swapped out. */
struct touched {
    uint64_t pages;
    bool last; /* the last page of the range is among them */
};

/* As in linux/fs.h since Linux 6.7: PAGEMAP_SCAN and its structures. Older headers lack them. */
struct scan_region {
    uint64_t start, end, categories;
};
struct scan {
    uint64_t size, flags, start, end, walk_end, regions, region_count, max_pages;
    uint64_t inverted, all_of, any_of, returned;
};
#define SCAN_PAGES _IOWR('f', 16, struct scan)
enum { SCAN_PRESENT = 1 << 3, SCAN_SWAPPED = 1 << 4 };

/* Bits of an entry of pagemap: the page is present, or swapped out. */
#define PAGEMAP_PRESENT (UINT64_C(3) << 62)

/* The kernel's answer; used under the table's lock. Not more than 512 regions: the kernel collects
 * so many at a time, and when more are requested it returns some of them twice (seen with 6.18). */
static union {
    struct scan_region regions[512];
    uint64_t entries[1536];
} answer;

/* Finds touched pages by PAGEMAP_SCAN, which returns runs of them. False: the kernel does not have
 * it. */
static bool scan_pages(uintptr_t at, uintptr_t end, struct touched *touched)
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
            touched->pages += (answer.regions[i].end - answer.regions[i].start) / table.page;
            touched->last |= answer.regions[i].end == end;
        }
    }
    return true;
}

/* Finds touched pages by reading pagemap, which has eight bytes for every page, touched or not. */
static void read_pages(uintptr_t at, uintptr_t end, struct touched *touched)
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
            touched->pages += (answer.entries[i] & PAGEMAP_PRESENT) != 0;
        at += pages * table.page;
        touched->last = at == end && (answer.entries[pages - 1] & PAGEMAP_PRESENT);
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

static struct touched find_touched(uintptr_t at, uintptr_t end)
{
    struct touched touched = {0};
    if (!pagemap.no_scan && scan_pages(at, end, &touched))
        return touched;
    pagemap.no_scan = true;
    touched = (struct touched){0};
    read_pages(at, end, &touched);
    return touched;
}

/* Bytes of the file that are present in MAPPING. Of the last page only the part that lies in the
 * file counts, so that touching all pages gives the file's size. */
static uint64_t count_present(const struct cup_mapping *mapping)
{
    if (!mapping->in_file)
        return 0;
    if (!open_pagemap()) { /* no descriptor is left, or the process is not dumpable any more */
        cup_log_health(CUP_H_MAPPINGS_DROPPED, 1);
        return 0;
    }
    uint64_t pages = (mapping->in_file + table.page - 1) / table.page;
    struct touched touched = find_touched(mapping->at, mapping->at + pages * table.page);
    return touched.pages * table.page - (touched.last ? pages * table.page - mapping->in_file : 0);
}

bool cup_mapping_verify(void)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    char *probe =
        cup_raw_mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (probe == MAP_FAILED)
        return false;
    *(volatile char *)(probe + page) = 1;
    bool works = false;
    lock_table();
    table.page = page;
    for (int method = 0; method < 2 && !works && open_pagemap(); method++) {
        pagemap.no_scan = method;
        struct touched touched = find_touched((uintptr_t)probe, (uintptr_t)probe + 2 * page);
        works = touched.pages == 1 && touched.last;
    }
    table.page = works ? page : 0;
    unlock_table();
    cup_raw_munmap(probe, 2 * page);
    return works;
}

void cup_mapping_log_opened(enum cup_log_size size)
{
    (void)size;
    if (cup_mapping_verify())
        cup_recording_add_feature(CUP_FEATURE_MAPPED);
    else
        cup_recording_note("mapped files are not seen",
                           "/proc/self/pagemap does not show which pages are present");
}

/* ---- whose block counts ------------------------------------------------------------------ */

static struct cup_block *find_block(uint32_t task)
{
    bool own = cup_self.own && cup_self.own->task == task;
    return own ? cup_self.own : cup_block_serving(task);
}

/* PRESENT bytes of MAPPING are present now: counts those that were not counted before. */
static void count_new(struct cup_mapping *mapping, uint64_t present)
{
    if (present <= mapping->counted)
        return;
    struct cup_block *block = find_block(mapping->task);
    if (block) {
        uint64_t bytes = present - mapping->counted;
        block->counters[CUP_C_MAPPED_BYTES] += bytes;
        cup_block_file(block, mapping->file)->counters[CUP_F_MAPPED_BYTES] += bytes;
    }
    mapping->counted = present;
}

/* ---- the table --------------------------------------------------------------------------- */

static uintptr_t find_end(const struct cup_mapping *mapping)
{
    return mapping->at + mapping->bytes;
}

static struct cup_mapping *find_orphan(void)
{
    for (uint32_t i = 0; i < cup_mapping_count; i++)
        if (!table.followed[i].task)
            return &table.followed[i];
    return NULL;
}

/* Threads that hold no lock look whether there are any. */
static void set_count(uint32_t count)
{
    __atomic_store_n(&cup_mapping_count, count, __ATOMIC_RELAXED);
}

/* If the table is full, a mapping without a task gives way: what the program touches there from now
 * on does not count. NULL: there is none. */
static struct cup_mapping *find_place(void)
{
    if (cup_mapping_count < MAPPINGS) {
        set_count(cup_mapping_count + 1);
        return &table.followed[cup_mapping_count - 1];
    }
    struct cup_mapping *orphan = find_orphan();
    cup_log_health(CUP_H_MAPPINGS_DROPPED, 1);
    if (orphan)
        count_new(orphan, count_present(orphan));
    return orphan;
}

static void add_mapping(const struct cup_mapping *mapping)
{
    struct cup_mapping *place = find_place();
    if (place)
        *place = *mapping;
}

static void remove_mapping(uint32_t index)
{
    set_count(cup_mapping_count - 1);
    table.followed[index] = table.followed[cup_mapping_count];
}

/* The part of MAPPING that lies in [from, to); it has no bytes if nothing does. */
static struct cup_mapping cut_part(const struct cup_mapping *mapping, uintptr_t from, uintptr_t to)
{
    struct cup_mapping part = *mapping;
    from = from > mapping->at ? from : mapping->at;
    to = to < find_end(mapping) ? to : find_end(mapping);
    uint64_t skipped = from - mapping->at;
    part.at = from;
    part.bytes = from < to ? to - from : 0;
    part.in_file = mapping->in_file > skipped ? mapping->in_file - skipped : 0;
    part.in_file = part.in_file < part.bytes ? part.in_file : part.bytes;
    part.counted = count_present(&part);
    return part;
}

/* Takes [from, to) out of mapping INDEX, counts what is present of the whole mapping, and goes on
 * to follow what is left on either side. Returns the part that was taken. Nothing is counted twice:
 * each part keeps how many of its bytes were counted. */
static struct cup_mapping take_part(uint32_t index, uintptr_t from, uintptr_t to)
{
    struct cup_mapping whole = table.followed[index];
    struct cup_mapping before = cut_part(&whole, whole.at, from),
                       taken = cut_part(&whole, from, to),
                       after = cut_part(&whole, to, find_end(&whole));
    count_new(&whole, before.counted + taken.counted + after.counted);
    remove_mapping(index);
    if (before.bytes)
        add_mapping(&before);
    if (after.bytes)
        add_mapping(&after);
    return taken;
}

/* Takes [from, to) out of all mappings. Returns how many of them had a part there; TAKEN is the
 * last of these parts. */
static uint32_t take_range(uintptr_t from, uintptr_t to, struct cup_mapping *taken)
{
    uint32_t found = 0;
    for (uint32_t i = cup_mapping_count; i-- > 0;) {
        if (from >= find_end(&table.followed[i]) || to <= table.followed[i].at)
            continue;
        *taken = take_part(i, from, to);
        found++;
    }
    return found;
}

/* ---- calls ------------------------------------------------------------------------------- */

static size_t round_to_pages(size_t bytes)
{
    return (bytes + table.page - 1) / table.page * table.page;
}

/* A data file that has bytes from OFFSET on. */
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
    call->owner.block = NULL;
    if (!table.page || !cup_descriptor_is_ours())
        return false;
    int saved = cup_enter();
    descriptor = cup_descriptor_look_up(fd, &spare);
    if (!cup_raw_fstat(fd, &status) && is_wanted(descriptor, &status, offset)) {
        call->owner = cup_attribution(&descriptor->owner);
        call->mapping = (struct cup_mapping){.file = descriptor->file,
                                             .in_file = (uint64_t)(status.st_size - offset)};
    }
    cup_leave(saved);
    return call->owner.block != NULL;
}

/* A new mapping lies in [from, to). A mapping that is still followed there was replaced, or
 * unmapped by a call that no hook saw: stops following it. */
static void remove_range(uintptr_t from, uintptr_t to)
{
    for (uint32_t i = cup_mapping_count; i-- > 0;)
        if (from < find_end(&table.followed[i]) && to > table.followed[i].at)
            remove_mapping(i);
}

static void add_new_mapping(struct cup_mapping mapping, uintptr_t at, size_t bytes)
{
    mapping.at = at;
    mapping.bytes = round_to_pages(bytes);
    mapping.in_file = mapping.in_file < mapping.bytes ? mapping.in_file : mapping.bytes;
    lock_table();
    remove_range(mapping.at, find_end(&mapping));
    add_mapping(&mapping);
    unlock_table();
}

void cup_mapping_follow(struct cup_mapping_call *call, const void *at, size_t bytes)
{
    int saved = cup_enter();
    cup_attribution_confirm(&call->owner);
    if (call->owner.block) {
        call->mapping.task = call->owner.block->task;
        add_new_mapping(call->mapping, (uintptr_t)at, bytes);
    }
    cup_leave(saved);
}

/* Takes the BYTES from AT on out of all mappings. Returns as take_range(). Keeps errno. */
static uint32_t take_bytes(const void *at, size_t bytes, struct cup_mapping *taken)
{
    uintptr_t from = (uintptr_t)at, to = from + round_to_pages(bytes);
    if (!cup_active() || cup_self.guard || from % table.page || to <= from)
        return 0; /* the kernel will refuse the call, which then changes nothing */
    uint32_t found = 0;
    int saved = cup_enter();
    if (cup_descriptor_is_ours()) {
        lock_table();
        found = take_range(from, to, taken);
        unlock_table();
    }
    cup_leave(saved);
    return found;
}

void cup_mapping_leaves_slowly(const void *at, size_t bytes)
{
    struct cup_mapping taken;
    take_bytes(at, bytes, &taken);
}

/* Cuts the mappings at both ends of [from, to), and counts what is present. */
static void settle_range(uintptr_t from, uintptr_t to)
{
    for (uint32_t i = cup_mapping_count; i-- > 0;) {
        if (from >= find_end(&table.followed[i]) || to <= table.followed[i].at)
            continue;
        struct cup_mapping part = take_part(i, from, to);
        add_mapping(&part);
    }
}

static void change_range(const void *at, size_t bytes, void (*change)(uintptr_t from, uintptr_t to))
{
    uintptr_t from = (uintptr_t)at, to = from + round_to_pages(bytes);
    if (!cup_active() || cup_self.guard || from % table.page || to <= from)
        return;
    int saved = cup_enter();
    if (cup_descriptor_is_ours()) {
        lock_table();
        change(from, to);
        unlock_table();
    }
    cup_leave(saved);
}

void cup_mapping_may_leave_slowly(const void *at, size_t bytes)
{
    change_range(at, bytes, settle_range);
}

void cup_mapping_left_slowly(const void *at, size_t bytes)
{
    change_range(at, bytes, remove_range);
}

/* If the mapping shrinks, its end is unmapped, and does not move. */
bool cup_mapping_moves_slowly(struct cup_mapping *moved, const void *at, size_t old_bytes,
                              size_t bytes)
{
    size_t kept = round_to_pages(old_bytes < bytes ? old_bytes : bytes);
    if (kept < old_bytes)
        cup_mapping_leaves_slowly((const char *)at + kept, old_bytes - kept);
    return take_bytes(at, kept, moved) == 1 && moved->bytes == kept;
}

/* If the mapping grew, the file is taken to reach to its end: programs make the file longer first.
 */
void cup_mapping_comes(const struct cup_mapping *moved, const void *at, size_t bytes)
{
    struct cup_mapping mapping = *moved;
    if (round_to_pages(bytes) > moved->bytes)
        mapping.in_file = bytes;
    int saved = cup_enter();
    add_new_mapping(mapping, (uintptr_t)at, bytes);
    cup_leave(saved);
}

void cup_mapping_task_ends(uint32_t task, uint64_t cpu_ns)
{
    (void)cpu_ns;
    if (__builtin_expect(!cup_mapping_any(), 1))
        return;
    lock_table();
    for (uint32_t i = 0; i < cup_mapping_count; i++) {
        struct cup_mapping *mapping = &table.followed[i];
        if (mapping->task != task)
            continue;
        count_new(mapping, count_present(mapping));
        mapping->task = 0;
    }
    unlock_table();
}
