/* Addresses of Dask's own servers: the scheduler and the workers. */
#ifndef CUPPING_PRELOAD_IO_DASK_ADDRESSES_H
#define CUPPING_PRELOAD_IO_DASK_ADDRESSES_H

#include <stdbool.h>

/* From now on connections with ADDRESS ("tcp://10.0.0.1:8786") at either end are Dask's own. Takes
 * the log's lock. */
void cup_dask_address_add(const char *address);

/* ADDRESS is one of them. Any thread. */
bool cup_dask_address_is_known(const char *address);

/* In a forked child, and when a log is opened: none is known. */
void cup_dask_address_reset(void);

#endif
