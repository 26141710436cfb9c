/* The malloc family and anonymous mappings: results, alignment and errno as without the library,
 * and every byte counted. */
#include "tests/trace/trace.h"

#include <limits.h>
#include <malloc.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#pragma GCC diagnostic ignored "-Wuse-after-free" /* after a realloc that failed on purpose */

static volatile size_t huge = PTRDIFF_MAX; /* the compiler must not see what fails */
static volatile size_t nothing = 0;

/* P is an allocation of at least BYTES that the library has counted. */
static void *taken(struct trace *trace, void *p, size_t bytes, size_t alignment)
{
    say(trace, "%s, aligned %d, large enough %d\n", p ? "pointer" : "NULL",
        (uintptr_t)p % alignment == 0, p && malloc_usable_size(p) >= bytes);
    if (!p)
        return NULL;
    memset(p, 'm', bytes);
    trace->alloc_bytes += (long)malloc_usable_size(p);
    trace->alloc_calls++;
    return p;
}

static void give(struct trace *trace, void *p)
{
    if (p)
        trace->freed_bytes += (long)malloc_usable_size(p);
    errno = ERRNO_BEFORE;
    free(p);
    say(trace, "free: errno %d\n", errno);
}

void many_mallocs(struct trace *trace)
{
    enum { MANY = 5000 };
    static void *all[MANY];
    for (int i = 0; i < MANY; i++) {
        all[i] = malloc((size_t)(i * 7 % 3000));
        trace->alloc_bytes += (long)malloc_usable_size(all[i]);
        trace->alloc_calls++;
    }
    for (int i = 0; i < MANY; i++) {
        trace->freed_bytes += (long)malloc_usable_size(all[i]);
        free(all[i]);
    }
}

void try_malloc(struct trace *trace)
{
    give(trace, taken(trace, SAY_POINTER(trace, malloc(1000)), 1000, 16));
    give(trace, taken(trace, SAY_POINTER(trace, malloc(nothing)), 0, 16));
    give(trace, taken(trace, SAY_POINTER(trace, malloc(3 << 20)), 3 << 20, 16));
    SAY_POINTER(trace, malloc(huge));
    SAY_POINTER(trace, malloc(SIZE_MAX - nothing));
}

void try_free(struct trace *trace)
{
    give(trace, NULL);
}

void try_calloc(struct trace *trace)
{
    char *p = SAY_POINTER(trace, calloc(100, 30));
    int clean = 1;
    for (int i = 0; i < 3000; i++)
        clean &= p[i] == 0;
    say(trace, "clean %d\n", clean);
    give(trace, taken(trace, p, 3000, 16));
    SAY_POINTER(trace, calloc(huge, 4));
    SAY_POINTER(trace, calloc(huge, 1));
}

static void allocate_in_child(pid_t child)
{
    if (child != 0) {
        waitpid(child, NULL, 0);
        return;
    }
    for (int i = 0; i < 10; i++) {
        char *volatile p = malloc(8 << 20); /* volatile: gcc must not leave out both calls */
        free(p);
    }
    _exit(0);
}

/* A child that no fork() made has a copy of what the library knows of the task. */
void raw_fork_allocates(struct trace *trace)
{
    void *p = malloc(8 << 20);
    allocate_in_child((pid_t)syscall(SYS_fork));
    trace->alloc_bytes += (long)malloc_usable_size(p);
    trace->freed_bytes += (long)malloc_usable_size(p);
    free(p);
}

/* The old block counts as freed, the new one as allocated. */
static void *moved(struct trace *trace, void *old, size_t bytes)
{
    if (old)
        trace->freed_bytes += (long)malloc_usable_size(old);
    return taken(trace, SAY_POINTER(trace, realloc(old, bytes)), bytes, 16);
}

void try_realloc(struct trace *trace)
{
    char *p = moved(trace, NULL, 100);
    p = moved(trace, p, 100000);
    p = moved(trace, p, 5 << 20);
    void *same = SAY_POINTER(trace, realloc(p, huge)); /* fails: P stays, nothing is counted */
    say(trace, "failed %d, kept %c\n", same == NULL, p[49]);
    p = moved(trace, p, 50);
    trace->freed_bytes += (long)malloc_usable_size(p);
    SAY_POINTER(trace, realloc(p, nothing)); /* frees */
}

