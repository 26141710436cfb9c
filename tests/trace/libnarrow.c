/* Reads where little is there: on small stacks, on stacks that are no thread's own, within an
 * allocation, and where no memory is left. Whoever reads has no Python frames. */
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <ucontext.h>
#include <unistd.h>

#define CALLED __attribute__((visibility("default")))

enum { BYTES = 1 << 20 };
static int file;
static char *target;

static void read_much(void)
{
    if (pread(file, target, BYTES, 0) != BYTES)
        abort();
}

CALLED void narrow_begin(const char *path)
{
    file = open(path, O_RDWR);
    target = mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}

static void in_thread(void *(*body)(void *), const pthread_attr_t *attributes)
{
    pthread_t thread;
    if (pthread_create(&thread, attributes, body, NULL))
        abort();
    pthread_join(thread, NULL);
}

/* ---- small stacks ------------------------------------------------------------------------ */

static void *read_beside_buffer(void *unused)
{
    char buffer[8000];
    (void)unused;
    memset(buffer, 1, sizeof buffer);
    __asm__ volatile("" ::"r"(buffer) : "memory");
    read_much();
    return NULL;
}

CALLED void narrow_stack(void)
{
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, 16 << 10);
    in_thread(read_beside_buffer, &attributes);
    pthread_attr_destroy(&attributes);
}

/* ---- other stacks ------------------------------------------------------------------------ */

/* The upper 8 KiB are a stack; returns how far below it was written. */
enum { STACK = 8 << 10, MARK = 0x5a };
static char room[64 << 10];

static char *stack_in_room(void)
{
    memset(room, MARK, sizeof room);
    return room + sizeof room - STACK;
}

static long written_below(const char *stack)
{
    const char *at = room;
    while (at < stack && *at == MARK)
        at++;
    return stack - at;
}

static void on_signal(int number)
{
    (void)number;
    read_much();
}

static void write_on_signal(int number)
{
    (void)number;
    if (pwrite(file, "x", 1, 0) != 1)
        abort();
}

/* No server listens on this port: the connection is refused. */
static void connect_on_signal(int number)
{
    (void)number;
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(1)};
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    connect(fd, (const struct sockaddr *)&address, sizeof address);
    close(fd);
}

static long handle_on_stack(void (*handler)(int))
{
    struct sigaction action = {.sa_handler = handler, .sa_flags = SA_ONSTACK}, before;
    stack_t stack = {.ss_sp = stack_in_room(), .ss_size = STACK}, other;
    sigaltstack(&stack, &other);
    sigaction(SIGUSR2, &action, &before);
    raise(SIGUSR2);
    sigaction(SIGUSR2, &before, NULL);
    sigaltstack(&other, NULL);
    return written_below(stack.ss_sp);
}

CALLED long narrow_signal_stack(void)
{
    return handle_on_stack(on_signal);
}

CALLED long narrow_signal_write(void)
{
    return handle_on_stack(write_on_signal);
}

CALLED long narrow_signal_connect(void)
{
    return handle_on_stack(connect_on_signal);
}

CALLED long narrow_coroutine(void)
{
    static ucontext_t coroutine, caller;
    getcontext(&coroutine);
    coroutine.uc_stack.ss_sp = stack_in_room();
    coroutine.uc_stack.ss_size = STACK;
    coroutine.uc_link = &caller;
    makecontext(&coroutine, read_much, 0);
    swapcontext(&caller, &coroutine);
    return written_below(coroutine.uc_stack.ss_sp);
}

/* ---- within allocations ------------------------------------------------------------------ */

static void *allocate(void *unused)
{
    sigset_t alarm;
    sigemptyset(&alarm);
    sigaddset(&alarm, SIGALRM);
    pthread_sigmask(SIG_UNBLOCK, &alarm, NULL);
    for (int i = 0; i < 100000; i++) {
        void *volatile taken = malloc(2000 + (size_t)i % 50 * 37);
        free(taken);
    }
    return unused;
}

/* Signals, whose handler may read, come while new threads allocate. */
CALLED void narrow_allocation(void)
{
    enum { THREADS = 150, EVERY_US = 200 };
    struct itimerval often = {{0, EVERY_US}, {0, EVERY_US}}, never = {{0, 0}, {0, 0}};
    struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_RESTART}, before;
    sigset_t alarm, mask;
    sigemptyset(&alarm);
    sigaddset(&alarm, SIGALRM);
    pthread_sigmask(SIG_BLOCK, &alarm, &mask);
    sigaction(SIGALRM, &action, &before);
    setitimer(ITIMER_REAL, &often, NULL);
    for (int i = 0; i < THREADS; i++)
        in_thread(allocate, NULL);
    setitimer(ITIMER_REAL, &never, NULL);
    action.sa_handler = SIG_IGN; /* what is pending is dropped */
    sigaction(SIGALRM, &action, NULL);
    sigaction(SIGALRM, &before, NULL);
    pthread_sigmask(SIG_SETMASK, &mask, NULL);
}

/* ---- no memory --------------------------------------------------------------------------- */

/* All that malloc() has, in a list. */
static void **take_all(void)
{
    void **first = NULL;
    for (size_t bytes = 1 << 16; bytes >= 16; bytes /= 2)
        for (void **taken; (taken = malloc(bytes)) != NULL; first = taken)
            *taken = first;
    return first;
}

static void give_back(void **first)
{
    while (first) {
        void **next = *first;
        free(first);
        first = next;
    }
}

static void *read_without_memory(void *unused)
{
    struct rlimit before, none;
    getrlimit(RLIMIT_AS, &before);
    none = (struct rlimit){BYTES, before.rlim_max};
    setrlimit(RLIMIT_AS, &none);
    void **all = take_all();
    read_much();
    setrlimit(RLIMIT_AS, &before);
    give_back(all);
    return unused;
}

CALLED void narrow_memory(void)
{
    in_thread(read_without_memory, NULL);
}
