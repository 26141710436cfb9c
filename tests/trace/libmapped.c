/* Files that are read by touching them: the library must count, for the task, the very pages that
 * the kernel has made present, which lie between the pages touched and those around them. */
#include "tests/trace/trace.h"

#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>

enum {
    PAGE = 4096,
    AROUND = 16, /* pages that the kernel makes present with a touched one */
    PAGES = 1000,
    TAIL = 100, /* bytes of the last page */
    BYTES = (PAGES - 1) * PAGE + TAIL,
};

/* A file that no hook has seen: written by raw system calls, with its pages in the cache. */
static int data_file(struct trace *trace, const char *name)
{
    static char block[PAGE];
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", trace->scratch, name);
    int fd = quiet_open(path, O_RDWR | O_CREAT | O_TRUNC);
    for (long left = BYTES; left > 0; left -= PAGE) {
        memset(block, (int)(left / PAGE), sizeof block);
        if (syscall(SYS_write, fd, block, left < PAGE ? left : PAGE) < 0)
            say(trace, "no data file\n");
    }
    return fd;
}

static char *map(struct trace *trace, const char *name, int protection, int flags)
{
    int fd = data_file(trace, name);
    errno = ERRNO_BEFORE;
    char *at = mmap(NULL, BYTES, protection, flags, fd, 0);
    say(trace, "mapped %d errno %d\n", at != MAP_FAILED, errno);
    close(fd);
    return at;
}

static void touch(struct trace *trace, const char *at, int first, int last, int step)
{
    unsigned long sum = 0;
    for (int page = first; page < last; page += step)
        sum += ((const volatile unsigned char *)at)[page * PAGE];
    say(trace, "pages %d to %d by %d: %lu\n", first, last, step, sum);
}

/* Asks the kernel as well. Returns how many of the pages from FIRST to before LAST are present. */
static int present(const char *at, int first, int last)
{
    uint64_t entries[PAGES];
    int count = 0, fd = quiet_open("/proc/self/pagemap", O_RDONLY);
    syscall(SYS_pread64, fd, entries, (last - first) * sizeof *entries,
            ((uintptr_t)at / PAGE + first) * sizeof *entries);
    quiet_close(fd);
    for (int page = first; page < last; page++)
        count += entries[page - first] >> 63;
    return count;
}

/* The pages from FIRST to before LAST are looked at for the last time: between LEAST and MOST. */
static void expect(struct trace *trace, const char *at, int first, int last, int least, int most)
{
    int pages = present(at, first, last);
    say(trace, "at least %d %d, at most %d %d\n", least, pages >= least, most, pages <= most);
    trace->mapped_bytes += (long)pages * PAGE;
    if (last == PAGES && present(at, PAGES - 1, PAGES))
        trace->mapped_bytes -= PAGE - TAIL;
}

static void unmap(struct trace *trace, char *at, int first, int last)
{
    SAY(trace, munmap(at + first * PAGE, (size_t)(last - first) * PAGE));
}

void map_nothing_touched(struct trace *trace)
{
    char *at = map(trace, "data", PROT_READ, MAP_SHARED);
    expect(trace, at, 0, PAGES, 0, 0);
    SAY(trace, munmap(at, BYTES));
}

void map_a_tenth(struct trace *trace)
{
    char *at = map(trace, "data", PROT_READ, MAP_SHARED);
    touch(trace, at, 300, 400, 1);
    expect(trace, at, 0, PAGES, 100, 100 + 2 * AROUND);
    SAY(trace, munmap(at, BYTES));
}

void map_a_page_here_and_there(struct trace *trace)
{
    char *at = map(trace, "data", PROT_READ, MAP_SHARED);
    touch(trace, at, 8, PAGES, 100);
    expect(trace, at, 0, PAGES, 10, 10 * AROUND);
    SAY(trace, munmap(at, BYTES));
}

