/* A wrapper as in preload/hooks/hook_files.c, for docs/contributing/add-a-hook.md. A real one has
 * the name of the function that it wraps; this one has a name of its own, so that a test can call
 * it. */
#include "preload/io/transfer.h"
#include "preload/sys/hook_list.h"

CUP_HOOK ssize_t example_pread(int fd, void *buffer, size_t bytes, off_t offset)
{
    struct cup_transfer room, *transfer = cup_transfer_begin(&room, CUP_READ, fd);
    ssize_t result = CUP_REAL(pread)(fd, buffer, bytes, offset);
    return cup_transfer_end(transfer, result, offset, buffer, 0);
}
