#include "preload/io/dask_addresses.h"

#include "preload/io/peer.h"
#include "preload/log/log.h"

#include <string.h>

enum { DASK_ADDRESSES = 64 };

/* Addresses are only added, under the log's lock: those up to COUNT can be read without it. */
static struct {
    char names[DASK_ADDRESSES][CUP_PEER_LONGEST];
    uint32_t count;
} known;

/* Dask writes tls:// where a socket's own address has tcp://. */
static const char *skip_scheme(const char *address)
{
    const char *at = strstr(address, "://");
    return at ? at + 3 : address;
}

void cup_dask_address_add(const char *address)
{
    const char *name = skip_scheme(address);
    size_t bytes = strlen(name);
    if (!bytes || bytes >= sizeof known.names[0])
        return;
    cup_log_lock();
    uint32_t at = 0;
    while (at < known.count && strcmp(known.names[at], name))
        at++;
    if (at == known.count && at < DASK_ADDRESSES) {
        memcpy(known.names[at], name, bytes + 1);
        __atomic_store_n(&known.count, at + 1, __ATOMIC_RELEASE);
    }
    cup_log_unlock();
}

bool cup_dask_address_is_known(const char *address)
{
    const char *name = skip_scheme(address);
    uint32_t count = __atomic_load_n(&known.count, __ATOMIC_ACQUIRE);
    for (uint32_t i = 0; i < count; i++)
        if (strcmp(known.names[i], name) == 0)
            return true;
    return false;
}

void cup_dask_address_reset(void)
{
    known.count = 0;
}
