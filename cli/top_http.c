#include "cli/top_http.h"

#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/verbs.h"

static const int64_t second_ns = INT64_C(1000000000);

/* A client has so many seconds for its request, and to take more of the answer; and for the page to
 * be made. A page is made again at the earliest after so many seconds, and so many times what it
 * took. */
enum { REQUEST_S = 10, ANSWER_S = 60, PAGE_S = 300, KEEP_S = 10, KEEP_TIMES = 10 };

/* ---- clients ------------------------------------------------------------------------------- */

static void drop_client(struct cup_http_client *client)
{
    if (client->fd >= 0)
        close(client->fd);
    free(client->answer);
    *client = (struct cup_http_client){.fd = -1};
}

static int set_nonblocking(int fd)
{
    int flags = fcntl(fd, F_GETFL);
    return flags < 0 ? -1 : fcntl(fd, F_SETFL, flags | O_NONBLOCK);
}

/* A free entry; if there is none, that of the client that has sent no whole request for the longest
 * time. NULL: all have their answers, or wait for the page. */
static struct cup_http_client *find_room(struct cup_http *http)
{
    struct cup_http_client *silent = NULL;
    for (int i = 0; i < CUP_HTTP_CLIENTS; i++) {
        struct cup_http_client *client = &http->clients[i];
        if (client->fd < 0)
            return client;
        bool asks = !client->answer && !client->waits_for_page;
        if (asks && (!silent || client->deadline_ns < silent->deadline_ns))
            silent = client;
    }
    return silent;
}

static void accept_client(struct cup_http *http, int64_t now_ns)
{
    struct cup_http_client *client = find_room(http);
    int fd = client ? accept(http->listener, NULL, NULL) : -1;
    if (fd < 0)
        return;
    if (set_nonblocking(fd) != 0 || fcntl(fd, F_SETFD, FD_CLOEXEC) != 0) {
        close(fd);
        return;
    }
    drop_client(client);
    client->fd = fd;
    client->deadline_ns = now_ns + REQUEST_S * second_ns;
}

/* Sets the answer; without memory the client is dropped. */
static void answer(struct cup_http_client *client, int64_t now_ns, const char *status,
                   const char *headers, const char *body, size_t bytes)
{
    FILE *out = open_memstream(&client->answer, &client->answer_bytes);
    client->waits_for_page = false;
    client->deadline_ns = now_ns + ANSWER_S * second_ns;
    if (out) {
        fprintf(out,
                "HTTP/1.1 %s\r\nContent-Length: %zu\r\nCache-Control: no-store\r\n"
                "X-Content-Type-Options: nosniff\r\nConnection: close\r\n%s\r\n",
                status, bytes, headers);
        if (!client->head)
            fwrite(body, 1, bytes, out);
        if (fclose(out) == 0)
            return;
    }
    drop_client(client);
}

static void refuse(struct cup_http_client *client, int64_t now_ns, const char *status,
                   const char *text)
{
    answer(client, now_ns, status, "Content-Type: text/plain; charset=utf-8\r\n", text,
           strlen(text));
}

/* ---- the page ------------------------------------------------------------------------------ */

/* In the process that makes the page: `cupping plot DIR --html -`, into the file. */
__attribute__((noreturn)) static void make_page(const char *directory, FILE *file)
{
    int null = open("/dev/null", O_RDWR);
    /* Without a slash, the name of a plot would be that plot. */
    char *place =
        strchr(directory, '/') ? (char *)(uintptr_t)directory : CUP_FORMAT("./%s", directory);
    char *arguments[] = {"plot", place, "--html", "-", NULL};
    sigset_t none;
    sigemptyset(&none);
    for (int signal = 1; signal < NSIG; signal++)
        if (signal != SIGPIPE)
            sigaction(signal, &(struct sigaction){.sa_handler = SIG_DFL}, NULL);
    sigprocmask(SIG_SETMASK, &none, NULL);
    dup2(null, STDIN_FILENO);
    dup2(fileno(file), STDOUT_FILENO);
    dup2(null, STDERR_FILENO);
    int status = cup_verb_plot(4, arguments);
    _exit(fflush(stdout) == 0 ? status : CUP_EXIT_FAILED);
}

