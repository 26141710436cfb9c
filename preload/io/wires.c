#include "preload/io/wires.h"

#include "preload/io/descriptor.h"
#include "preload/sys/raw.h"

static uint32_t wires[CUP_DESCRIPTORS / 32]; /* one bit for each descriptor */
static int wires_process;
bool cup_wires_exist;

bool cup_wire_is(int fd)
{
    return (unsigned)fd < CUP_DESCRIPTORS &&
           __atomic_load_n(&wires[fd / 32], __ATOMIC_RELAXED) >> fd % 32 & 1;
}

void cup_wire_add(int fd)
{
    if ((unsigned)fd >= CUP_DESCRIPTORS)
        return;
    __atomic_fetch_or(&wires[fd / 32], UINT32_C(1) << fd % 32, __ATOMIC_RELAXED);
    wires_process = cup_raw_getpid();
    cup_wires_exist = true;
    struct cup_descriptor *entry = cup_descriptor_known(fd);
    if (entry && entry->class == CUP_FILE_SOCKET)
        entry->wire = true;
}

/* A child of vfork() shares this process's memory, but closes descriptors of its own: a wire is
 * only removed by the process that connected it. */
void cup_wire_remove_slowly(int fd)
{
    if (cup_wire_is(fd) && cup_raw_getpid() == wires_process)
        __atomic_fetch_and(&wires[fd / 32], ~(UINT32_C(1) << fd % 32), __ATOMIC_RELAXED);
}

void cup_wire_remove_range(unsigned first, unsigned last)
{
    for (unsigned fd = first; cup_wires_exist && fd <= last && fd < CUP_DESCRIPTORS; fd++)
        cup_wire_remove_slowly((int)fd);
}
