#include "preload/io/socket_peer.h"

#include "preload/io/dask_addresses.h"
#include "preload/io/known_files.h"
#include "preload/io/peer.h"
#include "preload/sys/spin.h"

#include <string.h>

static uint32_t peer_lock; /* one look-up at a time */

void cup_socket_peer_reset(void)
{
    cup_spin_unlock(&peer_lock); /* a thread of the parent may have held it during the fork */
}

static enum cup_peer_state classify_peer(const char *peer, const char *own)
{
    static const char unnamed[] = "unix:";
    if (cup_dask_address_is_known(peer) || cup_dask_address_is_known(own))
        return CUP_PEER_DASK;
    return strcmp(peer, unnamed) || strcmp(own, unnamed) ? CUP_PEER_KNOWN : CUP_PEER_PAIR;
}

void cup_socket_look_up_peer(struct cup_descriptor *socket, int fd)
{
    if (socket->peer)
        return;
    char address[CUP_PEER_LONGEST], own[CUP_PEER_LONGEST];
    cup_spin_lock(&peer_lock);
    if (!socket->peer && cup_peer_address(fd, address) && cup_peer_own(fd, own)) {
        enum cup_peer_state state = classify_peer(address, own);
        socket->file = state == CUP_PEER_DASK ? 0 : cup_known_peer(address);
        socket->opened = fd < CUP_DESCRIPTORS; /* others are looked up anew at every call */
        __atomic_store_n(&socket->peer, state, __ATOMIC_RELEASE);
    }
    cup_spin_unlock(&peer_lock);
}
