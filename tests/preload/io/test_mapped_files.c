/* Mapped files: each page that a task made present counts once, for it, however its mapping is cut
 * up, moved and unmapped. Pages are made present one by one: the first write to a page of a private
 * mapping copies that page alone. */
#include "preload/counters/block.h"
#include "preload/io/descriptor.h"
#include "preload/io/mapped_files.h"
#include "preload/lifecycle/running_tasks.h"
#include "preload/log/log.h"
#include "preload/sys/clock.h"
#include "preload/sys/raw.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/resource.h>

enum { PAGES = 64, TAIL = 100 }; /* of the file; its last page has TAIL bytes */

static char directory[] = "/tmp/cupping-unit-XXXXXX";
static long page;
static int file;
static volatile uint32_t active = 1;

static void run_task(uint32_t task)
{
    cup_self.task = task;
    cup_self.own = cup_block_open(task, 1);
    cup_running_add(task);
}

static void open_all(void)
{
    const char *why = "";
    char path[64];
    page = sysconf(_SC_PAGESIZE);
    cup_clock_calibrate(true);
    cr_assert(mkdtemp(directory) != NULL);
    cr_assert(cup_descriptor_init() == 0);
    cr_assert(cup_log_open(directory, 64 << 20, 1, CUP_LOG_FULL, &why) == 0, "%s", why);
    cup_active_word = &active;
    cup_self.tid = 4711;
    cup_self.state = CUP_THREAD_KNOWN;
    snprintf(path, sizeof path, "%s/data", directory);
    file = cup_raw_open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    cr_assert(ftruncate(file, (PAGES - 1) * page + TAIL) == 0);
    cr_assert(cup_mapping_verify());
    run_task(1);
}

static void remove_all(void)
{
    char command[128];
    snprintf(command, sizeof command, "rm -rf %s", directory);
    if (system(command))
        return;
}

TestSuite(mapping, .init = open_all, .fini = remove_all);

/* ---- what a program does ---------------------------------------------------------------------
 */

static char *map(long first, long pages)
{
    struct cup_mapping_call call;
    cr_assert(cup_mapping_begin(&call, file, first * page));
    char *at = cup_raw_mmap(NULL, (size_t)(pages * page), PROT_READ | PROT_WRITE, MAP_PRIVATE, file,
                            (uint64_t)(first * page));
    cr_assert(at != MAP_FAILED);
    cup_mapping_follow(&call, at, (size_t)(pages * page));
    return at;
}

static void touch(char *at, long first, long pages)
{
    for (long i = first; i < first + pages; i++)
        ((volatile char *)at)[i * page] = 1;
}

static void unmap(char *at, long first, long pages)
{
    cup_mapping_leaves(at + first * page, (size_t)(pages * page));
    cup_raw_munmap(at + first * page, (size_t)(pages * page));
}

static char *move(char *at, long old_pages, long pages)
{
    struct cup_mapping moved;
    size_t old_bytes = (size_t)(old_pages * page), bytes = (size_t)(pages * page);
    bool followed = cup_mapping_moves(&moved, at, old_bytes, bytes);
    char *to = mremap(at, old_bytes, bytes, MREMAP_MAYMOVE);
    cr_assert(to != MAP_FAILED);
    if (followed)
        cup_mapping_comes(&moved, to, bytes);
    return to;
}

/* The task that runs ends. Returns the bytes that its thread counted for it. */
static uint64_t end_task(void)
{
    struct cup_block *block = cup_self.own;
    cup_mapping_task_ends(cup_self.task, 0);
    cup_running_remove(cup_self.task);
    uint64_t bytes = block->counters[CUP_C_MAPPED_BYTES], of_files = 0;
    for (int i = 0; i < CUP_BLOCK_FILES; i++)
        of_files += block->files[i].counters[CUP_F_MAPPED_BYTES];
    cr_expect(bytes == of_files, "%lu bytes, %lu of files", bytes, of_files);
    cup_self.own = NULL;
    cup_self.task = 0;
    cup_block_close(block);
    return bytes;
}

static void expect_pages(uint64_t bytes, long pages)
{
    cr_expect(bytes == (uint64_t)(pages * page), "%lu bytes, not %ld pages", bytes, pages);
}

static uint64_t for_no_task(void)
{
    return cup_self.none ? cup_self.none->counters[CUP_C_MAPPED_BYTES] : 0;
}

/* ---- once each
 * -------------------------------------------------------------------------------- */

Test(mapping, untouched_pages_do_not_count)
{
    char *at = map(0, PAGES);
    unmap(at, 0, PAGES);
    expect_pages(end_task(), 0);
    cr_expect(cup_mapping_count == 0);
}