void map_read_at_random(struct trace *trace)
{
    char *at = map(trace, "data", PROT_READ, MAP_SHARED);
    SAY(trace, madvise(at, BYTES, MADV_RANDOM));
    touch(trace, at, 8, PAGES, 100);
    expect(trace, at, 0, PAGES, 10, 10 * AROUND);
    SAY(trace, munmap(at, BYTES));
}

/* All of it is the file's size, not more. */
void map_all(struct trace *trace)
{
    char *at = map(trace, "data", PROT_READ, MAP_PRIVATE);
    touch(trace, at, 0, PAGES, 1);
    expect(trace, at, 0, PAGES, PAGES, PAGES);
    say(trace, "the file's size %d\n", trace->mapped_bytes == BYTES);
    SAY(trace, munmap(at, BYTES));
}

void map_populated(struct trace *trace)
{
    char *at = map(trace, "data", PROT_READ, MAP_SHARED | MAP_POPULATE);
    expect(trace, at, 0, PAGES, PAGES, PAGES);
    SAY(trace, munmap(at, BYTES));
}

/* A private page that is written is a copy, made one by one. */
void map_written_privately(struct trace *trace)
{
    char *at = map(trace, "data", PROT_READ | PROT_WRITE, MAP_PRIVATE);
    for (int page = 0; page < PAGES; page += 10)
        at[page * PAGE] = 'w';
    expect(trace, at, 0, PAGES, 100, 100);
    SAY(trace, munmap(at, BYTES));
}

void map_written_and_shared(struct trace *trace)
{
    char *at = map(trace, "data", PROT_READ | PROT_WRITE, MAP_SHARED);
    for (int page = 0; page < PAGES; page += 10)
        at[page * PAGE] = 'w';
    expect(trace, at, 0, PAGES, 100, PAGES);
    SAY(trace, munmap(at, BYTES));
}

void map_unmapped_in_two_parts(struct trace *trace)
{
    char *at = map(trace, "data", PROT_READ, MAP_SHARED);
    touch(trace, at, 100, 200, 1);
    expect(trace, at, 0, 400, 100, 100 + 2 * AROUND);
    unmap(trace, at, 0, 400);
    touch(trace, at, 700, PAGES, 1);
    expect(trace, at, 400, PAGES, 300, 300 + AROUND);
    unmap(trace, at, 400, PAGES);
}

void map_hole_in_the_middle(struct trace *trace)
{
    char *at = map(trace, "data", PROT_READ, MAP_SHARED);
    touch(trace, at, 0, PAGES, 1);
    expect(trace, at, 0, PAGES, PAGES, PAGES);
    unmap(trace, at, 300, 500);
    touch(trace, at, 0, 300, 1); /* again: they count once */
    unmap(trace, at, 0, PAGES);
}

