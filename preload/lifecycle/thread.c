#include "preload/lifecycle/thread.h"

#include "preload/lifecycle/lifecycle.h"
#include "preload/sys/raw.h"

#include <pthread.h>
#include <string.h>

__thread struct cup_thread cup_self __attribute__((tls_model("initial-exec")));

static volatile uint32_t never_active;
volatile uint32_t *cup_active_word = &never_active;

/* Weak: before glibc 2.34, a program that is not linked with libpthread has neither function. */
#pragma weak pthread_key_create
#pragma weak pthread_setspecific
static pthread_key_t end_of_thread;

/* Runs in the ending thread. Destructors of other libraries may run after it, and still read and
 * allocate: they find CUP_THREAD_GONE, and nothing of that is recorded. If the thread ends inside
 * its task (a daemon thread while the interpreter exits), the task stays unfinished in the log. */
static void end_thread(void *unused)
{
    (void)unused;
    cup_guard();
    if (cup_active()) {
        CUP_LIFECYCLE(thread_settles);
        if (cup_self.task) /* what is kept of it would stay for ever */
            CUP_LIFECYCLE(task_ended, cup_self.task);
    }
    cup_self.state = CUP_THREAD_GONE;
    CUP_LIFECYCLE(thread_ends);
    cup_self.heap = NULL;
    cup_unguard();
}

int cup_thread_init(void)
{
    void *page =
        cup_raw_mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (page == MAP_FAILED)
        return -1;
#ifdef MADV_WIPEONFORK
    madvise(page, 4096, MADV_WIPEONFORK); /* fails before Linux 4.14: only atfork clears it then */
#endif
    cup_active_word = page;
    return pthread_key_create && pthread_key_create(&end_of_thread, end_thread) ? -1 : 0;
}

bool cup_thread_known(void)
{
    if (cup_self.state == CUP_THREAD_KNOWN)
        return true;
    if (cup_self.state == CUP_THREAD_GONE)
        return false;
    cup_self.tid = (uint32_t)syscall(SYS_gettid);
    cup_self.state = CUP_THREAD_KNOWN;
    if (pthread_setspecific)
        pthread_setspecific(end_of_thread, &cup_self);
    return true;
}

void cup_thread_child_begins(void)
{
    uint32_t guard = cup_self.guard;
    memset(&cup_self, 0, sizeof cup_self);
    cup_self.guard = guard;
}
