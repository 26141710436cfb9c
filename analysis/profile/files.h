/* What all tasks together did with each file: the sums of its prefixes. */
#pragma once

#include "analysis/profile/profile.h"

/* The sum over all prefixes; its `prefix` and `next` are undefined. */
struct cup_file_sum cup_file_total(const struct cup_profile *profile, uint32_t file);

/* Indexes of *count files of a class, sorted by bytes read, most first. Class 0: all classes but
 * peers of sockets. Peers are sorted by bytes received and sent; Dask's servers are left out. The
 * caller frees the array; NULL without memory. */
uint32_t *cup_files_by_bytes(const struct cup_profile *profile, uint32_t class, size_t *count);

/* True if ADDRESS, a string, is that of a Dask server or its dashboard, and so of no storage. */
bool cup_is_dask_address(const struct cup_profile *profile, uint32_t address);

/* The class of a regular file, a DATA file by its log, as the library classes it today: logs of
 * older libraries have templates of packages and logs of the job as DATA. */
uint32_t cup_file_class_by_name(uint32_t class, struct cup_text path);

/* True for a pair of sockets within one host, which have no name: no server. */
bool cup_is_nameless_socket(struct cup_text peer);

/* True for the address of a peer of sockets ("tcp://10.0.0.1:443", "unix:/run/x"), as opposed to a
 * server that a URL names. */
bool cup_is_peer_address(struct cup_text name);

/* "data", "import", "spill", ... */
const char *cup_file_class_name(uint32_t class);

/* Names of enum cup_file_counter. */
extern const char *const cup_file_counter_names[CUP_FILE_COUNTER_COUNT];
