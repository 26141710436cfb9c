#include "preload/arrow/arrow_jobs.h"

#include "preload/arrow/arrow_release.h"
#include "preload/attribution/attribution.h"
#include "preload/attribution/helper.h"
#include "preload/lifecycle/recording.h"
#include "preload/lifecycle/thread.h"
#include "preload/sys/elf_symbols.h"

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* ---- what C++ makes of it ------------------------------------------------------------------ */

/* A job is an object of a class derived from arrow::internal::FnOnce<void()>::Impl. Its methods, in
 * the order in which the class declares them: the destructor, which has two entries, and invoke().
 * What stands before them is the table's, too: see the Itanium C++ ABI, "Virtual Table Layout". */
struct methods {
    void (*destroy)(void *job);
    void (*delete)(void *job);
    void (*run)(void *job);
};

struct type {
    const void *methods;
    const char *name;
};

struct table {
    ptrdiff_t offset;
    const struct type *type;
    struct methods methods;
};

static const struct methods *methods_of(const void *job)
{
    return *(const struct methods *const *)job;
}

static bool is_expected(const void *job)
{
    static const char class[] = "N5arrow8internal6FnOnceIFvvEE";
    const struct methods *methods = job ? methods_of(job) : NULL;
    if (!methods)
        return false;
    const struct table *table =
        (const struct table *)((const char *)methods - offsetof(struct table, methods));
    const char *name = table->type && !table->offset ? table->type->name : NULL;
    if (name && *name == '*') /* the type is of one source file, as that of a lambda is */
        name++;
    return name && strncmp(name, class, sizeof class - 1) == 0;
}

/* ---- our jobs -------------------------------------------------------------------------------- */

/* Stands in for a job of Arrow's, which it holds. */
struct job {
    const struct methods *methods; /* must be first: where C++ looks for it */
    void *real;
    uint32_t task;
    uint32_t taken; /* by a job that is not deleted yet */
};

enum { JOBS = 4096, TRIED = 64 };
static struct job jobs[JOBS];
static bool were_used; /* some job was taken: the table is not all zeros */

static struct job *take_job(void)
{
    static uint32_t next;
    for (int i = 0; i < TRIED; i++) {
        struct job *job = &jobs[__atomic_fetch_add(&next, 1, __ATOMIC_RELAXED) % JOBS];
        uint32_t is_taken = 0;
        if (__atomic_compare_exchange_n(&job->taken, &is_taken, 1, false, __ATOMIC_ACQUIRE,
                                        __ATOMIC_RELAXED)) {
            __atomic_store_n(&were_used, true, __ATOMIC_RELAXED);
            return job;
        }
    }
    return NULL;
}

static void destroy_job(void *itself)
{
    struct job *job = itself;
    if (job->real)
        methods_of(job->real)->delete (job->real);
    job->real = NULL;
}

static void delete_job(void *itself)
{
    struct job *job = itself;
    destroy_job(job);
    __atomic_store_n(&job->taken, 0, __ATOMIC_RELEASE);
}

static bool begin_job(const struct job *job)
{
    int saved = cup_enter();
    bool begins = job->task && cup_active() && cup_helper_job_begins(job->task);
    cup_leave(saved);
    return begins;
}

/* The thread may jump out of the job only by an exception, which ends a pool's thread. */
static void run_job(void *itself)
{
    const struct job *job = itself;
    bool began = begin_job(job);
    methods_of(job->real)->run(job->real);
    if (!began)
        return;
    int saved = cup_enter();
    cup_helper_job_ended();
    cup_leave(saved);
}

static const struct table ours = {.methods = {destroy_job, delete_job, run_job}};

/* Replaces *JOB, which the calling thread is about to hand to a pool, if the thread works for a
 * task.
 */
static void replace_job(void **job)
{
    int saved = cup_enter();
    uint32_t task = cup_attribution_task();
    struct job *place = task && is_expected(*job) ? take_job() : NULL;
    if (place) {
        place->methods = &ours.methods;
        place->real = *job;
        place->task = task;
        *job = place;
    }
    cup_leave(saved);
}

/* ---- the pool's method ----------------------------------------------------------------------- */

/* arrow::TaskHints, which is passed by value. */
struct hints {
    int64_t numbers[4];
};

/* ThreadPool::SpawnReal(). It returns its status through a hidden pointer, which on x86-64 is
 * passed before `this`; other machines pass it in another way, so there no jobs are followed. */
typedef void *submit(void **status, void *pool, struct hints hints, void **job, void *stop,
                     void *callback);
static submit *real_submit;

static void *submit_job(void **status, void *pool, struct hints hints, void **job, void *stop,
                        void *callback)
{
    if (cup_active() && !cup_self.guard)
        replace_job(job);
    return real_submit(status, pool, hints, job, stop, callback);
}

/* ---- the library ----------------------------------------------------------------------------- */

static bool follow(const struct cup_elf *library)
{
    static const char method[] =
        "_ZN5arrow8internal10ThreadPool9SpawnRealENS0_9TaskHintsENS0_6FnOnce"
        "IFvvEEENS_9StopTokenEONS3_IFvRKNS_6StatusEEEE";
    void *real = cup_elf_symbol(library, method);
    if (!real)
        return false;
    *(void **)&real_submit = real;
    return cup_elf_replace(library, "_ZTVN5arrow8internal10ThreadPoolE", real,
                           (const void *)submit_job);
}

static uint32_t looking; /* a thread looks for libarrow */

struct search {
    bool newer;  /* a release that was not tried */
    bool failed; /* one that was tried, but its table could not be changed */
};

static bool look_at(const struct cup_elf *library, void *user)
{
    struct search *search = user;
    enum cup_arrow_release release = cup_arrow_release_of(library->path);
    bool followed = release == CUP_ARROW_TRIED && follow(library);
    search->newer |= release == CUP_ARROW_NEWER;
    search->failed |= release == CUP_ARROW_TRIED && !followed;
    return followed;
}

static void look(void)
{
    static const char what[] = "jobs of Arrow's threads are not followed";
    struct search search = {.newer = false};
    cup_elf_each(look_at, &search);
    if (search.newer)
        cup_recording_note(what, "this release of Arrow was not tried");
    if (search.failed)
        cup_recording_note(what, "its table of methods is not as expected, or is read-only");
}

/* One thread at a time: a second one would not find the method that the first one has replaced. */
void cup_arrow_look(void)
{
#if defined(__x86_64__)
    enum { SUPPORTED = true };
#else
    enum { SUPPORTED = false };
#endif
    static uint64_t loaded;
    if (!SUPPORTED || real_submit || __atomic_exchange_n(&looking, 1, __ATOMIC_ACQUIRE))
        return;
    uint64_t now = cup_elf_loaded();
    if (!real_submit && loaded != now) {
        loaded = now;
        look();
    }
    __atomic_store_n(&looking, 0, __ATOMIC_RELEASE);
}

void cup_arrow_log_opened(enum cup_log_size size)
{
    (void)size;
    cup_arrow_look();
}

void cup_arrow_reset(void)
{
    for (int i = 0; were_used && i < JOBS; i++)
        jobs[i].task = 0;
    looking = 0;
}
