#include "tests/e2e/server_port.h"

#include <arpa/inet.h>
#include <criterion/criterion.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdbool.h>
#include <sys/socket.h>
#include <unistd.h>

static struct sockaddr_in local_address(int port)
{
    return (struct sockaddr_in){.sin_family = AF_INET,
                                .sin_port = htons((in_port_t)port),
                                .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
}

int server_free_port(void)
{
    struct sockaddr_in address = local_address(0);
    socklen_t bytes = sizeof address;
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    cr_assert(fd >= 0 && bind(fd, (struct sockaddr *)&address, bytes) == 0 &&
              getsockname(fd, (struct sockaddr *)&address, &bytes) == 0);
    close(fd);
    return ntohs(address.sin_port);
}

static bool accepts_connections(int port)
{
    struct sockaddr_in address = local_address(port);
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    bool accepted = fd >= 0 && connect(fd, (struct sockaddr *)&address, sizeof address) == 0;
    close(fd);
    return accepted;
}

static bool has_ended(const struct cup_process *server)
{
    struct pollfd control = {.fd = server->control, .events = POLLIN};
    return poll(&control, 1, 0) > 0; /* its status, or the end of its supervisor */
}

/* Between server_free_port() and the server's bind() another program may take the port: then that
 * program answers, and the server ends. */
void server_wait(const struct cup_process *server, int port)
{
    enum { LOOKS = 1500, LOOK_EVERY_US = 20000 };
    for (int looks = 0; looks < LOOKS; looks++) {
        bool answers = accepts_connections(port);
        cr_assert(!has_ended(server), "%s has ended: see %s", server->name, server->log);
        if (answers)
            return;
        usleep(LOOK_EVERY_US);
    }
    cr_assert_fail("%s does not answer: see %s", server->name, server->log);
}
