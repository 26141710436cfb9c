#include "preload/io/connecting.h"

#include "preload/attribution/helper.h"
#include "preload/io/dask_addresses.h"
#include "preload/io/known_files.h"
#include "preload/io/opening.h"
#include "preload/io/peer.h"
#include "preload/io/wires.h"
#include "preload/lifecycle/thread.h"
#include "preload/log/log.h"
#include "preload/sys/spin.h"

#include <errno.h>
#include <string.h>

/* One that does not stand yet. Few do not at a time. */
struct connecting {
    uint64_t start; /* ticks; 0: free */
    int fd;
    uint32_t task; /* who asked for it; 0: not known */
    char address[CUP_PEER_LONGEST];
};

enum { MOST = 256 };
static struct connecting table[MOST];
static uint32_t lock;
uint32_t cup_connecting_count;

void cup_connecting_reset(void)
{
    cup_spin_unlock(&lock); /* forked while another thread looked: it is not here to unlock */
    for (int i = 0; i < MOST; i++)
        table[i].start = 0;
    cup_connecting_count = 0;
}

static struct connecting *find(int fd)
{
    for (int i = 0; cup_connecting_count && i < MOST; i++)
        if (table[i].start && table[i].fd == fd)
            return &table[i];
    return NULL;
}

static struct connecting *find_free(void)
{
    for (int i = 0; i < MOST; i++)
        if (!table[i].start)
            return &table[i];
    return NULL;
}

static void add(const struct connecting *one)
{
    cup_spin_lock(&lock);
    struct connecting *known = find(one->fd), *entry = known ? known : find_free();
    if (entry)
        *entry = *one;
    if (entry && !known)
        cup_connecting_count++;
    cup_spin_unlock(&lock);
    if (!entry)
        cup_log_health(CUP_H_OPENS_DROPPED, 1);
}

static bool take(int fd, struct connecting *taken)
{
    cup_spin_lock(&lock);
    struct connecting *entry = find(fd);
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
    bool known = find(fd) != NULL;
    cup_spin_unlock(&lock);
    return known;
}

static void record(const struct connecting *one, int error)
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

/* ---- who connects, and where to ------------------------------------------------------------ */

/* Over TCP: to others there is nothing to wait for. What XRootD's client connects is part of its
 * opens. Of what is no socket not every kernel has read the address, so that we may. */
static bool is_counted(int fd, const struct sockaddr *address, socklen_t bytes)
{
    return address && bytes >= sizeof address->sa_family && cup_peer_is_stream(fd) &&
           (address->sa_family == AF_INET || address->sa_family == AF_INET6) && !cup_wire_is(fd);
}

/* False: Dask's own, or nobody can say whose. */
static bool describe(struct connecting *one, const struct sockaddr *address, socklen_t bytes)
{
    struct sockaddr_storage whole = {0};
    struct cup_owner owner = cup_attribution(NULL);
    if (!owner.block || (owner.method == CUP_METHOD_NONE && cup_helper_is_dask()))
        return false;
    bytes = bytes < sizeof whole ? bytes : sizeof whole;
    memcpy(&whole, address, bytes);
    cup_peer_print(&whole, bytes, SOCK_STREAM, one->address);
    one->task = owner.method == CUP_METHOD_SOLE ? 0 : owner.block->task;
    return !cup_dask_address_is_known(one->address);
}

static bool goes_on(int error)
{
    return error == EINPROGRESS || error == EINTR || error == EALREADY;
}

static void begin(int fd, const struct sockaddr *address, socklen_t bytes, uint64_t start,
                  int error)
{
    struct connecting one = {.start = start, .fd = fd};
    if (error == EISCONN || !is_counted(fd, address, bytes) || !describe(&one, address, bytes))
        return;
    if (goes_on(error))
        add(&one);
    else
        record(&one, error);
}

/* ---- how it ends --------------------------------------------------------------------------- */

/* Whoever asks too early is told that there is no error. */
static void tell(int fd, int error)
{
    struct connecting one;
    char address[CUP_PEER_LONGEST];
    if ((error || cup_peer_address(fd, address)) && take(fd, &one))
        record(&one, error);
}

/* Some ask by another connect() whether the connection stands by now. */
static void ask_again(int fd, int error)
{
    if (!goes_on(error))
        tell(fd, error == EISCONN ? 0 : error);
}

static bool watches(void)
{
    return cup_active() && !cup_self.guard;
}

void cup_connecting(int fd, const struct sockaddr *address, socklen_t bytes, uint64_t start,
                    int result)
{
    int saved = errno, error = result ? saved : 0;
    if (!watches() || error == EFAULT || error == EINVAL || error == EBADF)
        return;
    cup_guard();
    if (is_known(fd))
        ask_again(fd, error);
    else
        begin(fd, address, bytes, start, error);
    cup_unguard();
    errno = saved;
}

void cup_connecting_noticed_slowly(int fd, int error)
{
    if (!watches())
        return;
    int saved = errno;
    cup_guard();
    if (is_known(fd))
        tell(fd, error);
    cup_unguard();
    errno = saved;
}

void cup_connecting_closed_slowly(int fd)
{
    struct connecting one;
    if (!watches())
        return;
    int saved = errno;
    cup_guard();
    if (take(fd, &one))
        record(&one, ECANCELED);
    cup_unguard();
    errno = saved;
}
