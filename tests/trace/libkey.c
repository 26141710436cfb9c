/* A library that has made a thread-specific key before the interpreter makes its own, and gives it
 * up. tests/workloads/fork_key.py uses it. */
#include <pthread.h>

static pthread_key_t early;

__attribute__((constructor)) static void make_key(void)
{
    pthread_key_create(&early, NULL);
}

void give_key_up(void)
{
    pthread_key_delete(early);
}
