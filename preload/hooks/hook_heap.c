/* Wrappers of the malloc family. */
#include "preload/lifecycle/thread.h"
#include "preload/stacks/stacks.h"
#include "preload/sys/hook_list.h"
#include "preload/task/heap.h"

#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <stdint.h>
#include <string.h>

/* dlsym may allocate before malloc is resolved: from here, never given back. */
static _Alignas(64) char bootstrap[16384];
static size_t bootstrap_used;

static void *bootstrap_take(size_t bytes, size_t alignment)
{
    size_t at = (bootstrap_used + alignment - 1) & ~(alignment - 1);
    if (bytes > sizeof bootstrap || at > sizeof bootstrap - bytes)
        return NULL;
    bootstrap_used = at + bytes;
    return bootstrap + at;
}

static bool is_bootstrap(const void *p)
{
    return __builtin_expect((uintptr_t)p - (uintptr_t)bootstrap < sizeof bootstrap, 0);
}

/* Set while the real functions are being found; then malloc must not ask for them again. */
static bool resolving;

static bool ready(void *real)
{
    if (__builtin_expect(real != NULL, 1))
        return true;
    if (resolving)
        return false;
    resolving = true;
    cup_real_resolve();
    resolving = false;
    return true;
}

static size_t (*usable_size)(void *);
static bool plain_glibc; /* the size stands in the word before the block, as verified at start */

/* The allocator's own answer, whichever allocator is preloaded with us. For glibc's the word is
 * read here: its function does the same, at the price of a call. */
static inline size_t usable(void *p)
{
    enum { FLAGS = 7, IS_MAPPED = 2 };
    if (__builtin_expect(plain_glibc, 1)) {
        __asm__("" : "+r"(p)); /* before the block lies its header: not for gcc to judge */
        size_t word = ((const size_t *)p)[-1];
        return (word & ~(size_t)FLAGS) - (word & IS_MAPPED ? 2 : 1) * sizeof(size_t);
    }
    return usable_size ? usable_size(p) : 0;
}

static bool answers_agree(size_t bytes)
{
    void *p = real_malloc(bytes);
    bool agree = p && usable(p) == usable_size(p);
    real_free(p);
    return agree;
}

static bool is_in_libc(void *function)
{
    Dl_info where;
    return dladdr(function, &where) && where.dli_fname && strstr(where.dli_fname, "/libc.so");
}

/* Where the allocator's code lies. */
static struct {
    uintptr_t from, to;
} allocator;

static int find_allocator(struct dl_phdr_info *object, size_t size, void *unused)
{
    (void)size, (void)unused;
    uintptr_t from = UINTPTR_MAX, to = 0, function = (uintptr_t)real_malloc;
    for (int i = 0; i < object->dlpi_phnum; i++) {
        const ElfW(Phdr) *segment = &object->dlpi_phdr[i];
        uintptr_t at = object->dlpi_addr + segment->p_vaddr;
        if (segment->p_type != PT_LOAD)
            continue;
        from = at < from ? at : from;
        to = at + segment->p_memsz > to ? at + segment->p_memsz : to;
    }
    if (function < from || function >= to)
        return 0;
    allocator.from = from;
    allocator.to = to;
    return 1;
}

bool cup_heap_is_allocator(const void *caller)
{
    return (uintptr_t)caller - allocator.from < allocator.to - allocator.from;
}

/* The malloc that programs reach is ours: tried, for the address that dlsym() tells may be that of
 * a jump in the program itself, if that was linked to lie at a fixed place. */
bool cup_heap_is_first(void)
{
    static struct cup_block block;
    void *(*allocate)(size_t);
    void (*release)(void *);
    void *first = dlsym(RTLD_DEFAULT, "malloc"), *last = dlsym(RTLD_DEFAULT, "free");
    memcpy(&allocate, &first, sizeof allocate);
    memcpy(&release, &last, sizeof release);
    cup_self.heap = &block;
    void *p = first && last ? allocate(1) : NULL;
    cup_self.heap = NULL;
    if (p)
        release(p);
    return block.counters[CUP_C_ALLOC_CALLS] == 1;
}

void cup_heap_init(void)
{
    dl_iterate_phdr(find_allocator, NULL);
    void *found = dlsym(RTLD_NEXT, "malloc_usable_size");
    *(void *volatile *)&usable_size = found;
    if (!found || !is_in_libc(found) || !is_in_libc((void *)real_malloc))
        return;
    plain_glibc = true; /* for the comparison */
    plain_glibc = answers_agree(1) && answers_agree(64) && answers_agree(1000) &&
                  answers_agree(100000) && answers_agree(1 << 20);
}

/* The real call came back with P for BYTES. */
static inline void *allocated(void *p, size_t bytes)
{
    struct cup_block *block = cup_self.heap;
    if (__builtin_expect(block != NULL, 0)) {
        if (p)
            cup_heap_add(block, usable(p));
    } else if (bytes >= CUP_HEAP_SMALL && cup_active() && p) {
        cup_heap_add_slow(usable(p));
    }
    if (__builtin_expect(cup_stacks_stressed, 0))
        cup_stacks_stress();
    return p;
}

