/* Wrappers of mmap() and its siblings. Anonymous mappings are memory of a task (task/heap.h).
 * Mappings of data files are read by touching them (io/mapped_files.h). */
#include "preload/io/mapped_files.h"
#include "preload/io/transfer.h"
#include "preload/lifecycle/thread.h"
#include "preload/sys/hook_list.h"
#include "preload/task/heap.h"

#include <errno.h>

/* A call with MAP_FIXED or MREMAP_FIXED took the place of what was mapped there. Keeps errno. */
static void count_replaced(void *at, size_t bytes)
{
    int saved = errno;
    cup_mapping_left(at, bytes);
    cup_heap_unmapped(at, bytes);
    errno = saved;
}

/* An anonymous mapping was made at P. The allocator's own are counted as its allocations. One with
 * MAP_NORESERVE is no memory yet: allocators such as mimalloc, which Arrow brings along, reserve a
 * GiB of addresses so. Keeps errno. */
static void count_memory(void *p, size_t bytes, int protection, int flags, const void *caller)
{
    int saved = errno;
    if ((protection & PROT_WRITE) && !(flags & MAP_NORESERVE) && !cup_heap_is_allocator(caller))
        cup_heap_mapped(p, bytes);
    errno = saved;
}

typedef void *map_call(void *, size_t, int, int, int, off_t);

static inline void *map_counted(map_call *real, void *at, size_t bytes, int protection, int flags,
                                int fd, off_t offset, const void *caller)
{
    struct cup_mapping_call call;
    cup_child_before(!(flags & MAP_ANONYMOUS), fd);
    bool of_file = !(flags & MAP_ANONYMOUS) && cup_mapping_begin(&call, fd, offset);
    if (flags & MAP_FIXED)
        cup_mapping_may_leave(at, bytes);
    void *p = real(at, bytes, protection, flags, fd, offset);
    if (p != MAP_FAILED && (flags & MAP_FIXED))
        count_replaced(at, bytes);
    if (p != MAP_FAILED && of_file)
        cup_mapping_follow(&call, p, bytes);
    else if (p != MAP_FAILED && (flags & MAP_ANONYMOUS))
        count_memory(p, bytes, protection, flags, caller);
    return p;
}

CUP_HOOK void *mmap(void *at, size_t bytes, int protection, int flags, int fd, off_t offset)
{
    return map_counted(CUP_REAL(mmap), at, bytes, protection, flags, fd, offset,
                       __builtin_return_address(0));
}

/* One function, as in libc: memray compares the addresses of the two, and warns on standard error
 * if they differ. */
CUP_HOOK __attribute__((alias("mmap"))) __typeof__(mmap) mmap64;

CUP_HOOK int munmap(void *at, size_t bytes)
{
    cup_mapping_leaves(at, bytes);
    cup_heap_unmapped(at, bytes);
    return CUP_REAL(munmap)(at, bytes);
}

/* As memory of a task, the old mapping is counted as freed before the call, and the new one as
 * allocated after it. If the call failed, nothing was freed. */
CUP_HOOK void *mremap(void *old, size_t old_bytes, size_t bytes, int flags, ...)
{
    va_list arguments;
    va_start(arguments, flags);
    void *wish = va_arg(arguments, void *);
    va_end(arguments);
    struct cup_mapping moved;
    if (flags & MREMAP_FIXED)
        cup_mapping_may_leave(wish, bytes);
    bool of_file = cup_mapping_moves(&moved, old, old_bytes, bytes);
    bool counted = cup_heap_unmapped(old, old_bytes);
    void *p = CUP_REAL(mremap)(old, old_bytes, bytes, flags, wish);
    bool failed = p == MAP_FAILED;
    int saved = errno;
    if (!failed && (flags & MREMAP_FIXED))
        count_replaced(wish, bytes);
    if (counted && failed)
        cup_heap_still_mapped(old, old_bytes);
    else if (counted)
        cup_heap_mapped(p, bytes);
    if (of_file)
        cup_mapping_comes(&moved, failed ? old : p, failed ? moved.bytes : bytes);
    errno = saved;
    return p;
}
