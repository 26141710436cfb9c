#include "preload/sys/own_fd.h"

#include "preload/sys/raw.h"

#include <stdbool.h>

enum { ENTRIES = 64, AT_LEAST = 900 };
_Static_assert(ENTRIES < 256, "an entry's place is the low byte of its name");

/* Of each entry: the number of its use, and its descriptor + 1 (0: free; TAKEN: about to be
 * opened). In one word, so that whoever lost an entry never reads what somebody else opened in its
 * place. */
static uint64_t entries[ENTRIES];
static int highest; /* entries ever used: most processes have one or two */

#define TAKEN UINT32_MAX

static uint64_t word_of(uint32_t use, uint32_t descriptor)
{
    return (uint64_t)use * (UINT64_C(1) << 32) | descriptor;
}

/* Uses are told apart modulo 2^24. */
static uint32_t name_of(int place, uint32_t use)
{
    return use << 8 | (uint32_t)(place + 1);
}

static uint64_t *entry_of(uint32_t name)
{
    return &entries[(name & 0xff) - 1];
}

static bool is_of(uint64_t word, uint32_t name)
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

/* Before its file is opened: there is never one too many. */
static uint32_t take(void)
{
    for (int i = 0; i < ENTRIES; i++) {
        uint64_t word = __atomic_load_n(&entries[i], __ATOMIC_RELAXED);
        uint32_t use = (uint32_t)(word >> 32) + 1;
        if ((uint32_t)word ||
            !__atomic_compare_exchange_n(&entries[i], &word, word_of(use, TAKEN), false,
                                         __ATOMIC_RELAXED, __ATOMIC_RELAXED))
            continue;
        note_highest(i + 1);
        return name_of(i, use);
    }
    return 0;
}

/* Sets the descriptor of an entry that is still NAME's; returns the one before, -1 if none. */
static int exchange(uint32_t name, uint32_t descriptor)
{
    uint64_t *entry = entry_of(name), word = __atomic_load_n(entry, __ATOMIC_ACQUIRE);
    while (is_of(word, name))
        if (__atomic_compare_exchange_n(entry, &word, (word >> 32 << 32) | descriptor, false,
                                        __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
            return (uint32_t)word == TAKEN ? -1 : (int)(uint32_t)word - 1;
    return -1;
}

/* Where the program may have no such numbers, we do without: it may need all that it has. */
static int open_high(const char *path)
{
    int low = cup_raw_open(path, O_RDONLY | O_CLOEXEC, 0);
    int high = low < 0 ? -1 : cup_raw_fcntl(low, F_DUPFD_CLOEXEC, AT_LEAST);
    if (low >= 0)
        cup_raw_close(low);
    return high;
}

uint32_t cup_own_fd_open(const char *path)
{
    uint32_t name = take();
    int fd = name ? open_high(path) : -1;
    if (name)
        exchange(name, (uint32_t)(fd + 1));
    return fd < 0 ? 0 : name;
}

size_t cup_own_fd_read(uint32_t name, char *text, size_t size)
{
    uint64_t word = name ? __atomic_load_n(entry_of(name), __ATOMIC_ACQUIRE) : 0;
    int fd = name && is_of(word, name) ? (int)(uint32_t)word - 1 : -1;
    ssize_t bytes = fd < 0 ? 0 : cup_raw_pread(fd, text, size - 1, 0);
    text[bytes > 0 ? bytes : 0] = '\0';
    if (bytes <= 0)
        cup_own_fd_close(name);
    return bytes > 0 ? (size_t)bytes : 0;
}

void cup_own_fd_close(uint32_t name)
{
    int fd = name ? exchange(name, 0) : -1;
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
        cup_own_fd_close(name_of(i, (uint32_t)(entries[i] >> 32)));
}