void try_reallocarray(struct trace *trace)
{
    void *p = taken(trace, SAY_POINTER(trace, reallocarray(NULL, 30, 40)), 1200, 16);
    SAY_POINTER(trace, reallocarray(p, huge, 3));
    SAY_POINTER(trace, reallocarray(p, huge, 1));
    give(trace, p);
}

void try_memalign(struct trace *trace)
{
    for (size_t alignment = 16; alignment <= 1 << 20; alignment *= 4)
        give(trace, taken(trace, SAY_POINTER(trace, memalign(alignment, 100)), 100, alignment));
    SAY_POINTER(trace, memalign(64, huge));
}

void try_posix_memalign(struct trace *trace)
{
    void *p = NULL;
    SAY(trace, posix_memalign(&p, 4096, 100));
    give(trace, taken(trace, p, 100, 4096));
    p = (void *)1;
    SAY(trace, posix_memalign(&p, 3, 100));
    SAY(trace, posix_memalign(&p, 64, huge));
    say(trace, "untouched %d\n", p == (void *)1);
}

void try_aligned_alloc(struct trace *trace)
{
    give(trace, taken(trace, SAY_POINTER(trace, aligned_alloc(256, 512)), 512, 256));
    SAY_POINTER(trace, aligned_alloc(64, huge));
}

void try_valloc(struct trace *trace)
{
    give(trace, taken(trace, SAY_POINTER(trace, valloc(100)), 100, 4096));
    SAY_POINTER(trace, valloc(huge));
}

void try_pvalloc(struct trace *trace)
{
    give(trace, taken(trace, SAY_POINTER(trace, pvalloc(100)), 4096, 4096));
    SAY_POINTER(trace, pvalloc(huge));
}

/* ---- mappings -----------------------------------------------------------------------------------
 */

enum { ARENA = 8 << 20 };

static void try_map(struct trace *trace, void *(*map)(void *, size_t, int, int, int, off_t))
{
    const int anonymous = MAP_PRIVATE | MAP_ANONYMOUS;
    char *arena = SAY_POINTER(trace, map(NULL, ARENA, PROT_READ | PROT_WRITE, anonymous, -1, 0));
    arena[ARENA - 1] = 1;
    trace->alloc_bytes += ARENA;
    trace->alloc_calls++;
    SAY(trace, munmap(arena, ARENA));
    trace->freed_bytes += ARENA;
    /* address space alone, and files, are no memory taken */
    void *reserved = map(NULL, 64 << 20, PROT_NONE, anonymous, -1, 0);
    SAY(trace, munmap(reserved, 64 << 20));
    reserved = map(NULL, 64 << 20, PROT_READ | PROT_WRITE, anonymous | MAP_NORESERVE, -1, 0);
    SAY(trace, munmap(reserved, 64 << 20));
    int fd = quiet_open(trace->file, O_RDONLY);
    char *file = SAY_POINTER(trace, map(NULL, TRACE_BYTES, PROT_READ, MAP_PRIVATE, fd, 0));
    say_bytes(trace, file, 100);
    trace->mapped_bytes = -1; /* see libmapped.c */
    SAY(trace, munmap(file, TRACE_BYTES));
    close(fd);
    say(trace, "fails %d errno %d\n", map(NULL, nothing, PROT_READ, anonymous, -1, 0) == MAP_FAILED,
        errno);
    SAY(trace, munmap((void *)1, 4096));
}

void try_mmap(struct trace *trace)
{
    try_map(trace, mmap);
}

void try_mmap64(struct trace *trace)
{
    try_map(trace, mmap64);
}

