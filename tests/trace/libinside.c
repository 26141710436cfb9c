/* A library whose constructor waits for a thread that uses XRootD's client (libclient.c, which
 * CLIENT names) for the first time, and connects: while the loader holds its lock. */
#include <arpa/inet.h>
#include <dlfcn.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

static void (*client)(int version, const char *url);

static void *use(void *nothing)
{
    struct sockaddr_in nobody = {
        .sin_family = AF_INET, .sin_port = htons(1), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    client(5, "root://host//x.root");
    printf("connected: %d\n", connect(fd, (struct sockaddr *)&nobody, sizeof nobody));
    close(fd);
    return nothing;
}

__attribute__((constructor)) static void loaded(void)
{
    pthread_t thread;
    void *library = dlopen(getenv("CLIENT"), RTLD_NOW);
    *(void **)&client = library ? dlsym(library, "client") : NULL;
    if (!client || pthread_create(&thread, NULL, use, NULL))
        abort();
    pthread_join(thread, NULL);
    fflush(stdout);
}
