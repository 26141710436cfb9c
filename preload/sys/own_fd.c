#include "preload/sys/own_fd.h"

#include "preload/sys/raw.h"

#include <linux/magic.h>
#include <stdbool.h>
#include <sys/statfs.h>

enum { ENTRIES = 64, AT_LEAST = 900 };
_Static_assert(ENTRIES < 256, "an entry's place is the low byte of its name");

/* Each entry is one word: in the upper half a number that counts its uses, in the lower half the
 * descriptor + 1 (0: free). A name is the use number (modulo 2^24) and the entry's index + 1, so a
 * stale name never reads the file that was opened later in the same entry. */
static uint64_t entries[ENTRIES];
static int highest; /* number of entries ever used: one or two in most processes */

/* The word of NAME's entry; 0: the entry is not NAME's any more. */
static uint64_t load_word(uint32_t name)
{
    uint64_t word = name ? __atomic_load_n(&entries[(name & 0xff) - 1], __ATOMIC_ACQUIRE) : 0;
    return (uint32_t)(word >> 32) << 8 == (name & ~0xffu) ? word : 0;
}

/* Frees the entry if it still holds WORD, which is of a descriptor. */
static bool free_entry(int place, uint64_t word)
{
    return (uint32_t)word && __atomic_compare_exchange_n(&entries[place], &word, word >> 32 << 32,
                                                         false, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED);
}

static void close_entry(int place, uint64_t word)
{
    if (free_entry(place, word))
        cup_raw_close((int)(uint32_t)word - 1);
}

static void note_highest(int count)
{
    int known = __atomic_load_n(&highest, __ATOMIC_RELAXED);
    while (known < count && !__atomic_compare_exchange_n(&highest, &known, count, false,
                                                         __ATOMIC_RELAXED, __ATOMIC_RELAXED))
        continue;
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
    int fd = open_high(path);
    for (int i = 0; fd >= 0 && i < ENTRIES; i++) {
        uint64_t word = __atomic_load_n(&entries[i], __ATOMIC_RELAXED);
        uint32_t use = (uint32_t)(word >> 32) + 1;
        uint64_t taken = (uint64_t)use << 32 | (uint32_t)(fd + 1);
        if ((uint32_t)word || !__atomic_compare_exchange_n(&entries[i], &word, taken, false,
                                                           __ATOMIC_RELEASE, __ATOMIC_RELAXED))
            continue;
        note_highest(i + 1);
        return use << 8 | (uint32_t)(i + 1);
    }
    if (fd >= 0)
        cup_raw_close(fd);
    return 0;
}

/* The file cannot be read: its thread has ended, or the number is the program's by now, although no
 * hook saw that (a system call of its own; dup2() in another thread that has not returned yet).
 * Then it must stay open. */
static void give_up(uint32_t name)
{
    struct statfs where;
    int place = (int)(name & 0xff) - 1;
    uint64_t word = load_word(name);
    if (free_entry(place, word) && fstatfs((int)(uint32_t)word - 1, &where) == 0 &&
        where.f_type == PROC_SUPER_MAGIC)
        cup_raw_close((int)(uint32_t)word - 1);
}

size_t cup_own_fd_read(uint32_t name, char *text, size_t size)
{
    int fd = (int)(uint32_t)load_word(name) - 1;
    ssize_t bytes = fd < 0 ? 0 : cup_raw_pread(fd, text, size - 1, 0);
    text[bytes > 0 ? bytes : 0] = '\0';
    if (bytes <= 0)
        give_up(name);
    return bytes > 0 ? (size_t)bytes : 0;
}

void cup_own_fd_close(uint32_t name)
{
    close_entry((int)(name & 0xff) - 1, load_word(name));
}

void cup_own_fd_lost(unsigned first, unsigned last)
{
    int count = __atomic_load_n(&highest, __ATOMIC_RELAXED);
    for (int i = 0; i < count; i++) {
        uint64_t word = __atomic_load_n(&entries[i], __ATOMIC_RELAXED);
        uint32_t fd = (uint32_t)word - 1;
        if (fd >= first && fd <= last)
            free_entry(i, word);
    }
}

void cup_own_fd_forked(void)
{
    for (int i = 0; i < highest; i++)
        close_entry(i, entries[i]);
}
