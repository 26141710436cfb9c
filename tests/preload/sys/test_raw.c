/* Memory that may not be mapped, with and without a seccomp filter; descriptors. */
#include "preload/sys/raw.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>

static const uint64_t words[] = {0x7ace5a17, 4711};

static void expect_memory_to_be_read(void)
{
    uint64_t first = 0, second = 0;
    struct iovec to[] = {{&first, 8}, {&second, 8}};
    struct iovec from[] = {cup_remote_at((uintptr_t)&words[0], 8),
                           cup_remote_at((uintptr_t)&words[1], 8)};
    cr_expect(cup_memory_read(words, &first, sizeof first) && first == words[0]);
    cr_expect_not(cup_memory_read(NULL, &first, sizeof first));
    cr_expect_eq(cup_memory_word(words, 8), (void *)4711);
    first = 0;
    cr_expect(cup_remote_read(to, from, 2) && first == words[0] && second == words[1]);
    from[1] = cup_remote_at(16, 8);
    cr_expect_not(cup_remote_read(to, from, 2));
    cr_expect_eq(cup_remote_word((uintptr_t)&words[1]), 4711);
}

static bool is_open(int fd)
{
    return fcntl(fd, F_GETFD) >= 0;
}

static void expect_descriptors_to_be_closed(void)
{
    int low = dup2(0, 200), first = dup2(0, 201), high = dup2(0, 300);
    errno = 4711;
    cup_raw_close_from((unsigned)first);
    cr_expect_eq(errno, 4711);
    cr_expect(is_open(low));
    cr_expect_not(is_open(first));
    cr_expect_not(is_open(high));
    close(low);
}

static void install_filter_of(int call, uint32_t action)
{
    struct sock_filter code[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)call, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, action),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    const struct sock_fprog program = {sizeof code / sizeof *code, code};
    cr_assert(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0);
    if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0)
        cr_skip("this kernel has no seccomp filters");
}

/* Ends the process for process_vm_readv, as filters do that forbid debuggers. */
static void install_filter(void)
{
    install_filter_of(SYS_process_vm_readv, SECCOMP_RET_KILL_PROCESS);
}

Test(raw, descriptors_from_one_on_are_closed)
{
    expect_descriptors_to_be_closed();
}

/* As on Linux before 5.9, which has no close_range(). */
Test(raw, descriptors_from_one_on_are_closed_one_by_one)
{
    install_filter_of(436, SECCOMP_RET_ERRNO | ENOSYS);
    expect_descriptors_to_be_closed();
}

Test(raw, memory_is_read)
{
    cup_remote_process = cup_raw_getpid();
    cup_filter_look();
    expect_memory_to_be_read();
}

Test(raw, memory_is_read_below_a_filter_that_kills_for_process_vm_readv)
{
    cup_remote_process = cup_raw_getpid();
    install_filter();
    cup_filter_look();
    expect_memory_to_be_read();
}

Test(raw, memory_is_read_below_a_filter_that_the_program_installs_later)
{
    cup_remote_process = cup_raw_getpid();
    cup_filter_look();
    cup_filter_comes();
    install_filter();
    expect_memory_to_be_read();
}
