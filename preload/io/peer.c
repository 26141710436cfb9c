#include "preload/io/peer.h"

#include "preload/attribution/helper.h"
#include "preload/io/descriptor.h"
#include "preload/io/known_files.h"
#include "preload/lifecycle/thread.h"
#include "preload/log/log.h"
#include "preload/sys/spin.h"

#include <netinet/in.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

/* ---- addresses as text ------------------------------------------------------------------- */

/* Each of these functions returns the end of what it wrote. There is no printf(): a look-up may run
 * on the small stack of a crash handler. */
static char *put_text(char *at, const char *text)
{
    while (*text)
        *at++ = *text++;
    return at;
}

static char *put_number(char *at, unsigned number, unsigned base)
{
    if (number >= base)
        at = put_number(at, number / base, base);
    *at = "0123456789abcdef"[number % base];
    return at + 1;
}

static char *put_ipv4(char *at, const unsigned char *bytes)
{
    for (int i = 0; i < 4; i++) {
        at = i ? put_text(at, ".") : at;
        at = put_number(at, bytes[i], 10);
    }
    return at;
}

/* The index of the longest run of zero groups (the first, of equally long ones), which "::" stands
 * for; -1: there is none, since a single group is no run. As RFC 5952 says. */
static int find_zero_run(const unsigned *groups, int *run)
{
    int first = -1;
    *run = 1;
    for (int i = 0; i < 8; i++) {
        int end = i;
        while (end < 8 && !groups[end])
            end++;
        if (end - i > *run) {
            *run = end - i;
            first = i;
        }
    }
    return first;
}

static char *put_ipv6(char *at, const unsigned char *bytes)
{
    unsigned groups[8];
    for (int i = 0; i < 8; i++)
        groups[i] = (unsigned)bytes[2 * i] << 8 | bytes[2 * i + 1];
    int run, zeros = find_zero_run(groups, &run);
    at = put_text(at, "[");
    for (int i = 0; i < 8; i++) {
        if (i == zeros) {
            at = put_text(at, "::");
            i += run - 1;
            continue;
        }
        at = i && i != zeros + run ? put_text(at, ":") : at;
        at = put_number(at, groups[i], 16);
    }
    return put_text(at, "]");
}

static const char *choose_scheme(int type)
{
    switch (type) {
    case SOCK_STREAM:
        return "tcp://";
    case SOCK_DGRAM:
        return "udp://";
    default:
        return "ip://";
    }
}

/* An IPv4 peer of an IPv6 socket is written as an IPv4 address, as other sockets have it. */
static char *put_host(char *at, const struct sockaddr_in6 *address)
{
    const unsigned char *bytes = address->sin6_addr.s6_addr;
    return IN6_IS_ADDR_V4MAPPED(&address->sin6_addr) ? put_ipv4(at, bytes + 12)
                                                     : put_ipv6(at, bytes);
}

static char *put_port(char *at, in_port_t port)
{
    return put_number(put_text(at, ":"), ntohs(port), 10);
}

/* Abstract names begin with a NUL, which is written as "@", as ss and netstat do. */
static char *put_unix(char *at, const struct sockaddr_un *address, socklen_t bytes)
{
    size_t length = bytes > offsetof(struct sockaddr_un, sun_path)
                        ? bytes - offsetof(struct sockaddr_un, sun_path)
                        : 0;
    for (size_t i = 0; i < length && i < sizeof address->sun_path; i++) {
        if (i && !address->sun_path[i])
            break;
        *at++ = address->sun_path[i] ? address->sun_path[i] : '@';
    }
    return at;
}

void cup_peer_print(const struct sockaddr_storage *address, socklen_t bytes, int type,
                    char text[CUP_PEER_LONGEST])
{
    const struct sockaddr_in *ipv4 = (const void *)address;
    const struct sockaddr_in6 *ipv6 = (const void *)address;
    char *at = text;
    switch (address->ss_family) {
    case AF_UNIX:
        at = put_unix(put_text(at, "unix:"), (const void *)address, bytes);
        break;
    case AF_INET:
        at = put_text(at, choose_scheme(type));
        if (bytes)
            at = put_port(put_ipv4(at, (const void *)&ipv4->sin_addr), ipv4->sin_port);
        break;
    case AF_INET6:
        at = put_text(at, choose_scheme(type));
        if (bytes)
            at = put_port(put_host(at, ipv6), ipv6->sin6_port);
        break;
    default: /* netlink and others */
        at = put_number(put_text(at, "socket:"), address->ss_family, 10);
    }
    *at = '\0';
}

/* ---- both ends of a socket --------------------------------------------------------------- */

static int read_option(int fd, int name)
{
    int value = 0;
    socklen_t bytes = sizeof value;
    return syscall(SYS_getsockopt, fd, SOL_SOCKET, name, &value, &bytes) ? -1 : value;
}

bool cup_peer_is_stream(int fd)
{
    return read_option(fd, SO_TYPE) == SOCK_STREAM;
}

