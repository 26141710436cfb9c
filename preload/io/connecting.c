#include "preload/io/connecting.h"

#include "preload/attribution/helper.h"
#include "preload/io/descriptor.h"
#include "preload/io/known_files.h"
#include "preload/io/opening.h"
#include "preload/io/peer.h"
#include "preload/lifecycle/thread.h"
#include "preload/log/log.h"
#include "preload/sys/raw.h"
#include "preload/sys/spin.h"
#include "preload/waits/helper_wait.h"

#include <errno.h>
#include <string.h>

/* A connection that is not established yet. There are few at a time, so they are searched one by
 * one. */
struct connecting {
    uint64_t start; /* ticks; 0: the entry is free */
    int fd;
    uint32_t task;               /* that connects; 0: not known */
    uint32_t waiting;            /* the same, if it was the only one that ran, too */
    struct cup_task_clock since; /* of that task, at the start */
    char address[CUP_PEER_LONGEST];
};

enum { MOST = 256 };
static struct connecting table[MOST];
static uint32_t lock;
uint32_t cup_connecting_count;

void cup_connecting_reset(void)
{
    cup_spin_unlock(&lock); /* a thread of the parent may have held it during the fork */
    cup_raw_clear(table, sizeof table);
    cup_connecting_count = 0;
}

static struct connecting *find_connection(int fd)
{
    for (int i = 0; cup_connecting_count && i < MOST; i++)
        if (table[i].start && table[i].fd == fd)
            return &table[i];
    return NULL;
}

static struct connecting *find_free_entry(void)
{
    for (int i = 0; i < MOST; i++)
        if (!table[i].start)
            return &table[i];
    return NULL;
}

static void add_connection(const struct connecting *one)
{
    cup_spin_lock(&lock);
    struct connecting *known = find_connection(one->fd), *entry = known ? known : find_free_entry();
    if (entry)
        *entry = *one;
    if (entry && !known)
        cup_connecting_count++;
    cup_spin_unlock(&lock);
    if (!entry)
        cup_log_health(CUP_H_OPENS_DROPPED, 1);
}

static bool take_connection(int fd, struct connecting *taken)
{
    cup_spin_lock(&lock);
    struct connecting *entry = find_connection(fd);
    if (entry) {
        *taken = *entry;
        entry->start = 0;
        cup_connecting_count--;
    }
    cup_spin_unlock(&lock);
    return entry != NULL;
}

static bool is_known(int fd)
{
    if (!cup_connecting_count)
        return false;
    cup_spin_lock(&lock);
    bool known = find_connection(fd) != NULL;
    cup_spin_unlock(&lock);
    return known;
}

static void write_record(const struct connecting *one, int error)
{
    uint64_t stop = cup_ticks();
    uint32_t file = error ? 0 : cup_known_peer(one->address);
    const struct cup_opened opened = {.kind = CUP_OPEN_CONNECT,
                                      .task = one->task,
                                      .file = file,
                                      .error = (uint32_t)error,
                                      .start = one->start,
                                      .stop = stop,
                                      .path = one->address};
    cup_opening_record(&opened, NULL);
}

/* The connection is established, or failed: until now its task waited for the server, as far as its
 * own thread was blocked. */
static void count_wait(struct connecting *one)
{
    cup_helper_wait_served(one->waiting, &one->since, cup_ticks(), 0);
}

/* ---- begin ------------------------------------------------------------------------------- */

/* Only TCP connections are timed: others are established at once. Those of XRootD's client are part
 * of its opens. cup_peer_is_stream() comes before the address is read: if FD is no socket, the
 * kernel may refuse the call without reading the address, so that it may be unreadable. */
static bool is_counted(int fd, const struct sockaddr *address, socklen_t bytes)
{
    return address && bytes >= sizeof address->sa_family && cup_peer_is_stream(fd) &&
           (address->sa_family == AF_INET || address->sa_family == AF_INET6) && !cup_wire_is(fd);
}

