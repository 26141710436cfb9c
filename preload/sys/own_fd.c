#include "preload/sys/own_fd.h"

#include "preload/sys/raw.h"

#include <stdbool.h>

enum { ENTRIES = 64, AT_LEAST = 900 };
_Static_assert(ENTRIES < 256, "an entry's place is the low byte of its name");

/* Each entry is one word: in the upper half a number that counts its uses, in the lower half the
 * descriptor + 1 (0: free; TAKEN: being opened). A name contains the use number, so a stale name
 * never reads the file that was opened later in the same entry. */
static uint64_t entries[ENTRIES];
static int highest; /* number of entries ever used: one or two in most processes */

#define TAKEN UINT32_MAX

static uint64_t make_word(uint32_t use, uint32_t descriptor)
{
    return (uint64_t)use * (UINT64_C(1) << 32) | descriptor;
}

/* A name is the use number (modulo 2^24) and the entry's index + 1. */
static uint32_t make_name(int place, uint32_t use)
{
    return use << 8 | (uint32_t)(place + 1);
}

static uint64_t *find_entry(uint32_t name)
{
    return &entries[(name & 0xff) - 1];
}

static bool belongs_to(uint64_t word, uint32_t name)
{
    return (uint32_t)(word >> 32) << 8 == (name & ~0xffu);
}

static void note_highest(int count)
{
    int known = __atomic_load_n(&highest, __ATOMIC_RELAXED);
    while (known < count && !__atomic_compare_exchange_n(&highest, &known, count, false,
                                                         __ATOMIC_RELAXED, __ATOMIC_RELAXED))
        continue;
}

/* Takes an entry before the file is opened, so that never more than ENTRIES files are open. */
static uint32_t take_entry(void)
{
    for (int i = 0; i < ENTRIES; i++) {
        uint64_t word = __atomic_load_n(&entries[i], __ATOMIC_RELAXED);
        uint32_t use = (uint32_t)(word >> 32) + 1;
        if ((uint32_t)word ||
            !__atomic_compare_exchange_n(&entries[i], &word, make_word(use, TAKEN), false,
                                         __ATOMIC_RELAXED, __ATOMIC_RELAXED))
            continue;
        note_highest(i + 1);
        return make_name(i, use);
    }
    return 0;
}

/* Replaces the descriptor of an entry if it is still NAME's. Returns the previous one; -1: none. */
static int exchange_descriptor(uint32_t name, uint32_t descriptor)
{
    uint64_t *entry = find_entry(name), word = __atomic_load_n(entry, __ATOMIC_ACQUIRE);
    while (belongs_to(word, name))
        if (__atomic_compare_exchange_n(entry, &word, (word >> 32 << 32) | descriptor, false,
                                        __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
            return (uint32_t)word == TAKEN ? -1 : (int)(uint32_t)word - 1;
    return -1;
}

/* If RLIMIT_NOFILE forbids such a number, no file is kept open: the program may need all low
 * numbers. */
static int open_high(const char *path)
{
    int low = cup_raw_open(path, O_RDONLY | O_CLOEXEC, 0);
    int high = low < 0 ? -1 : (int)syscall(SYS_fcntl, low, F_DUPFD_CLOEXEC, AT_LEAST);
    if (low >= 0)
        cup_raw_close(low);
    return high;
}

uint32_t cup_own_fd_open(const char *path)
{
    uint32_t name = take_entry();
    int fd = name ? open_high(path) : -1;
    if (name)
        exchange_descriptor(name, (uint32_t)(fd + 1));
    return fd < 0 ? 0 : name;
}

size_t cup_own_fd_read(uint32_t name, char *text, size_t size)
{
    uint64_t word = name ? __atomic_load_n(find_entry(name), __ATOMIC_ACQUIRE) : 0;
    int fd = name && belongs_to(word, name) ? (int)(uint32_t)word - 1 : -1;
    ssize_t bytes = fd < 0 ? 0 : cup_raw_pread(fd, text, size - 1, 0);
    text[bytes > 0 ? bytes : 0] = '\0';
    if (bytes <= 0)
        cup_own_fd_close(name);
    return bytes > 0 ? (size_t)bytes : 0;
}

void cup_own_fd_close(uint32_t name)
{
    int fd = name ? exchange_descriptor(name, 0) : -1;
    if (fd >= 0)
        cup_raw_close(fd);
}

void cup_own_fd_lost(unsigned first, unsigned last)
{
    int count = __atomic_load_n(&highest, __ATOMIC_RELAXED);
    for (int i = 0; i < count; i++) {
        uint64_t word = __atomic_load_n(&entries[i], __ATOMIC_RELAXED);
        uint32_t fd = (uint32_t)word - 1;
        if ((uint32_t)word && (uint32_t)word != TAKEN && fd >= first && fd <= last)
            __atomic_compare_exchange_n(&entries[i], &word, word >> 32 << 32, false,
                                        __ATOMIC_ACQ_REL, __ATOMIC_RELAXED);
    }
}

void cup_own_fd_forked(void)
{
    for (int i = 0; i < highest; i++)
        cup_own_fd_close(make_name(i, (uint32_t)(entries[i] >> 32)));
}