static void start_page(struct cup_http *http, int64_t now_ns)
{
    struct cup_http_page *page = &http->page;
    int ends[2];
    page->is_old = true;
    page->began_at = time(NULL);
    page->file = tmpfile();
    if (!page->file || pipe2(ends, O_CLOEXEC) != 0) {
        if (page->file)
            fclose(page->file);
        page->file = NULL;
        return;
    }
    page->began_ns = now_ns;
    page->maker = fork();
    if (page->maker == 0)
        make_page(http->directory, page->file);
    close(ends[1]);
    page->end = ends[0];
    if (page->maker < 0) {
        page->maker = 0;
        close(page->end);
        fclose(page->file);
        page->end = -1;
        page->file = NULL;
    }
}

/* Reads the file of the maker; NULL without memory, or if it is empty. */
static char *read_page(FILE *file, size_t *bytes)
{
    long size = fseek(file, 0, SEEK_END) == 0 ? ftell(file) : -1;
    char *text = size > 0 ? malloc((size_t)size) : NULL;
    rewind(file);
    *bytes = text ? fread(text, 1, (size_t)size, file) : 0;
    return text;
}

/* True if the maker has just ended. */
static bool take_page(struct cup_http_page *page, int64_t now_ns)
{
    int status;
    size_t bytes;
    if (!page->maker || waitpid(page->maker, &status, WNOHANG) == 0)
        return false;
    char *text = WIFEXITED(status) && WEXITSTATUS(status) == CUP_EXIT_DONE
                     ? read_page(page->file, &bytes)
                     : NULL;
    int64_t took_ns = now_ns - page->began_ns;
    int64_t keep_ns = KEEP_TIMES * took_ns;
    if (text) {
        free(page->text);
        page->text = text;
        page->bytes = bytes;
        page->text_at = page->began_at;
        page->is_old = false;
    }
    page->made_ns = now_ns;
    page->next_ns = now_ns + (keep_ns > KEEP_S * second_ns ? keep_ns : KEEP_S * second_ns);
    close(page->end);
    fclose(page->file);
    page->maker = 0;
    page->end = -1;
    page->file = NULL;
    return true;
}

/* Writes the page. If it could not be updated, its first line says so, and from when it is. */
static void write_page(const struct cup_http_page *page, FILE *out)
{
    static const char begin[] = "<body>\n";
    const char *body = memmem(page->text, page->bytes, begin, strlen(begin));
    size_t head = page->is_old && body ? (size_t)(body - page->text) + strlen(begin) : 0;
    char time[32] = "";
    struct tm utc;
    if (gmtime_r(&page->text_at, &utc))
        strftime(time, sizeof time, "%F %T UTC", &utc);
    fwrite(page->text, 1, head, out);
    if (head)
        fprintf(out,
                "<p role=\"alert\"><strong>This page is from %s; it could not be updated since. "
                "<code>cupping plot --html</code> says why.</strong></p>\n",
                time);
    fwrite(page->text + head, 1, page->bytes - head, out);
}

static void send_page(const struct cup_http_page *page, struct cup_http_client *client,
                      int64_t now_ns)
{
    static const char headers[] = "Content-Type: text/html; charset=utf-8\r\nRefresh: 30\r\n";
    char *text = NULL;
    size_t bytes = 0;
    FILE *out = page->text ? open_memstream(&text, &bytes) : NULL;
    if (out)
        write_page(page, out);
    if (out && fclose(out) == 0)
        answer(client, now_ns, "200 OK", headers, text, bytes);
    else
        refuse(client, now_ns, "503 Service Unavailable\r\nRefresh: 30",
               "The page could not be made: `cupping plot --html` says why.\n");
    free(text);
}

static void ask_for_page(struct cup_http *http, struct cup_http_client *client, int64_t now_ns)
{
    bool fresh = http->page.made_ns && now_ns < http->page.next_ns;
    if (!fresh && !http->page.maker)
        start_page(http, now_ns);
    if (!http->page.maker) {
        send_page(&http->page, client, now_ns);
        return;
    }
    client->waits_for_page = true;
    client->deadline_ns = now_ns + PAGE_S * second_ns;
}

