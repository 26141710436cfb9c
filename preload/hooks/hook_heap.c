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

/* dlsym() may allocate before malloc is resolved. Such blocks come from here, and are never reused.
 */
static _Alignas(64) char bootstrap[16384];
static size_t bootstrap_used;

static void *allocate_bootstrap(size_t bytes, size_t alignment)
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

/* False: the real function is not known yet. dlsym() itself has called this hook, while it looks
 * for the real functions: before glibc 2.34 its first call allocates. */
static bool resolve_if_needed(void **slot)
{
    if (__builtin_expect(!*slot, 0))
        cup_real_resolve();
    return *slot;
}

static size_t (*usable_size)(void *);
static bool plain_glibc; /* the word before a block has its size: verified by cup_heap_init() */

/* Bytes that block P can hold, as its allocator says: any allocator may be preloaded along with
 * cupping. For glibc's the word before the block is read here, as its malloc_usable_size() does,
 * without the call. */
static inline size_t usable_bytes(void *p)
{
    enum { FLAGS = 7, IS_MAPPED = 2 };
    if (__builtin_expect(plain_glibc, 1)) {
        __asm__("" : "+r"(p)); /* hides from gcc that p[-1] lies before the block */
        size_t word = ((const size_t *)p)[-1];
        return (word & ~(size_t)FLAGS) - (word & IS_MAPPED ? 2 : 1) * sizeof(size_t);
    }
    return usable_size ? usable_size(p) : 0;
}

static bool answers_agree(size_t bytes)
{
    void *p = real_malloc(bytes);
    bool agree = p && usable_bytes(p) == usable_size(p);
    real_free(p);
    return agree;
}

/* The address range of the allocator's library. */
static struct {
    uintptr_t from, to;
    bool is_libc;
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
    allocator.is_libc = strstr(object->dlpi_name, "/libc.so") != NULL;
    return 1;
}

bool cup_heap_is_allocator(const void *caller)
{
    return (uintptr_t)caller - allocator.from < allocator.to - allocator.from;
}

bool cup_heap_is_of_libc(void)
{
    return allocator.is_libc;
}

static struct cup_block probe; /* counts before the log is open, too */

/* True: programs reach cupping's malloc. To find out, it is called: an address proves nothing,
 * because in a program that is linked to a fixed address dlsym() may return a jump in that program.
 */
bool cup_heap_is_first(void)
{
    void *(*allocate)(size_t);
    void (*release)(void *);
    void *first = dlsym(RTLD_DEFAULT, "malloc"), *last = dlsym(RTLD_DEFAULT, "free");
    memcpy(&allocate, &first, sizeof allocate);
    memcpy(&release, &last, sizeof release);
    cup_self.heap = &probe;
    void *p = first && last ? allocate(1) : NULL;
    cup_self.heap = NULL;
    if (p)
        release(p);
    return probe.counters[CUP_C_ALLOC_CALLS] == 1;
}

void cup_heap_init(void)
{
    dl_iterate_phdr(find_allocator, NULL);
    void *found = dlsym(RTLD_NEXT, "malloc_usable_size");
    *(void *volatile *)&usable_size = found;
    if (!found || !allocator.is_libc || !cup_heap_is_allocator(found))
        return;
    plain_glibc = true; /* for answers_agree() */
    plain_glibc = answers_agree(1) && answers_agree(64) && answers_agree(1000) &&
                  answers_agree(100000) && answers_agree(1 << 20);
}

/* The real call returned P for BYTES. A child that a bare clone() or _Fork() made has the block of
 * its parent, and counts nothing: cup_active(). */
static inline void *count_allocation(void *p, size_t bytes)
{
    struct cup_block *block = cup_self.heap;
    if (__builtin_expect(block != NULL, 0)) {
        if (p && (cup_active() || block == &probe))
            cup_heap_add(block, usable_bytes(p));
    } else if (bytes > CUP_HEAP_SMALL - CUP_HEAP_ROUNDING && cup_active() && p) {
        size_t usable = usable_bytes(p);
        if (usable >= CUP_HEAP_SMALL)
            cup_heap_count_slow(usable, 0);
    }
    if (__builtin_expect(cup_stacks_stressed, 0))
        cup_stacks_stress();
    return p;
}

