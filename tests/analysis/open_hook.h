/* What a process does with its log while this program reads it. */
#pragma once

/* Calls ACT once, before the file PATH is opened for the NUMBERth time from now on, by whatever in
 * this process. */
void before_open(const char *path, unsigned number, void (*act)(void));

/* How often this process has called pread(). */
unsigned long count_preads(void);
