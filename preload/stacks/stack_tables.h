/* What the log holds of stacks: the functions seen on them (CODE records) and the tree of their
 * frames (NODES records). All functions that say nothing else are called with the lock held. */
#pragma once

#include "include/log_format.h"
#include "preload/stacks/stacks.h"

/* Lock not held. The caller of lock has the guard. */
void cup_stack_tables_lock(void);
void cup_stack_tables_unlock(void);

/* cup_code_find() and cup_code_add() of stacks.h take the lock and call these two. They return the
 * function's id; 0: it is not known (find), or there is no room (add). Functions with the same
 * content (name, file, first line, line table) have the same id: one that Dask unpickles anew for
 * every task is still one function. */
uint32_t cup_codes_find(uint64_t address, uint64_t fingerprint);
uint32_t cup_codes_add(const struct cup_code_facts *facts);

/* The node of function OF at offset AT, called from node PARENT; 0: there is none. */
uint32_t cup_nodes_find(uint32_t parent, uint32_t of, uint32_t at);

/* Adds a chain of frames that are not in the tree, in order of calls. The first one's parent is
 * given; this function fills in the others'. Returns the last frame's node; 0: no room, and none is
 * added. */
uint32_t cup_nodes_add(struct cup_stack_node *frames, uint32_t count);

/* Lock not held. The log has only nodes that records name: most stacks are seen once and never
 * named. cup_node_record() returns the number under which a record may name NODE; callers get
 * smaller numbers. A process has a budget of new numbers a second: beyond that, and in a full log,
 * it returns the number of the nearest caller that has one (counted); 0: none has. The rows of new
 * numbers are written together: call cup_nodes_write() before writing a record that names nodes. */
uint32_t cup_node_record(uint32_t node);
void cup_nodes_write(void);

/* There is no budget from now on. Called once, before any event. */
void cup_nodes_want_all(void);

/* A new log, or a forked child: no record is written yet. Frees the lock. */
void cup_stack_tables_reset(void);