/* ---- requests ------------------------------------------------------------------------------ */

static void send_metrics(struct cup_http *http, struct cup_http_client *client, int64_t now_ns)
{
    char *text = NULL;
    size_t bytes;
    FILE *out = open_memstream(&text, &bytes);
    int result = out ? http->metrics(http->context, out) : -1;
    if (out && fclose(out) != 0)
        result = -1;
    if (result == 0)
        answer(client, now_ns, "200 OK",
               "Content-Type: text/plain; version=0.0.4; charset=utf-8\r\n", text, bytes);
    else
        refuse(client, now_ns, "503 Service Unavailable",
               "The logs cannot be read now, or memory is short.\n");
    free(text);
}

/* A page of another site can make a browser send requests here under a name of its own: only names
 * of this machine's loopback are answered. */
static bool is_local_host(const char *host)
{
    static const char *const names[] = {"localhost", "127.0.0.1", "[::1]"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        size_t length = strlen(names[i]);
        if (strncasecmp(host, names[i], length) == 0 &&
            (host[length] == '\0' || host[length] == ':'))
            return true;
    }
    return false;
}

/* The value of the header Host; NULL: there is none. REQUEST is cut at its lines. */
static const char *find_host(char *lines)
{
    for (char *line = lines, *next; line; line = next) {
        next = strstr(line, "\r\n");
        if (next) {
            *next = '\0';
            next += 2;
        }
        if (strncasecmp(line, "host:", 5) == 0)
            return line + 5 + strspn(line + 5, " \t");
    }
    return NULL;
}

static void take_request(struct cup_http *http, struct cup_http_client *client, int64_t now_ns)
{
    char method[8], target[1024], version[16], *lines = strstr(client->request, "\r\n");
    *lines = '\0';
    if (sscanf(client->request, "%7s %1023s %15s", method, target, version) != 3 ||
        strncmp(version, "HTTP/1.", 7) != 0) {
        refuse(client, now_ns, "400 Bad Request", "not a request of HTTP/1.1\n");
        return;
    }
    const char *host = find_host(lines + 2);
    client->head = strcmp(method, "HEAD") == 0;
    target[strcspn(target, "?#")] = '\0';
    if (!client->head && strcmp(method, "GET") != 0)
        refuse(client, now_ns, "405 Method Not Allowed\r\nAllow: GET, HEAD", "only GET and HEAD\n");
    else if (host && !is_local_host(host))
        refuse(client, now_ns, "403 Forbidden", "ask as localhost or 127.0.0.1\n");
    else if (strcmp(target, "/") == 0)
        ask_for_page(http, client, now_ns);
    else if (strcmp(target, "/metrics") == 0)
        send_metrics(http, client, now_ns);
    else
        refuse(client, now_ns, "404 Not Found", "there are / and /metrics\n");
}

/* Reads what there is. A request ends with an empty line; it has no body. */
static void read_client(struct cup_http *http, struct cup_http_client *client, int64_t now_ns)
{
    size_t room = sizeof client->request - 1 - client->request_bytes;
    ssize_t got = read(client->fd, client->request + client->request_bytes, room);
    if (got < 0 && (errno == EAGAIN || errno == EINTR))
        return;
    if (got <= 0) {
        drop_client(client);
        return;
    }
    client->request_bytes += (size_t)got;
    client->request[client->request_bytes] = '\0';
    if (memchr(client->request, '\0', client->request_bytes))
        refuse(client, now_ns, "400 Bad Request", "not a request of HTTP/1.1\n");
    else if (strstr(client->request, "\r\n\r\n"))
        take_request(http, client, now_ns);
    else if (client->request_bytes == sizeof client->request - 1)
        refuse(client, now_ns, "431 Request Header Fields Too Large", "too long\n");
}

/* A client that waits for the page and closes its connection is dropped. What it sends before is
 * read away, because the end of the connection comes after it. */
