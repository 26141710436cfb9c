/* Children of a task: whatever they do, the parent's counters and what is known of its
 * descriptors stay. */
#include "tests/trace/trace.h"

#include <spawn.h>
#include <stdlib.h>
#include <sys/wait.h>

static char buffer[8192];
extern char **environ;

/* A pipe and a file that the library knows, and reads of both. */
struct known {
    int file, pipe[2];
};

static void use(struct trace *trace, const struct known *known)
{
    expect_read(trace, SAY(trace, read(known->file, buffer, 100)));
    say_bytes(trace, buffer, 100);
    if (write(known->pipe[1], "12345", 5) == 5)
        trace->pipe_bytes += SAY(trace, read(known->pipe[0], buffer, 5));
}

static struct known begin(struct trace *trace)
{
    struct known known;
    known.file = quiet_open(trace->file, O_RDONLY);
    if (pipe(known.pipe))
        abort();
    use(trace, &known);
    return known;
}

static void end(struct trace *trace, struct known *known)
{
    use(trace, known);
    close(known->file);
    close(known->pipe[0]);
    close(known->pipe[1]);
}

static void say_child(struct trace *trace, pid_t pid)
{
    int status = -1;
    pid_t ended = waitpid(pid, &status, 0);
    say(trace, "child %d status %x\n", ended == pid, status);
}

void fork_child_reads(struct trace *trace)
{
    struct known known = begin(trace);
    pid_t pid = fork();
    if (pid == 0) {
        lseek(known.file, 4000, SEEK_SET);
        ssize_t bytes = read(known.file, buffer, 1000);
        free(malloc(50 << 20));
        close(known.pipe[0]);
        dup2(known.file, known.pipe[1]);
        lseek(known.file, 100, SEEK_SET); /* the position is shared */
        _exit(bytes == 1000 ? 3 : 4);
    }
    say_child(trace, pid);
    end(trace, &known);
}

/* A child made past libc: no fork handler ran in it. */
void raw_fork_child_reads(struct trace *trace)
{
    struct known known = begin(trace);
    pid_t pid = (pid_t)syscall(SYS_fork);
    if (pid == 0) {
        ssize_t bytes = pread(known.file, buffer, 5000, 0);
        close(known.file);
        syscall(SYS_exit_group, bytes == 5000 ? 3 : 4);
    }
    say_child(trace, pid);
    end(trace, &known);
}

/* What CPython's subprocess does between vfork and exec, in the parent's own memory. */
static pid_t vfork_and(const struct known *known, const char *path)
{
    pid_t pid = vfork();
    if (pid == 0) {
        char *const arguments[] = {(char *)"program", NULL};
        dup2(known->file, 50);
        dup2(known->file, known->pipe[0]);
        close(known->pipe[1]);
        close_range(40, 60, 0);
        close(known->file);
        while (open("/dev/null", O_RDONLY) < known->file) /* until its number is another file's */
            continue;
        execve(path, arguments, environ);
        _exit(9);
    }
    return pid;
}

void vfork_child_closes_and_execs(struct trace *trace)
{
    struct known known = begin(trace);
    say_child(trace, vfork_and(&known, "/bin/true"));
    end(trace, &known);
}

void vfork_child_exits(struct trace *trace)
{
    struct known known = begin(trace);
    say_child(trace, vfork_and(&known, "/nonexistent/program"));
    end(trace, &known);
}

void posix_spawn_with_actions(struct trace *trace)
{
    struct known known = begin(trace);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, known.file, 0);
    posix_spawn_file_actions_adddup2(&actions, known.file, known.pipe[0]);
    posix_spawn_file_actions_addclose(&actions, known.file);
    char *const arguments[] = {(char *)"true", NULL};
    pid_t pid = -1;
    say(trace, "spawned %d\n", posix_spawn(&pid, "/bin/true", &actions, NULL, arguments, environ));
    say_child(trace, pid);
    say(trace, "spawned %d\n",
        posix_spawn(&pid, "/nonexistent/program", &actions, NULL, arguments, environ));
    posix_spawn_file_actions_destroy(&actions);
    end(trace, &known);
}

void system_and_popen(struct trace *trace)
{
    struct known known = begin(trace);
    SAY(trace, system("exit 3"));
    FILE *stream = popen("echo 1234567", "r");
    SAY_POINTER(trace, fgets(buffer, 100, stream));
    trace->pipe_bytes += 8;
    trace->stdio_read_bytes += 8;
    SAY(trace, pclose(stream));
    end(trace, &known);
}

/* A number closed inside libc, and given to a file by libc as well. */
void number_reused_after_pclose(struct trace *trace)
{
    FILE *stream = popen("echo 1234567", "r");
    int number = fileno(stream);
    SAY_POINTER(trace, fgets(buffer, 100, stream));
    trace->pipe_bytes += 8;
    trace->stdio_read_bytes += 8;
    pclose(stream);
    char path[4096];
    snprintf(path, sizeof path, "%s/reused-XXXXXX", trace->scratch);
    int fd = mkstemp(path);
    say(trace, "reused %d\n", fd == number);
    expect_write(trace, SAY(trace, write(fd, buffer, 100)));
    close(fd);
}

/* One number, many files, opened and closed in turn. */
void number_reused_often(struct trace *trace)
{
    for (int i = 0; i < 200; i++) {
        int fd = i % 2 ? open(trace->file, O_RDONLY) : open("/proc/self/status", O_RDONLY);
        ssize_t bytes = read(fd, buffer, 200);
        if (i % 2) {
            expect_read(trace, bytes);
            trace->open_calls++;
        } else {
            trace->other_read_bytes += bytes;
        }
        close(fd);
    }
}
