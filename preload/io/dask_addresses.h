/* Addresses of Dask's own servers: the scheduler and the workers. */
#ifndef CUPPING_PRELOAD_IO_DASK_ADDRESSES_H
#define CUPPING_PRELOAD_IO_DASK_ADDRESSES_H

#include <stdbool.h>

/* From now on connections with ADDRESS ("tcp://10.0.0.1:8786") at either end are Dask's own. Takes
 * the log's lock. */
void cup_dask_address_add(const char *address);

/* True if ADDRESS was added before, with any scheme. Any thread; takes no lock. */
bool cup_dask_address_is_known(const char *address);

/* Removes all addresses. Called in a forked child, and when a log is opened. */
void cup_dask_address_reset(void);

#endif