static void watch_waiting(struct cup_http_client *client)
{
    char rest[4096];
    ssize_t got = recv(client->fd, rest, sizeof rest, MSG_DONTWAIT);
    if (got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR))
        drop_client(client);
}

static void write_client(struct cup_http_client *client, int64_t now_ns)
{
    ssize_t sent = send(client->fd, client->answer + client->sent,
                        client->answer_bytes - client->sent, MSG_NOSIGNAL);
    if (sent < 0 && (errno == EAGAIN || errno == EINTR))
        return;
    client->sent += sent > 0 ? (size_t)sent : 0;
    if (sent > 0 && client->sent < client->answer_bytes) {
        client->deadline_ns = now_ns + ANSWER_S * second_ns;
        return;
    }
    /* Unread bytes of the request would make the kernel reset the connection before the client has
     * read the answer. */
    char rest[4096];
    shutdown(client->fd, SHUT_WR);
    for (int i = 0; i < 16 && recv(client->fd, rest, sizeof rest, MSG_DONTWAIT) > 0; i++)
        ;
    drop_client(client);
}

/* ---- the server ---------------------------------------------------------------------------- */

int cup_http_open(struct cup_http *http, unsigned port, struct cup_error *error)
{
    struct sockaddr_in address = {.sin_family = AF_INET,
                                  .sin_port = htons((uint16_t)port),
                                  .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t length = sizeof address;
    int on = 1;
    *http = (struct cup_http){.listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0),
                              .page.end = -1};
    for (int i = 0; i < CUP_HTTP_CLIENTS; i++)
        http->clients[i].fd = -1;
    if (http->listener < 0 ||
        setsockopt(http->listener, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on) != 0 ||
        set_nonblocking(http->listener) != 0 ||
        bind(http->listener, (struct sockaddr *)&address, sizeof address) != 0 ||
        listen(http->listener, CUP_HTTP_CLIENTS) != 0 ||
        getsockname(http->listener, (struct sockaddr *)&address, &length) != 0)
        return cup_error_set(error, "top", CUP_NO_OFFSET, "--http %u: cannot listen there: %s",
                             port, strerror(errno));
    http->port = ntohs(address.sin_port);
    return 0;
}

void cup_http_close(struct cup_http *http)
{
    for (int i = 0; i < CUP_HTTP_CLIENTS; i++)
        drop_client(&http->clients[i]);
    if (http->page.maker) {
        kill(http->page.maker, SIGKILL);
        waitpid(http->page.maker, NULL, 0);
        close(http->page.end);
        fclose(http->page.file);
    }
    if (http->listener >= 0)
        close(http->listener);
    free(http->page.text);
}

size_t cup_http_polls(struct cup_http *http, struct pollfd polls[CUP_HTTP_POLLS])
{
    size_t count = 0;
    bool has_room = find_room(http) != NULL;
    for (int i = 0; i < CUP_HTTP_CLIENTS; i++) {
        const struct cup_http_client *client = &http->clients[i];
        if (client->fd >= 0)
            polls[count++] = (struct pollfd){.fd = client->fd,
                                             .events = client->answer           ? POLLOUT
                                                       : client->waits_for_page ? POLLRDHUP
                                                                                : POLLIN};
    }
    if (has_room)
        polls[count++] = (struct pollfd){.fd = http->listener, .events = POLLIN};
    if (http->page.end >= 0)
        polls[count++] = (struct pollfd){.fd = http->page.end, .events = POLLIN};
    return count;
}

void cup_http_serve(struct cup_http *http, int64_t now_ns)
{
    bool ended = take_page(&http->page, now_ns);
    accept_client(http, now_ns);
    for (int i = 0; i < CUP_HTTP_CLIENTS; i++) {
        struct cup_http_client *client = &http->clients[i];
        if (client->fd < 0)
            continue;
        if (ended && client->waits_for_page)
            send_page(&http->page, client, now_ns);
        else if (client->waits_for_page)
            watch_waiting(client);
        else if (!client->answer)
            read_client(http, client, now_ns);
        if (client->fd >= 0 && client->answer)
            write_client(client, now_ns);
        if (client->fd >= 0 && now_ns > client->deadline_ns)
            drop_client(client);
    }
}
