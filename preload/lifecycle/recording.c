#include "preload/lifecycle/recording.h"

#include "preload/lifecycle/kernel_count.h"
#include "preload/lifecycle/lifecycle.h"
#include "preload/lifecycle/thread.h"
#include "preload/log/log.h"
#include "preload/sys/clock.h"
#include "preload/sys/raw.h"
#include "preload/sys/spin.h"

#include <stdio.h>
#include <string.h>

enum { NOTES = 8 };

static struct {
    bool wanted;
    bool tried; /* opening the log was tried: if that failed, it is not tried again */
    bool verbose;
    uint32_t opening; /* spin lock: several threads may want to open the log at the same time */
    uint32_t hooks;
    uint64_t max_bytes;
    uint64_t features;
    int64_t start_ns; /* of the process, CLOCK_REALTIME */
    char directory[3072];
    char notes[NOTES][192];
    int note_count;
} recording;

static bool set_directory(const char *directory)
{
    size_t used = 0;
    if (directory[0] != '/') {
        long bytes = syscall(SYS_getcwd, recording.directory, sizeof recording.directory - 1);
        if (bytes <= 1)
            return false;
        used = (size_t)bytes;
        recording.directory[used - 1] = '/';
    }
    if (used + strlen(directory) >= sizeof recording.directory)
        return false;
    strcpy(recording.directory + used, directory);
    return true;
}

bool cup_recording_want(const char *directory, uint64_t max_bytes, uint32_t hooks, bool verbose)
{
    recording.wanted = set_directory(directory);
    recording.max_bytes = max_bytes;
    recording.hooks = hooks;
    recording.verbose = verbose;
    recording.start_ns = cup_clock_realtime_ns();
    return recording.wanted;
}

bool cup_recording_wanted(void)
{
    return recording.wanted;
}

/* ---- opening ----------------------------------------------------------------------------- */

static void print_status(const char *what, const char *why)
{
    char line[512];
    if (!recording.verbose)
        return;
    int bytes = snprintf(line, sizeof line, "cupping: %s %s\n", what, why);
    if (bytes >= (int)sizeof line) { /* a long path is cut */
        bytes = (int)sizeof line - 1;
        line[bytes - 1] = '\n';
    }
    if (syscall(SYS_write, 2, line, (size_t)bytes) < 0)
        return;
}

static void open_log(enum cup_log_size size)
{
    const char *why = "";
    recording.tried = true;
    cup_clock_calibrate(size == CUP_LOG_FULL);
    CUP_LIFECYCLE(reset);
    if (cup_log_open(recording.directory, recording.max_bytes, recording.start_ns, size, &why)) {
        recording.wanted = false;
        print_status("records nothing:", why);
        return;
    }
    CUP_LIFECYCLE(log_opened, size);
    cup_log_header()->features = recording.features;
    cup_log_header()->hook_count = recording.hooks;
    for (int i = 0; i < recording.note_count; i++)
        cup_log_note(recording.notes[i]);
    __atomic_store_n((uint32_t *)cup_active_word, 1, __ATOMIC_RELEASE);
    print_status("records into", recording.directory);
}

static bool open_once(enum cup_log_size size)
{
    cup_spin_lock(&recording.opening);
    if (!cup_active() && !recording.tried && recording.wanted)
        open_log(size);
    cup_spin_unlock(&recording.opening);
    return cup_active();
}

bool cup_recording_open(void)
{
    return __builtin_expect(cup_active(), 1) || open_once(CUP_LOG_FULL);
}

bool cup_recording_open_for_child(void)
{
    return cup_active() || open_once(CUP_LOG_CHILD);
}

/* ---- features and notes ------------------------------------------------------------------ */

void cup_recording_add_feature(uint64_t bits)
{
    recording.features |= bits;
    if (cup_active())
        cup_log_header()->features |= bits;
}

void cup_recording_drop_feature(uint64_t bits, const char *what, const char *why)
{
    recording.features &= ~bits;
    if (cup_active())
        cup_log_header()->features &= ~bits;
    cup_recording_note(what, why);
}

static bool has_note(const char *note)
{
    for (int i = 0; i < recording.note_count; i++)
        if (strcmp(recording.notes[i], note) == 0)
            return true;
    return false;
}

void cup_recording_note(const char *what, const char *why)
{
    char note[sizeof *recording.notes];
    snprintf(note, sizeof note, "%s: %s", what, why);
    if (recording.note_count == NOTES || has_note(note))
        return;
    strcpy(recording.notes[recording.note_count++], note);
    if (cup_active())
        cup_log_note(note);
}

/* ---- the process forks and ends ---------------------------------------------------------- */

/* Until the log is active, its mapping may not be writable yet. */
void cup_recording_process_forks(void)
{
    if (cup_active())
        cup_log_health(CUP_H_FORKS, 1);
}

/* A forked child gets a log of its own when it has something to record. */
void cup_recording_child_begins(void)
{
    recording.tried = false;
    recording.opening = 0;
    recording.start_ns = cup_clock_realtime_ns();
}

void cup_recording_end(void)
{
    if (!cup_active() || cup_raw_getpid() != (int)cup_log_header()->pid)
        return;
    bool inside = cup_self.guard; /* ended by a signal handler in the middle of our own work */
    int saved = cup_enter();
    if (!inside)
        CUP_LIFECYCLE(process_ends);
    cup_kernel_end();
    cup_log_close();
    cup_leave(saved);
}
