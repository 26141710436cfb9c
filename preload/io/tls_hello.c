#include "preload/io/tls_hello.h"

#include <string.h>

/* Bytes that are left to read. */
struct bytes {
    const unsigned char *at, *end;
};

static size_t read_number(struct bytes *from, size_t width)
{
    size_t number = 0;
    for (; width && from->at < from->end; width--)
        number = number << 8 | *from->at++;
    return width ? 0 : number;
}

/* The next COUNT bytes; fewer if the message ends before. */
static struct bytes take(struct bytes *from, size_t count)
{
    size_t left = (size_t)(from->end - from->at), taken = count < left ? count : left;
    struct bytes part = {from->at, from->at + taken};
    from->at += taken;
    return part;
}

/* The next bytes, whose number stands before them in WIDTH bytes. */
static struct bytes take_counted(struct bytes *from, size_t width)
{
    size_t count = read_number(from, width);
    return take(from, count);
}

/* Extension server_name (RFC 6066): names with their types; type 0 is a host. */
static void read_server(struct cup_tls_hello *hello, struct bytes extension)
{
    struct bytes list = take_counted(&extension, 2);
    if (read_number(&list, 1) != 0)
        return;
    struct bytes name = take_counted(&list, 2);
    size_t length = (size_t)(name.end - name.at);
    if (length >= sizeof hello->server || memchr(name.at, '\0', length))
        return;
    memcpy(hello->server, name.at, length);
    hello->server[length] = '\0';
}

/* Extension application_layer_protocol_negotiation (RFC 7301). */
static void read_protocols(struct cup_tls_hello *hello, struct bytes extension)
{
    struct bytes list = take_counted(&extension, 2);
    while (list.at < list.end) {
        struct bytes name = take_counted(&list, 1);
        hello->offers_http2 |= name.end - name.at == 2 && memcmp(name.at, "h2", 2) == 0;
    }
}

static void read_extensions(struct cup_tls_hello *hello, struct bytes from)
{
    enum { SERVER_NAME = 0, PROTOCOLS = 16 };
    while (from.end - from.at >= 4) {
        size_t type = read_number(&from, 2);
        struct bytes extension = take_counted(&from, 2);
        if (type == SERVER_NAME)
            read_server(hello, extension);
        else if (type == PROTOCOLS)
            read_protocols(hello, extension);
    }
}

bool cup_tls_read_hello(struct cup_tls_hello *hello, const unsigned char *bytes, size_t count)
{
    enum { RECORD_HEAD = 5, MESSAGE_HEAD = 4, VERSION_AND_RANDOM = 34 };
    enum { HANDSHAKE = 0x16, MAJOR = 3, CLIENT_HELLO = 1 };
    *hello = (struct cup_tls_hello){0};
    if (count < RECORD_HEAD + 1 || bytes[0] != HANDSHAKE || bytes[1] != MAJOR ||
        bytes[RECORD_HEAD] != CLIENT_HELLO)
        return false;
    hello->offers_http2 = count < RECORD_HEAD + ((size_t)bytes[3] << 8 | bytes[4]);
    struct bytes from = {bytes, bytes + count};
    take(&from, RECORD_HEAD + MESSAGE_HEAD + VERSION_AND_RANDOM);
    take_counted(&from, 1); /* session */
    take_counted(&from, 2); /* ciphers */
    take_counted(&from, 1); /* compression */
    read_extensions(hello, take_counted(&from, 2));
    return true;
}
