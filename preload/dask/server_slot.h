/* Where what is known of a server of Dask lies: each module that keeps something of every living
 * server has a table of CUP_SERVERS entries. */
#pragma once

#include <stdint.h>

enum { CUP_SERVERS = 64 }; /* that may live at the same time in one process */

/* The index in those tables of the server whose SERVER record has this id (not 0). No two servers
 * that live at the same time have the same. */
static inline uint32_t cup_server_slot(uint32_t id)
{
    return (id - 1) % CUP_SERVERS;
}