void map_moved(struct trace *trace)
{
    char *at = map(trace, "data", PROT_READ, MAP_SHARED);
    touch(trace, at, 0, 100, 1);
    char *place = mmap(NULL, 2 * BYTES, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    char *to = SAY_POINTER(trace, mremap(at, BYTES, BYTES, MREMAP_MAYMOVE | MREMAP_FIXED, place));
    touch(trace, to, 50, 300, 1);
    say(trace, "fails %d errno %d\n", mremap(to, BYTES, SIZE_MAX / 4, MREMAP_MAYMOVE) == MAP_FAILED,
        errno);
    touch(trace, to, 300, 400, 1);
    expect(trace, to, 0, PAGES, 400, 400 + AROUND);
    SAY(trace, munmap(place, 2 * BYTES));
}

void map_shrunk(struct trace *trace)
{
    char *at = map(trace, "data", PROT_READ, MAP_SHARED);
    touch(trace, at, 0, PAGES, 1);
    expect(trace, at, 0, PAGES, PAGES, PAGES);
    say(trace, "in place %d\n", mremap(at, BYTES, BYTES / 2, 0) == at);
    touch(trace, at, 0, PAGES / 2, 1);
    SAY(trace, munmap(at, BYTES / 2));
}

/* Another mapping takes the place of a part. */
void map_mapped_over(struct trace *trace)
{
    char *at = map(trace, "data", PROT_READ, MAP_SHARED);
    touch(trace, at, 0, PAGES, 1);
    expect(trace, at, 0, PAGES, PAGES, PAGES);
    char *over = mmap(at, 500 * PAGE, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
    say(trace, "in place %d\n", over == at);
    memset(over, 'o', 500 * PAGE);
    SAY(trace, munmap(at, BYTES));
    trace->alloc_bytes = trace->freed_bytes = -1; /* what is unmapped is no single arena */
}

/* Another mapping would have taken the place of a part, but the calls fail. */
void map_not_mapped_over(struct trace *trace)
{
    char *at = map(trace, "data", PROT_READ, MAP_SHARED);
    SAY(trace, (long)mmap(at, 500 * PAGE, PROT_READ, MAP_SHARED | MAP_FIXED, -1, 0));
    say(trace, "fails %d errno %d\n",
        mremap(at + 500 * PAGE, PAGE, PAGE, MREMAP_MAYMOVE | MREMAP_FIXED, at + 500 * PAGE) ==
            MAP_FAILED,
        errno);
    touch(trace, at, 0, PAGES, 1);
    expect(trace, at, 0, PAGES, PAGES, PAGES);
    SAY(trace, munmap(at, BYTES));
}

/* Not unmapped: looked at when the task ends. */
void map_left_mapped(struct trace *trace)
{
    char *at = map(trace, "data", PROT_READ, MAP_SHARED);
    touch(trace, at, 500, 600, 1);
    expect(trace, at, 0, PAGES, 100, 100 + 2 * AROUND);
}

/* What packages bring and memory files are no data. */
void map_no_data(struct trace *trace)
{
    char *at = map(trace, "module.so", PROT_READ, MAP_PRIVATE);
    touch(trace, at, 0, PAGES, 1);
    SAY(trace, munmap(at, BYTES));
    int fd = (int)syscall(SYS_memfd_create, "memory", 0);
    SAY(trace, ftruncate(fd, BYTES));
    at = mmap(NULL, BYTES, PROT_READ, MAP_SHARED, fd, 0);
    touch(trace, at, 0, PAGES, 1);
    SAY(trace, munmap(at, BYTES));
    close(fd);
}

void map_refused(struct trace *trace)
{
    int fd = quiet_open(trace->file, O_RDONLY);
    SAY(trace, (long)mmap(NULL, BYTES, PROT_READ, MAP_SHARED, 9999, 0));
    SAY(trace, (long)mmap(NULL, BYTES, PROT_WRITE, MAP_SHARED, fd, 0));
    SAY(trace, (long)mmap(NULL, BYTES, PROT_READ, MAP_SHARED, fd, 17));
    SAY(trace, (long)mmap(NULL, 0, PROT_READ, MAP_SHARED, fd, 0));
    char *at = mmap(NULL, PAGE, PROT_READ, MAP_SHARED, fd, 0);
    SAY(trace, munmap(at + 1, PAGE));
    SAY(trace, munmap(at, 0));
    SAY(trace, munmap(at, PAGE));
    close(fd);
}

static void *in_a_thread(void *given)
{
    struct trace *trace = given;
    map_a_tenth(trace);
    map_left_mapped(trace);
    return NULL;
}

void map_by_a_thread(struct trace *trace)
{
    pthread_t thread;
    pthread_create(&thread, NULL, in_a_thread, trace);
    pthread_join(thread, NULL);
}

/* A child's pages are its own. */
void map_touched_by_a_child(struct trace *trace)
{
    char *at = map(trace, "data", PROT_READ, MAP_SHARED);
    pid_t child = fork();
    if (!child) {
        touch(trace, at, 0, PAGES, 1);
        munmap(at, BYTES);
        _exit(0);
    }
    waitpid(child, NULL, 0);
    touch(trace, at, 0, 1, 1);
    expect(trace, at, 0, PAGES, 1, AROUND);
    SAY(trace, munmap(at, BYTES));
}
