/* Ports of the servers that tests start. */
#pragma once

#include "tests/e2e/process.h"

/* A port of this machine that nothing listens at. */
int server_free_port(void);

/* Waits until SERVER accepts connections at PORT; fails the test if it never does or ends. */
void server_wait(const struct cup_process *server, int port);
