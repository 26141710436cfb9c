/* Files that are read through XRootD's own client: which file an XrdCl::File object reads, and
 * which library the client is. Knows no C++ and no wrapper: those are in hooks/hook_xrootd.c. See
 * docs/contributing/attribution.md. */
#pragma once

#include "preload/io/transfer.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* OBJECT, an XrdCl::File, is about to open URL (BYTES of text, which need not end in a NUL).
 * Secrets in it (user, password, everything after "?") are not kept. Any thread; keeps errno. */
void cup_xrootd_opened(const void *object, const char *url, size_t bytes);

/* Copies URL without its secrets to TO: "root://user:pass@host//path?authz=..." becomes
 * "root://host//path". URL need not end in a NUL; TO may be URL. Returns the length of the copy; 0:
 * it does not fit into ROOM. */
size_t cup_xrootd_url(char *to, size_t room, const char *url, size_t bytes);

/* The file that OBJECT reads. It has no number if no hook saw it being opened. NULL: the file is
 * local, or read by a plug-in of the client (https://): its bytes are counted by descriptors. Any
 * thread; keeps errno. */
struct cup_descriptor *cup_xrootd_file(const void *object);

/* The data server of OBJECT's file: the id of the string "root://host:port"; 0: not known. Guard
 * held. */
uint32_t cup_xrootd_server(const void *object);

/* OBJECT's last request was answered by the server at HOST ("host:port", perhaps after "user@"; a
 * PORT other than 0 is appended). Returns the id of its name. Guard held. */
uint32_t cup_xrootd_served(const void *object, const char *host, int port);

/* OBJECT's open has ended: sets OPENED->file if there was no error, and OPENED->path to TEXT, the
 * URL. False: the file is local, and its open() is timed. Guard held. */
enum { CUP_XROOTD_URL = 480 };
struct cup_opened;
bool cup_xrootd_describe(const void *object, struct cup_opened *opened, char text[CUP_XROOTD_URL]);

/* False: OBJECT's open failed, so the client answers what else is asked of this file itself, and
 * sends nothing. Any thread. Keeps errno. */
bool cup_xrootd_may_ask(const void *object);

/* A number that changes with each log. Numbers of files are valid only while it stays the same. */
uint32_t cup_xrootd_log(void);

/* PATH is that of the client's library, in a version whose layouts are known (5 or 6). */
bool cup_xrootd_is_library(const char *path);

/* A file was opened through the client in this process, or in one that it was forked from. */
extern bool cup_xrootd_seen;

struct cup_elf;

/* The library that contains the instruction at PLACE. False: none. Takes the loader's lock only if
 * the list of modules has no such library: its code was not mapped from the file, or no descriptor
 * was free to read the list. That lock may belong to a thread that waits for the GIL, which this
 * thread may hold. Guard held. */
bool cup_xrootd_find_library(const void *place, struct cup_elf *library);

/* PLACE, the address of an instruction, lies in the library that connects for the client
 * (libXrdUtils). Keeps errno. */
bool cup_xrootd_connects(const void *place);

/* Called when a log is opened, and in a forked child: files have other numbers. */
void cup_xrootd_reset(void);
