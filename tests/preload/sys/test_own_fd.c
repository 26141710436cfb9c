/* Descriptors that the library keeps open, and that the program may close or replace. */
#include "preload/sys/own_fd.h"

#include <criterion/criterion.h>
#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static char text[64];

/* The highest descriptor of the process, which is the library's. */
static int highest(void)
{
    int most = -1;
    DIR *directory = opendir("/proc/self/fd");
    for (struct dirent *entry; (entry = readdir(directory));)
        most = atoi(entry->d_name) > most ? atoi(entry->d_name) : most;
    closedir(directory);
    return most;
}

Test(own_fd, is_high_and_read_from_the_beginning_each_time)
{
    uint32_t name = cup_own_fd_open("/proc/self/comm");
    cr_assert(name);
    cr_expect(highest() >= 900);
    size_t bytes = cup_own_fd_read(name, text, sizeof text);
    cr_expect(bytes > 0 && text[bytes - 1] == '\n');
    cr_expect_eq(cup_own_fd_read(name, text, sizeof text), bytes);
    cup_own_fd_close(name);
    cr_expect(highest() < 900);
    cr_expect_eq(cup_own_fd_read(name, text, sizeof text), 0);
}

Test(own_fd, a_file_that_is_not_there)
{
    cr_expect_eq(cup_own_fd_open("/nonexistent"), 0);
    cr_expect_eq(cup_own_fd_read(0, text, sizeof text), 0);
    cup_own_fd_close(0);
}

Test(own_fd, what_the_program_took_is_never_read_or_closed)
{
    uint32_t name = cup_own_fd_open("/proc/self/comm");
    int fd = highest(), file = open("/dev/null", O_RDWR);
    dup2(file, fd);
    cup_own_fd_lost((unsigned)fd, (unsigned)fd);
    cr_expect_eq(cup_own_fd_read(name, text, sizeof text), 0);
    cup_own_fd_close(name);
    cr_expect(fcntl(fd, F_GETFD) >= 0, "the program's descriptor was closed");
}

/* Another thread is in dup2(): the number is a pipe's by now, but no hook has said so yet. */
Test(own_fd, what_the_program_has_just_taken_is_not_closed)
{
    int ends[2];
    uint32_t name = cup_own_fd_open("/proc/self/comm");
    int fd = highest();
    cr_assert(pipe(ends) == 0 && syscall(SYS_dup2, ends[0], fd) == fd);
    cr_expect_eq(cup_own_fd_read(name, text, sizeof text), 0);
    cr_expect(fcntl(fd, F_GETFD) >= 0, "the program's descriptor was closed");
    cr_expect_eq(cup_own_fd_read(name, text, sizeof text), 0);
}

Test(own_fd, whoever_lost_an_entry_does_not_read_its_successor)
{
    uint32_t lost = cup_own_fd_open("/proc/self/comm");
    cup_own_fd_lost(0, ~0u);
    uint32_t next = cup_own_fd_open("/proc/self/stat");
    cr_expect_neq(lost, next);
    cr_expect_eq(cup_own_fd_read(lost, text, sizeof text), 0);
    cr_expect(cup_own_fd_read(next, text, sizeof text) > 0);
    cup_own_fd_close(lost);
    cr_expect(cup_own_fd_read(next, text, sizeof text) > 0);
}

Test(own_fd, there_is_an_end_to_them)
{
    uint32_t last = 0;
    int count = 0;
    for (; count < 1000 && (last = cup_own_fd_open("/dev/null")); count++)
        continue;
    cr_expect(count >= 50 && count < 100, "%d", count);
    cup_own_fd_forked();
    cr_expect(highest() < 900);
    cr_expect(cup_own_fd_open("/dev/null"));
}