/* Sets task and address of ONE. False: the connection is Dask's own, or has no owner. */
static bool describe_connection(struct connecting *one, const struct sockaddr *address,
                                socklen_t bytes)
{
    struct sockaddr_storage whole = {0};
    struct cup_owner owner = cup_attribution(NULL);
    if (!owner.block || (owner.method == CUP_METHOD_NONE && cup_helper_is_dask()))
        return false;
    bytes = bytes < sizeof whole ? bytes : sizeof whole;
    memcpy(&whole, address, bytes);
    cup_peer_print(&whole, bytes, SOCK_STREAM, one->address);
    one->task = owner.method == CUP_METHOD_SOLE ? 0 : owner.block->task;
    one->waiting = owner.block->task;
    one->since = cup_helper_wait_clock(one->waiting, cup_ticks());
    return !cup_dask_address_is_known(one->address);
}

static bool is_under_way(int error)
{
    return error == EINPROGRESS || error == EINTR || error == EALREADY;
}

static void begin_connection(int fd, const struct sockaddr *address, socklen_t bytes,
                             uint64_t start, int error)
{
    struct connecting one = {.start = start, .fd = fd};
    if (error == EISCONN || !is_counted(fd, address, bytes) ||
        !describe_connection(&one, address, bytes))
        return;
    if (is_under_way(error))
        add_connection(&one);
    else
        write_record(&one, error);
}

/* ---- end --------------------------------------------------------------------------------- */

/* The program learned FD's ERROR. It is 0 while the connection is being established, and also when
 * it is established. Only then does the socket have a peer, so the peer is looked up to tell which.
 */
static void end_connection(int fd, int error)
{
    struct connecting one;
    char address[CUP_PEER_LONGEST];
    if ((!error && !cup_peer_address(fd, address)) || !take_connection(fd, &one))
        return;
    count_wait(&one);
    write_record(&one, error);
}

/* Some programs call connect() again to learn whether the connection is established by now. */
static void end_by_connect(int fd, int error)
{
    if (!is_under_way(error))
        end_connection(fd, error == EISCONN ? 0 : error);
}

static bool is_recording(void)
{
    return cup_active() && !cup_self.guard;
}

void cup_connecting(int fd, const struct sockaddr *address, socklen_t bytes, uint64_t start,
                    int result)
{
    int saved = errno, error = result ? saved : 0;
    if (!is_recording() || error == EFAULT || error == EINVAL || error == EBADF)
        return;
    cup_guard();
    if (is_known(fd))
        end_by_connect(fd, error);
    else
        begin_connection(fd, address, bytes, start, error);
    cup_leave(saved);
}

void cup_connecting_noticed_slowly(int fd, int error)
{
    if (!is_recording())
        return;
    int saved = cup_enter();
    if (is_known(fd))
        end_connection(fd, error);
    cup_leave(saved);
}

/* The connection was made, although the program never asked for its outcome. */
static bool has_peer(int fd)
{
    struct sockaddr_storage address;
    socklen_t bytes = sizeof address;
    return syscall(SYS_getpeername, fd, &address, &bytes) == 0;
}

static void close_connection(int fd)
{
    struct connecting one;
    if (take_connection(fd, &one) && !has_peer(fd)) {
        count_wait(&one);
        write_record(&one, ECANCELED);
    }
}

/* A descriptor from FIRST to LAST whose connection is not established yet; -1: there is none. */
static int find_in_range(unsigned first, unsigned last)
{
    int found = -1;
    cup_spin_lock(&lock);
    for (int i = 0; i < MOST && found < 0; i++)
        if (table[i].start && (unsigned)table[i].fd >= first && (unsigned)table[i].fd <= last)
            found = table[i].fd;
    cup_spin_unlock(&lock);
    return found;
}

void cup_connecting_closed_range_slowly(unsigned first, unsigned last)
{
    int fd;
    if (!is_recording())
        return;
    int saved = cup_enter();
    while ((fd = find_in_range(first, last)) >= 0)
        close_connection(fd);
    cup_leave(saved);
}

void cup_connecting_closed_slowly(int fd)
{
    if (!is_recording())
        return;
    int saved = cup_enter();
    close_connection(fd);
    cup_leave(saved);
}