Test(mapping, counted_when_unmapped)
{
    char *at = map(0, PAGES);
    touch(at, 3, 5);
    touch(at, 20, 1);
    unmap(at, 0, PAGES);
    expect_pages(end_task(), 6);
}

Test(mapping, counted_at_the_end_of_the_task)
{
    char *at = map(0, PAGES);
    touch(at, 3, 5);
    expect_pages(end_task(), 5);
    cr_expect(cup_mapping_count == 1);
    touch(at, 10, 2); /* nobody's */
    run_task(2);
    unmap(at, 0, PAGES);
    expect_pages(end_task(), 0);
    expect_pages(for_no_task(), 2);
    cr_expect(cup_mapping_count == 0);
}

Test(mapping, the_last_page_counts_as_far_as_the_file_goes)
{
    char *at = map(0, PAGES), *tail = map(PAGES - 1, 1), *beyond = map(10, 2 * PAGES);
    touch(at, 0, PAGES);
    unmap(at, 0, PAGES);
    touch(tail, 0, 1);
    unmap(tail, 0, 1);
    touch(beyond, PAGES - 11, 1);
    cr_expect(end_task() == (uint64_t)((PAGES - 1) * page + 3 * TAIL));
}

Test(mapping, unmapped_in_parts)
{
    char *at = map(0, PAGES);
    touch(at, 0, 10);
    touch(at, 30, 10);
    unmap(at, 5, 30); /* leaves [0, 5) and [35, 64) */
    touch(at, 35, 15);
    unmap(at, 0, 2);
    unmap(at, 60, 4);
    unmap(at, 40, 10);
    cr_expect(cup_mapping_count == 3);
    touch(at, 50, 3);
    expect_pages(end_task(), 10 + 10 + 10 + 3);
    unmap(at, 0, PAGES);
    cr_expect(cup_mapping_count == 0);
    expect_pages(for_no_task(), 0);
}

