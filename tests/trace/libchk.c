/* cflags: -D_FORTIFY_SOURCE=2 -O2 */
/* The calls that a fortified program makes without knowing: sizes that are known only at run time
 * lead to __read_chk and its like. test_trace.c checks that they are really among the imports. */
#include "tests/trace/trace.h"

#include <stdlib.h>
#include <sys/socket.h>

static char buffer[4096];
static volatile size_t some = 100; /* unknown to the compiler */
static volatile int read_only = O_RDONLY;

void fortified_reads(struct trace *trace)
{
    int fd = open(trace->file, read_only);
    trace->open_calls++;
    expect_read(trace, SAY(trace, read(fd, buffer, some)));
    expect_read(trace, SAY(trace, pread(fd, buffer, some, 5000)));
    expect_read(trace, SAY(trace, pread64(fd, buffer, some, 5000)));
    say_bytes(trace, buffer, some);
    close(fd);
}

void fortified_opens(struct trace *trace)
{
    int fds[] = {open(trace->file, read_only), open64(trace->file, read_only),
                 openat(AT_FDCWD, trace->file, read_only),
                 openat64(AT_FDCWD, trace->file, read_only)};
    for (int i = 0; i < 4; i++) {
        expect_read(trace, SAY(trace, read(fds[i], buffer, some)));
        trace->open_calls++;
        close(fds[i]);
    }
}

void fortified_streams(struct trace *trace)
{
    FILE *stream = fopen(trace->file, "r");
    trace->open_calls++;
    expect_get(trace, SAY(trace, fread(buffer, 1, some, stream)));
    expect_get(trace, SAY(trace, fread_unlocked(buffer, 1, some, stream)));
    SAY_POINTER(trace, fgets(buffer, (int)some, stream));
    expect_get(trace, (long)strlen(buffer));
    SAY_POINTER(trace, fgets_unlocked(buffer, (int)some, stream));
    expect_get(trace, (long)strlen(buffer));
    fclose(stream);
    snprintf(buffer, sizeof buffer, "%s/printed", trace->scratch);
    stream = fopen(buffer, "w");
    trace->open_calls++;
    expect_write(trace, SAY(trace, fprintf(stream, "%d of %s\n", (int)some, "it")));
    fclose(stream);
}

void fortified_sockets(struct trace *trace)
{
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends))
        return;
    expect_send(trace, SAY(trace, send(ends[0], buffer, 2 * some, 0)));
    expect_receive(trace, SAY(trace, recv(ends[1], buffer, some, 0)));
    expect_receive(trace, SAY(trace, recvfrom(ends[1], buffer, some, 0, NULL, NULL)));
    close(ends[0]);
    close(ends[1]);
}