/* BYTES of a block are freed. */
static inline void count_release(size_t bytes)
{
    struct cup_block *block = cup_self.heap;
    if (!cup_active())
        return;
    if (__builtin_expect(block != NULL, 0))
        cup_heap_remove(block, bytes);
    else if (bytes >= CUP_HEAP_SMALL)
        cup_heap_count_slow(0, bytes);
}

/* Nothing is counted: most calls of most processes end here, in a jump to the real function. */
static inline bool is_not_counted(size_t bytes)
{
    return !cup_self.heap && (bytes <= CUP_HEAP_SMALL - CUP_HEAP_ROUNDING || !cup_active()) &&
           !cup_stacks_stressed;
}

static __attribute__((noinline)) void *malloc_counted(size_t bytes)
{
    if (!resolve_if_needed((void **)&real_malloc))
        return allocate_bootstrap(bytes, 16);
    return count_allocation(real_malloc(bytes), bytes);
}

CUP_HOOK void *malloc(size_t bytes)
{
    if (__builtin_expect(real_malloc && is_not_counted(bytes), 1))
        return real_malloc(bytes);
    return malloc_counted(bytes);
}

CUP_HOOK void *calloc(size_t count, size_t size)
{
    if (!resolve_if_needed((void **)&real_calloc))
        return allocate_bootstrap(count * size, 16); /* static memory: zero */
    return count_allocation(real_calloc(count, size), count * size);
}

static __attribute__((noinline)) void free_counted(void *p)
{
    if (!p || is_bootstrap(p))
        return;
    count_release(usable_bytes(p));
    if (resolve_if_needed((void **)&real_free))
        real_free(p);
}

/* True: free(P) counts nothing. False for NULL and for bootstrap blocks, which free_counted()
 * handles. */
static inline bool is_free_not_counted(void *p)
{
    if (cup_self.heap || !p || is_bootstrap(p))
        return false;
    return !cup_active() || (plain_glibc && usable_bytes(p) < CUP_HEAP_SMALL);
}

CUP_HOOK void free(void *p)
{
    if (__builtin_expect(real_free && is_free_not_counted(p), 1))
        real_free(p);
    else
        free_counted(p);
}

/* realloc() of a bootstrap block moves it to the real heap. */
static void *move_bootstrap(void *p, size_t bytes)
{
    size_t room = sizeof bootstrap - (size_t)((char *)p - bootstrap);
    void *moved = malloc(bytes);
    if (moved)
        memcpy(moved, p, bytes < room ? bytes : room);
    return moved;
}

CUP_HOOK void *realloc(void *old, size_t bytes)
{
    if (is_bootstrap(old))
        return move_bootstrap(old, bytes);
    if (!resolve_if_needed((void **)&real_realloc))
        return allocate_bootstrap(bytes, 16);
    /* The size is read before the call: afterwards the address may be another thread's. */
    size_t old_bytes = old && cup_active() ? usable_bytes(old) : 0;
    void *p = real_realloc(old, bytes);
    if (old && (p || !bytes)) /* realloc(old, 0) returns NULL, but frees the block */
        count_release(old_bytes);
    return count_allocation(p, bytes);
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
    if (!resolve_if_needed((void **)&real_memalign))
        return allocate_bootstrap(bytes, alignment);
    return count_allocation(real_memalign(alignment, bytes), bytes);
}

CUP_HOOK int posix_memalign(void **result, size_t alignment, size_t bytes)
{
    if (!resolve_if_needed((void **)&real_posix_memalign))
        return (*result = allocate_bootstrap(bytes, alignment)) ? 0 : ENOMEM;
    int error = real_posix_memalign(result, alignment, bytes);
    if (!error)
        count_allocation(*result, bytes);
    return error;
}

CUP_HOOK void *aligned_alloc(size_t alignment, size_t bytes)
{
    if (!resolve_if_needed((void **)&real_aligned_alloc))
        return memalign(alignment, bytes);
    return count_allocation(real_aligned_alloc(alignment, bytes), bytes);
}

CUP_HOOK void *valloc(size_t bytes)
{
    resolve_if_needed((void **)&real_valloc);
    return count_allocation(real_valloc(bytes), bytes);
}

CUP_HOOK void *pvalloc(size_t bytes)
{
    resolve_if_needed((void **)&real_pvalloc);
    return count_allocation(real_pvalloc(bytes), bytes);
}