Test(mapping, one_call_unmaps_several)
{
    char *at = cup_raw_mmap(NULL, (size_t)(3 * PAGES * page), PROT_NONE,
                            MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    for (int i = 0; i < 3; i++) {
        struct cup_mapping_call call;
        char *part = at + i * PAGES * page;
        cr_assert(cup_mapping_begin(&call, file, 0));
        cr_assert(cup_raw_mmap(part, 8 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_FIXED,
                               file, 0) == part);
        cup_mapping_follow(&call, part, 8 * page);
        touch(part, 0, 4 + i);
    }
    unmap(at, 4, 3 * PAGES - 4 - 2);
    cr_expect(cup_mapping_count == 1);
    expect_pages(end_task(), 4 + 5 + 6);
}

/* ---- moves
 * ------------------------------------------------------------------------------------ */

/* A call that would have replaced a part of it. */
Test(mapping, followed_on_after_a_call_that_failed)
{
    char *at = map(0, 10);
    touch(at, 0, 2);
    cup_mapping_may_leave(at + 4 * page, (size_t)(2 * page));
    touch(at, 2, 4);
    cr_expect_eq(end_task(), 6 * (uint64_t)page);
}

Test(mapping, replaced)
{
    char *at = map(0, 10), *part = at + 4 * page;
    touch(at, 3, 2);
    cup_mapping_may_leave(part, (size_t)(2 * page));
    cr_assert_eq(cup_raw_mmap(part, (size_t)(2 * page), PROT_READ | PROT_WRITE,
                              MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0),
                 part);
    cup_mapping_left(part, (size_t)(2 * page));
    touch(at, 5, 2);
    cr_expect_eq(end_task(), 3 * (uint64_t)page);
}

Test(mapping, moved_and_grown)
{
    char *at = map(0, 8);
    touch(at, 0, 4);
    at = move(at, 8, 32);
    cr_expect(cup_mapping_count == 1);
    touch(at, 2, 10);
    expect_pages(end_task(), 12);
}

Test(mapping, grown_with_its_file)
{
    char *at = map(0, PAGES);
    touch(at, 0, PAGES);
    cr_assert(ftruncate(file, 2 * PAGES * page) == 0);
    at = move(at, PAGES, 2 * PAGES);
    touch(at, PAGES, 3);
    expect_pages(end_task(), PAGES + 3);
}

Test(mapping, shrunk)
{
    char *at = map(0, 32);
    touch(at, 10, 10);
    at = move(at, 32, 12);
    touch(at, 0, 3);
    expect_pages(end_task(), 13);
}

Test(mapping, a_part_moves)
{
    char *at = map(0, 32);
    touch(at, 8, 10);
    char *to = move(at + 10 * page, 4, 8);
    touch(to, 6, 1);
    touch(at, 0, 1);
    cr_expect(cup_mapping_count == 3);
    expect_pages(end_task(), 12);
}

/* ---- whose
 * ------------------------------------------------------------------------------------- */

Test(mapping, a_helper_counts_for_the_task)
{
    char *at = map(0, PAGES);
    touch(at, 0, 7);
    struct cup_block *own = cup_self.own;
    cup_self.own = NULL; /* as on another thread */
    unmap(at, 0, PAGES);
    cup_self.own = own;
    expect_pages(end_task(), 0);
    cr_assert(cup_self.last && cup_self.last->task == 1);
    expect_pages(cup_self.last->counters[CUP_C_MAPPED_BYTES], 7);
}

Test(mapping, without_a_task_it_is_unattributed)
{
    end_task();
    char *at = map(0, PAGES);
    touch(at, 0, 3);
    run_task(2);
    touch(at, 3, 2);
    expect_pages(end_task(), 0);
    unmap(at, 0, PAGES);
    expect_pages(for_no_task(), 5);
}

Test(mapping, only_data_files_are_followed)
{
    struct cup_mapping_call call;
    cr_expect(cup_mapping_begin(&call, file, 0));
    cr_expect(!cup_mapping_begin(&call, file, PAGES * page), "beyond the file");
    int status = cup_raw_open("/proc/self/status", O_RDONLY | O_CLOEXEC, 0);
    errno = 4242;
    cr_expect(!cup_mapping_begin(&call, status, 0));
    cr_expect(!cup_mapping_begin(&call, 9999, 0));
    cr_expect(errno == 4242);
}

Test(mapping, unmapped_past_us)
{
    char *at = map(0, PAGES);
    touch(at, 0, 2);
    cup_raw_munmap(at, (size_t)(PAGES * page));
    char *again = map(0, PAGES); /* the kernel gives the same place */
    cr_assert(again == at);
    cr_expect(cup_mapping_count == 1);
    touch(again, 0, 1);
    expect_pages(end_task(), 1);
}

enum { ROOM = 1024 }; /* of the table */

/* A full table follows no more, unless there are mappings whose task has ended. */
Test(mapping, full_table)
{
    uint64_t *dropped = &cup_log_header()->health[CUP_H_MAPPINGS_DROPPED];
    for (int i = 0; i < ROOM; i++)
        touch(map(0, 1), 0, 1);
    map(0, 1);
    cr_expect(cup_mapping_count == ROOM && *dropped == 1);
    expect_pages(end_task(), ROOM);
    run_task(2);
    touch(map(0, 2), 0, 2);
    cr_expect(cup_mapping_count == ROOM && *dropped == 2);
    expect_pages(end_task(), 2);
    cup_mapping_reset();
    cr_expect(cup_mapping_count == 0);
}

Test(mapping, of_no_task_it_is_counted_before_it_gives_way)
{
    end_task();
    for (int i = 0; i <= ROOM; i++)
        touch(map(0, 1), 0, 1);
    cr_expect(cup_mapping_count == ROOM);
    cr_expect(cup_log_header()->health[CUP_H_MAPPINGS_DROPPED] == 1);
    expect_pages(for_no_task(), 1);
}

/* ---- what the kernel tells
 * ------------------------------------------------------------------- */

/* More pages, in more pieces, than one answer of the kernel holds. */
static void touch_many(long *touched)
{
    enum { MANY = 16384 };
    cr_assert(ftruncate(file, MANY * page) == 0);
    char *at = map(0, MANY);
    *touched = 0;
    for (long i = 0; i < MANY; i += 1 + i % 5, (*touched)++)
        touch(at, i, 1);
}

Test(mapping, many_pieces)
{
    long touched;
    touch_many(&touched);
    expect_pages(end_task(), touched);
}

/* The ioctl of Linux 6.7 fails as it does on an older kernel. */
static void take_scan_away(void)
{
    struct sock_filter filter[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_ioctl, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOTTY),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog program = {sizeof filter / sizeof *filter, filter};
    cr_assert(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0);
    cr_assert(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0);
}

Test(mapping, on_an_older_kernel)
{
    long touched;
    take_scan_away();
    cr_assert(cup_mapping_verify());
    touch_many(&touched);
    touch(map(1, 2), 1, 1);
    expect_pages(end_task(), touched + 1);
}

Test(mapping, without_a_descriptor_left)
{
    char *at = map(0, PAGES);
    touch(at, 0, 3);
    struct rlimit before, none = {0};
    getrlimit(RLIMIT_NOFILE, &before);
    none.rlim_max = before.rlim_max;
    setrlimit(RLIMIT_NOFILE, &none);
    errno = 4242;
    unmap(at, 0, PAGES);
    cr_expect(errno == 4242);
    cr_expect(!cup_mapping_verify());
    setrlimit(RLIMIT_NOFILE, &before);
    expect_pages(end_task(), 0);
    cr_expect(cup_log_header()->health[CUP_H_MAPPINGS_DROPPED] == 1);
}
