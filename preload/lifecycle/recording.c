#include "preload/lifecycle/recording.h"

#include "preload/lifecycle/kernel_count.h"
#include "preload/lifecycle/lifecycle.h"
#include "preload/lifecycle/thread.h"
#include "preload/log/log.h"
#include "preload/sys/clock.h"
#include "preload/sys/raw.h"
#include "preload/sys/spin.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

enum { NOTES = 32 };

static struct {
    bool wanted;
    bool tried; /* opening the log was tried: if that failed, it is not tried again */
    bool verbose;
    uint32_t opening; /* spin lock: several threads may want to open the log at the same time */
    uint32_t noting;  /* spin lock of the features and notes, and of handing them to the log */
    uint32_t hooks;
    uint64_t max_bytes;
    uint64_t features;
    int64_t start_ns; /* of the process, CLOCK_REALTIME */
    char directory[3072];
    char notes[NOTES][192];
    int note_count;
    const char *problem; /* why no log can be opened; NULL: none is known beforehand */
    struct stat errors;  /* what standard error was when the library was loaded; st_ino 0: closed */
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

void cup_recording_want(const char *directory, uint64_t max_bytes, uint32_t hooks, bool verbose)
{
    recording.wanted = true;
    if (!set_directory(directory))
        recording.problem = "CUPPING_DIR is too long, or the working directory is not known";
    if (cup_raw_fstat(2, &recording.errors) != 0)
        recording.errors.st_ino = 0;
    recording.max_bytes = max_bytes;
    recording.hooks = hooks;
    recording.verbose = verbose;
    recording.start_ns = cup_clock_realtime_ns();
}

bool cup_recording_wanted(void)
{
    return recording.wanted;
}

/* ---- opening ----------------------------------------------------------------------------- */

static void print_line(const char *what, const char *why, const char *directory)
{
    char line[512];
    int bytes = snprintf(line, sizeof line, "cupping: %s %s%s\n", what, why, directory);
    if (bytes >= (int)sizeof line) { /* a long path is cut */
        bytes = (int)sizeof line - 1;
        line[bytes - 1] = '\n';
    }
    if (syscall(SYS_write, 2, line, (size_t)bytes) < 0)
        return;
}

/* Descriptor 2 may have become a file of the program's data since the library was loaded. */
static bool has_same_errors(void)
{
    struct stat now;
    return recording.errors.st_ino && cup_raw_fstat(2, &now) == 0 &&
           now.st_dev == recording.errors.st_dev && now.st_ino == recording.errors.st_ino;
}

/* Of processes that run at the same time with the same standard error and directory, one prints:
 * the one that binds this name, which the kernel frees when that process ends. The socket stays
 * open for that; its number is high, so that the program gets the same descriptors as otherwise. */
static bool is_first_to_print(void)
{
    enum { HIGH_DESCRIPTOR = 512 };
    struct sockaddr_un name = {.sun_family = AF_UNIX}; /* sun_path[0] is 0: an abstract name */
    uint64_t hash = 0;
    for (const char *at = recording.directory; *at; at++)
        hash = hash * 1099511628211u + (unsigned char)*at;
    snprintf(name.sun_path + 1, sizeof name.sun_path - 1, "cupping-%lx-%lx-%lx-%lx",
             (long)syscall(SYS_geteuid), (long)recording.errors.st_dev,
             (long)recording.errors.st_ino, (long)hash);
    int bound = (int)syscall(SYS_socket, AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (bound < 0)
        return true;
    int high = (int)syscall(SYS_fcntl, bound, F_DUPFD_CLOEXEC, HIGH_DESCRIPTOR);
    cup_raw_close(bound);
    if (high < 0 || syscall(SYS_bind, high, &name, sizeof name) == 0)
        return true;
    bool used = errno == EADDRINUSE;
    cup_raw_close(high);
    return !used;
}

/* A process that has something to record and cannot says so, whatever CUPPING_VERBOSE is. One that
 * a task started is silent: the process of the task has said it. So are forked children of a
 * process that said it, because nothing is wanted in them. */
static void refuse_recording(enum cup_log_size size, const char *why)
{
    recording.wanted = false;
    if (size == CUP_LOG_FULL && has_same_errors() && is_first_to_print())
        print_line("nothing is recorded:", why, recording.problem ? "" : recording.directory);
}

static void open_log(enum cup_log_size size)
{
    const char *why = recording.problem;
    recording.tried = true;
    if (why) {
        refuse_recording(size, why);
        return;
    }
    cup_clock_calibrate(size == CUP_LOG_FULL);
    CUP_LIFECYCLE(reset);
    if (cup_log_open(recording.directory, recording.max_bytes, recording.start_ns, size, &why)) {
        refuse_recording(size, why);
        return;
    }
    CUP_LIFECYCLE(log_opened, size);
    cup_log_header()->hook_count = recording.hooks;
    cup_spin_lock(&recording.noting);
    cup_log_header()->features = recording.features;
    for (int i = 0; i < recording.note_count; i++)
        cup_log_note(recording.notes[i]);
    __atomic_store_n((uint32_t *)cup_active_word, 1, __ATOMIC_RELEASE);
    cup_spin_unlock(&recording.noting);
    if (recording.verbose)
        print_line("records into", "", recording.directory);
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

static void set_features(uint64_t added, uint64_t dropped)
{
    cup_spin_lock(&recording.noting);
    recording.features = (recording.features | added) & ~dropped;
    if (cup_active())
        cup_log_header()->features = recording.features;
    cup_spin_unlock(&recording.noting);
}

void cup_recording_add_feature(uint64_t bits)
{
    set_features(bits, 0);
}

void cup_recording_drop_feature(uint64_t bits, const char *what, const char *why)
{
    set_features(0, bits);
    cup_recording_note(what, why);
}

static bool has_note(const char *note)
{
    for (int i = 0; i < recording.note_count; i++)
        if (strcmp(recording.notes[i], note) == 0)
            return true;
    return false;
}

/* Returns what the log, which is open, lacks: the note, or, if there is no room for it, that there
 * are more. NULL: nothing; or open_log() will write it. */
static const char *keep_note(const char *note)
{
    const char *kept = NULL;
    cup_spin_lock(&recording.noting);
    if (recording.note_count < NOTES && !has_note(note)) {
        bool is_last = recording.note_count == NOTES - 1;
        kept = strcpy(recording.notes[recording.note_count++],
                      is_last ? "there were more notes, which are not recorded" : note);
    }
    if (!cup_active())
        kept = NULL;
    cup_spin_unlock(&recording.noting);
    return kept;
}

void cup_recording_note(const char *what, const char *why)
{
    char note[sizeof *recording.notes];
    snprintf(note, sizeof note, "%s: %s", what, why);
    const char *missing = keep_note(note);
    if (missing)
        cup_log_note(missing);
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
    recording.opening = recording.noting = 0;
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
