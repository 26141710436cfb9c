/* Files and peers by their number in the log: each has a FILE record, written when it is first
 * seen. All functions: any thread, guard held; they take the log's lock. */
#pragma once

#include <stdint.h>
#include <sys/stat.h>

/* The file of CLASS (enum cup_file_class) at PATH, with that STATUS; 0: too many files. */
uint32_t cup_known_file(const struct stat *status, const char *path, uint32_t class);

/* A remote data file, which is read without a descriptor; 0: too many files. */
uint32_t cup_known_url(const char *url);

/* The peer with that ADDRESS, as peer.h prints it; 0: too many peers. */
uint32_t cup_known_peer(const char *address);

/* Removes all numbers, because each is valid in one log only. Called in a forked child, and when a
 * log is opened. */
void cup_known_files_reset(void);