bool cup_peer_address(int fd, char text[CUP_PEER_LONGEST])
{
    struct sockaddr_storage address = {0};
    socklen_t bytes = sizeof address;
    int type = read_option(fd, SO_TYPE);
    if (syscall(SYS_getpeername, fd, &address, &bytes)) {
        if (type < 0 || type == SOCK_STREAM || type == SOCK_SEQPACKET)
            return false;
        address.ss_family = (sa_family_t)read_option(fd, SO_DOMAIN);
        bytes = 0;
    }
    cup_peer_print(&address, bytes, type, text);
    return true;
}

/* Writes the address of FD's own end. False: it cannot be read. */
static bool read_own_address(int fd, char text[CUP_PEER_LONGEST])
{
    struct sockaddr_storage address = {0};
    socklen_t bytes = sizeof address;
    if (syscall(SYS_getsockname, fd, &address, &bytes))
        return false;
    cup_peer_print(&address, bytes, read_option(fd, SO_TYPE), text);
    return true;
}

/* ---- Dask's own addresses ---------------------------------------------------------------- */

enum { DASK_ADDRESSES = 64 };

/* Addresses are only added, under the log's lock: those up to COUNT can be read without it. */
struct addresses {
    char names[DASK_ADDRESSES][CUP_PEER_LONGEST];
    uint32_t count;
};
static struct addresses known, listening;

/* Dask writes tls:// where a socket's own address has tcp://. */
static const char *skip_scheme(const char *address)
{
    const char *at = strstr(address, "://");
    return at ? at + 3 : address;
}

/* True: NAME was not among ADDRESSES, and now is. */
static bool add_address(struct addresses *addresses, const char *name)
{
    size_t bytes = strlen(name);
    if (!bytes || bytes >= sizeof addresses->names[0])
        return false;
    cup_log_lock();
    uint32_t at = 0;
    while (at < addresses->count && strcmp(addresses->names[at], name))
        at++;
    bool is_new = at == addresses->count && at < DASK_ADDRESSES;
    if (is_new) {
        memcpy(addresses->names[at], name, bytes + 1);
        __atomic_store_n(&addresses->count, at + 1, __ATOMIC_RELEASE);
    }
    cup_log_unlock();
    return is_new;
}

static bool has_address(const struct addresses *addresses, const char *name)
{
    uint32_t count = __atomic_load_n(&addresses->count, __ATOMIC_ACQUIRE);
    for (uint32_t i = 0; i < count; i++)
        if (strcmp(addresses->names[i], name) == 0)
            return true;
    return false;
}

void cup_dask_address_add(const char *address)
{
    add_address(&known, skip_scheme(address));
}

bool cup_dask_address_is_known(const char *address)
{
    return has_address(&known, skip_scheme(address));
}

static void note_listening(int fd)
{
    static const char tcp[] = "tcp://";
    char address[CUP_PEER_LONGEST];
    if (read_own_address(fd, address) && strncmp(address, tcp, sizeof tcp - 1) == 0 &&
        !has_address(&listening, address) && add_address(&listening, address))
        cup_log_info(CUP_INFO_LISTENS, address);
}

void cup_peer_accepted(int fd)
{
    if (fd < 0 || !cup_active() || cup_self.guard || !cup_helper_is_dask())
        return;
    int saved = cup_enter();
    note_listening(fd);
    cup_leave(saved);
}

/* ---- the peer of a descriptor ------------------------------------------------------------ */

static uint32_t peer_lock; /* one look-up at a time */

static enum cup_peer_state classify_peer(const char *peer, const char *own)
{
    static const char unnamed[] = "unix:", tcp[] = "tcp://";
    if (cup_dask_address_is_known(peer) || cup_dask_address_is_known(own))
        return CUP_PEER_DASK;
    if (strncmp(peer, tcp, sizeof tcp - 1) == 0)
        return CUP_PEER_TCP;
    return strcmp(peer, unnamed) || strcmp(own, unnamed) ? CUP_PEER_KNOWN : CUP_PEER_PAIR;
}

void cup_peer_look_up(struct cup_descriptor *socket, int fd)
{
    if (socket->peer)
        return;
    char address[CUP_PEER_LONGEST], own[CUP_PEER_LONGEST];
    cup_spin_lock(&peer_lock);
    if (!socket->peer && cup_peer_address(fd, address) && read_own_address(fd, own)) {
        enum cup_peer_state state = classify_peer(address, own);
        socket->file = state == CUP_PEER_DASK ? 0 : cup_known_peer(address);
        socket->opened = fd < CUP_DESCRIPTORS; /* others are looked up anew at every call */
        __atomic_store_n(&socket->peer, state, __ATOMIC_RELEASE);
    }
    cup_spin_unlock(&peer_lock);
}

void cup_peer_reset(void)
{
    cup_spin_unlock(&peer_lock); /* a thread of the parent may have held it during the fork */
    known.count = listening.count = 0;
}
