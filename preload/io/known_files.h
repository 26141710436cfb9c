/* Files and peers by their number in the log: each has a FILE record, written when it is first
 * seen. All functions: any thread, guard held; they take the log's lock. */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

/* The file of CLASS (enum cup_file_class) at PATH, with that STATUS. After some thousand files, all
 * further ones at one place have the same number; 0: too many places. */
uint32_t cup_known_file(const struct stat *status, const char *path, uint32_t class);

/* A remote data file, which is read without a descriptor; as cup_known_file(). */
uint32_t cup_known_url(const char *url);

/* The peer with that ADDRESS, as peer.h prints it; 0: too many peers. */
uint32_t cup_known_peer(const char *address);

/* Where PATH is: its first directory or its server, with the slash where that belongs to the path:
 * "/eos/", "root://host:1094". Returns the bytes of PATH that say so; 0: it is a relative path. */
size_t cup_place_length(const char *path);

/* That part as a string of the log; "./" of a relative path; 0: PATH is NULL. */
uint32_t cup_place_of(const char *path);

/* The place of a file or peer, by its number; 0: not known. */
uint32_t cup_known_place(uint32_t file);

/* Removes all numbers, because each is valid in one log only. Called in a forked child, and when a
 * log is opened. */
void cup_known_files_reset(void);