/* P is about to be freed. */
static inline void released(void *p)
{
    struct cup_block *block = cup_self.heap;
    if (__builtin_expect(block != NULL, 0)) {
        cup_heap_remove(block, usable(p));
    } else if (cup_active()) {
        size_t bytes = usable(p);
        if (bytes >= CUP_HEAP_SMALL)
            cup_heap_remove_slow(bytes);
    }
}

/* Nothing to count: most calls of most processes end here, in a jump to the real function. */
static inline bool nobody_counts(size_t bytes)
{
    return !cup_self.heap && (bytes < CUP_HEAP_SMALL || !cup_active()) && !cup_stacks_stressed;
}

static __attribute__((noinline)) void *malloc_counted(size_t bytes)
{
    if (!ready((void *)real_malloc))
        return bootstrap_take(bytes, 16);
    return allocated(real_malloc(bytes), bytes);
}

CUP_HOOK void *malloc(size_t bytes)
{
    if (__builtin_expect(real_malloc && nobody_counts(bytes), 1))
        return real_malloc(bytes);
    return malloc_counted(bytes);
}

CUP_HOOK void *calloc(size_t count, size_t size)
{
    if (!ready((void *)real_calloc))
        return bootstrap_take(count * size, 16); /* static memory: zero */
    return allocated(real_calloc(count, size), count * size);
}

static __attribute__((noinline)) void free_counted(void *p)
{
    if (!p || is_bootstrap(p))
        return;
    released(p);
    if (ready((void *)real_free))
        real_free(p);
}

/* Nothing to count, as above; a NULL or a block of the bootstrap arena takes the long way. */
static inline bool nobody_counts_free(void *p)
{
    if (cup_self.heap || !p || is_bootstrap(p))
        return false;
    return !cup_active() || (plain_glibc && usable(p) < CUP_HEAP_SMALL);
}

CUP_HOOK void free(void *p)
{
    if (__builtin_expect(real_free && nobody_counts_free(p), 1))
        real_free(p);
    else
        free_counted(p);
}

/* A block of the bootstrap arena that outgrows it moves out. */
static void *bootstrap_move(void *p, size_t bytes)
{
    size_t room = sizeof bootstrap - (size_t)((char *)p - bootstrap);
    void *moved = malloc(bytes);
    if (moved)
        memcpy(moved, p, bytes < room ? bytes : room);
    return moved;
}

/* The old size leaves before the call (afterwards the address may be another thread's), and comes
 * back if the call failed. realloc(p, 0) frees. */
static inline void *moved(void *old, size_t old_bytes, void *p, size_t bytes)
{
    struct cup_block *block = cup_self.heap;
    if (!p && bytes && old && block) {
        block->counters[CUP_C_FREED_BYTES] -= old_bytes;
        block->counters[CUP_C_FREE_CALLS]--;
        return p;
    }
    return allocated(p, bytes);
}

CUP_HOOK void *realloc(void *old, size_t bytes)
{
    if (is_bootstrap(old))
        return bootstrap_move(old, bytes);
    if (!ready((void *)real_realloc))
        return bootstrap_take(bytes, 16);
    size_t old_bytes = old && cup_self.heap ? usable(old) : 0;
    if (old)
        released(old);
    return moved(old, old_bytes, real_realloc(old, bytes), bytes);
}

CUP_HOOK void *reallocarray(void *old, size_t count, size_t size)
{
    size_t bytes;
    if (__builtin_mul_overflow(count, size, &bytes)) {
        errno = ENOMEM;
        return NULL;
    }
    return realloc(old, bytes);
}

CUP_HOOK void *memalign(size_t alignment, size_t bytes)
{
    if (!ready((void *)real_memalign))
        return bootstrap_take(bytes, alignment);
    return allocated(real_memalign(alignment, bytes), bytes);
}

CUP_HOOK int posix_memalign(void **result, size_t alignment, size_t bytes)
{
    if (!ready((void *)real_posix_memalign))
        return (*result = bootstrap_take(bytes, alignment)) ? 0 : ENOMEM;
    int error = real_posix_memalign(result, alignment, bytes);
    if (!error)
        allocated(*result, bytes);
    return error;
}

CUP_HOOK void *aligned_alloc(size_t alignment, size_t bytes)
{
    if (!ready((void *)real_aligned_alloc))
        return memalign(alignment, bytes);
    return allocated(real_aligned_alloc(alignment, bytes), bytes);
}

CUP_HOOK void *valloc(size_t bytes)
{
    ready((void *)real_valloc);
    return allocated(real_valloc(bytes), bytes);
}

CUP_HOOK void *pvalloc(size_t bytes)
{
    ready((void *)real_pvalloc);
    return allocated(real_pvalloc(bytes), bytes);
}
