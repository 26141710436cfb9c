/* Policy of reads through XRootD's own client: which file an object of its reads, and which library
 * it is. Knows no C++ and no wrapper; hook_xrootd.c does. See docs/contributing/attribution.md. */
#ifndef CUPPING_PRELOAD_XROOTD_XROOTD_H
#define CUPPING_PRELOAD_XROOTD_XROOTD_H

#include "preload/io/transfer.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* OBJECT, a file of the client's, is opened at URL (BYTES of text, no NUL needed). What of it is a
 * secret (user, password, all behind "?") is not kept. Keeps errno. */
void cup_xrootd_opened(const void *object, const char *url, size_t bytes);

/* Of URL, which need not end in a NUL, what is no secret: "root://user:pass@host//path?authz=..."
 * is "root://host//path". TO may be URL. Returns its length; 0 if there is not so much
 * ROOM. */
size_t cup_xrootd_url(char *to, size_t room, const char *url, size_t bytes);

/* The file that OBJECT reads: one without a number if its opening was not seen; NULL if it is
 * local, for then its bytes pass by descriptors. Keeps errno. */
struct cup_descriptor *cup_xrootd_file(const void *object);

/* Of OBJECT's opening, which has ended: its file, if there was no error, else its URL, in TEXT.
 * False: it is local, and timed as such. Guard held. */
enum { CUP_XROOTD_URL = 480 };
struct cup_opened;
bool cup_xrootd_describe(const void *object, struct cup_opened *opened, char text[CUP_XROOTD_URL]);

/* Which log it is that files are numbered for. */
uint32_t cup_xrootd_log(void);

/* A piece of FILE (0: not known) was delivered for TASK (0: nobody's). Guard held. */
void cup_xrootd_piece(uint32_t task, uint32_t file, const void *data, size_t bytes,
                      uint64_t offset);

/* PATH is that of the client's library, in a version whose layouts are known: 5 or 6. */
bool cup_xrootd_is_library(const char *path);

/* A file was opened through the client in this process, or one that it was forked from. */
extern bool cup_xrootd_seen;

/* PLACE, an instruction, lies in the library by which the client connects. Keeps errno. */
bool cup_xrootd_connects(const void *place);

/* A new log, or a forked child: files have other numbers. */
void cup_xrootd_reset(void);

#endif
