#include "preload/lifecycle/thread.h"

#include "preload/attribution/attribution.h"
#include "preload/attribution/helper.h"
#include "preload/counters/block.h"
#include "preload/sampler/sampler.h"
#include "preload/sampler/thread_slots.h"
#include "preload/stacks/native_thread.h"
#include "preload/sys/raw.h"
#include "preload/task/sections.h"
#include "preload/waits/wait.h"

#include <pthread.h>
#include <string.h>

__thread struct cup_thread cup_self __attribute__((tls_model("initial-exec")));

static volatile uint32_t never_active;
volatile uint32_t *cup_active_word = &never_active;

/* Before glibc 2.34 a program without threads has neither. */
#pragma weak pthread_key_create
#pragma weak pthread_setspecific
static pthread_key_t end_of_thread;

/* Runs in the ending thread, perhaps before other destructors that still read and allocate:
 * those find CUP_THREAD_GONE and only forward. A thread that ends within its task (a daemon
 * thread of a killed interpreter) leaves the task unfinished, which is the truth. */
static void thread_ends(void *unused)
{
    (void)unused;
    cup_guard();
    cup_self.state = CUP_THREAD_GONE;
    if (cup_active()) {
        cup_helper_ends();
        cup_sections_thread_ends();
        cup_block_close_all(&cup_self);
        if (cup_self.task)
            cup_attribution_end(cup_self.task); /* or it would be the sole task for ever */
    }
    cup_wait_thread_ends();
    cup_sampler_thread_ends();
    cup_native_thread_ends();
    cup_thread_slot_leaves();
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
    madvise(page, 4096, MADV_WIPEONFORK); /* kernels before 4.14: atfork alone must do */
#endif
    cup_active_word = page;
    return pthread_key_create && pthread_key_create(&end_of_thread, thread_ends) ? -1 : 0;
}

bool cup_thread_known(void)
{
    if (cup_self.state == CUP_THREAD_KNOWN)
        return true;
    if (cup_self.state == CUP_THREAD_GONE)
        return false;
    cup_self.tid = cup_raw_gettid();
    cup_self.state = CUP_THREAD_KNOWN;
    if (pthread_setspecific)
        pthread_setspecific(end_of_thread, &cup_self);
    return true;
}

void cup_thread_reset(void)
{
    uint32_t guard = cup_self.guard;
    memset(&cup_self, 0, sizeof cup_self);
    cup_self.guard = guard;
}
