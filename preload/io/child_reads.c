#include "preload/io/child_reads.h"

#include "preload/io/descriptor.h"

#include <errno.h>

void cup_child_reads(int fd)
{
    if (!cup_child_may_open_log())
        return;
    int saved = errno;
    cup_guard();
    if (cup_descriptor_class(fd) == CUP_FILE_DATA)
        cup_child_opens_log();
    cup_unguard();
    errno = saved;
}

void cup_child_fetches(void)
{
    if (!cup_child_may_open_log())
        return;
    int saved = errno;
    cup_guard();
    cup_child_opens_log();
    cup_unguard();
    errno = saved;
}