void try_munmap(struct trace *trace)
{
    char *arena = mmap(NULL, ARENA, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    trace->alloc_bytes += ARENA;
    SAY(trace, munmap(arena, ARENA));
    trace->freed_bytes += ARENA;
}

/* As an allocator that wants an aligned piece does it: maps too much, cuts both ends, and frees the
 * rest in two steps. */
void cut_a_mapping(struct trace *trace)
{
    enum { PAGE = 4096 };
    char *arena = mmap(NULL, ARENA, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    SAY(trace, munmap(arena, PAGE));
    SAY(trace, munmap(arena + ARENA - PAGE, PAGE));
    SAY(trace, munmap(arena + 2 * PAGE, PAGE)); /* out of the middle */
    SAY(trace, munmap(arena + PAGE, ARENA - 2 * PAGE));
    trace->alloc_bytes += ARENA;
    trace->freed_bytes += ARENA;
}

/* What is mapped in the place of a counted mapping frees that: a new one, one that is only
 * reserved, a file, and one that mremap() moves there. */
void map_over_a_mapping(struct trace *trace)
{
    enum { NEW = MAP_PRIVATE | MAP_ANONYMOUS, OVER = NEW | MAP_FIXED };
    const int both = PROT_READ | PROT_WRITE;
    char *arena = mmap(NULL, ARENA, both, NEW, -1, 0);
    for (int i = 0; i < 10; i++)
        say(trace, "in place %d\n", mmap(arena, ARENA, both, OVER, -1, 0) == arena);
    mmap(arena, ARENA / 2, PROT_NONE, OVER, -1, 0);
    int fd = quiet_open(trace->file, O_RDONLY);
    mmap(arena + ARENA / 2, ARENA / 2, PROT_READ, MAP_PRIVATE | MAP_FIXED, fd, 0);
    trace->mapped_bytes = -1; /* see libmapped.c */
    close(fd);
    SAY(trace, munmap(arena, ARENA));
    trace->alloc_bytes += 11 * ARENA;
    trace->freed_bytes += 11 * ARENA;
    arena = mmap(NULL, ARENA, both, NEW, -1, 0);
    char *place = mmap(NULL, ARENA, both, NEW, -1, 0);
    void *moved = mremap(arena, ARENA, ARENA, MREMAP_MAYMOVE | MREMAP_FIXED, place);
    say(trace, "moved %d\n", moved == place);
    SAY(trace, munmap(place, ARENA));
    trace->alloc_bytes += 3 * ARENA;
    trace->freed_bytes += 3 * ARENA;
}

/* The kernel rounds lengths up to whole pages, and refuses addresses inside of a page and a length
 * of 0: then nothing is freed. */
void map_parts_of_pages(struct trace *trace)
{
    enum { PAGE = 4096 };
    const int both = PROT_READ | PROT_WRITE, anonymous = MAP_PRIVATE | MAP_ANONYMOUS;
    char *arena = mmap(NULL, ARENA - PAGE - 1, both, anonymous, -1, 0);
    say(trace, "refused %d errno %d\n", munmap(arena + 1, ARENA - 2 * PAGE), errno);
    say(trace, "refused %d errno %d\n", munmap(arena, nothing), errno);
    say(trace, "refused %d errno %d\n", mremap(arena, nothing, ARENA, 0) == MAP_FAILED, errno);
    arena = mremap(arena, ARENA - 2 * PAGE + 1, 2 * ARENA, MREMAP_MAYMOVE);
    say(trace, "moved %d\n", arena != MAP_FAILED);
    SAY(trace, munmap(arena, 2 * ARENA - PAGE + 1));
    trace->alloc_bytes += ARENA - PAGE + 2 * ARENA;
    trace->freed_bytes += ARENA - PAGE + 2 * ARENA;
}

void try_mremap(struct trace *trace)
{
    char *arena = mmap(NULL, ARENA, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    arena[5] = 'a';
    char *larger = SAY_POINTER(trace, mremap(arena, ARENA, 2 * ARENA, MREMAP_MAYMOVE));
    say(trace, "kept %c\n", larger[5]);
    trace->alloc_bytes += ARENA + 2 * ARENA;
    trace->freed_bytes += ARENA;
    void *place = mmap(NULL, 3 * ARENA, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    char *placed = SAY_POINTER(
        trace, mremap(larger, 2 * ARENA, 3 * ARENA, MREMAP_MAYMOVE | MREMAP_FIXED, place));
    say(trace, "in place %d kept %c\n", placed == place, placed[5]);
    trace->alloc_bytes += 3 * ARENA;
    trace->freed_bytes += 2 * ARENA;
    say(trace, "fails %d errno %d\n", mremap(placed, 3 * ARENA, huge / 2, 0) == MAP_FAILED, errno);
    SAY(trace, munmap(placed, 3 * ARENA));
    trace->freed_bytes += 3 * ARENA;
}
