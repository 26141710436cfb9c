/* `cupping doctor`: whether profiles of this machine and this Python will be whole. */
#include "cli/doctor.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analysis/write/terminal.h"
#include "cli/verbs.h"

struct request {
    const char *directory, *python, *run;
};

static const struct cup_option rows[] = {
    CUP_OPTION("--python", "FILE", python,
               "the interpreter that runs the analysis; default: python, else python3, of PATH"),
    CUP_OPTION("--run", NULL, run,
               "also profile a job of 10 to 30 seconds, and compare its profile with what it did"),
};
const struct cup_options cup_doctor_options = CUP_OPTIONS(rows);

/* ---- findings ----------------------------------------------------------------------------- */

void cup_doctor_find(struct cup_finding *finding, enum cup_doctor_state state, const char *format,
                     ...)
{
    va_list arguments;
    finding->state = state;
    va_start(arguments, format);
    vsnprintf(finding->text, sizeof finding->text, format, arguments);
    va_end(arguments);
}

void cup_doctor_advise(struct cup_finding *finding, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(finding->advice, sizeof finding->advice, format, arguments);
    va_end(arguments);
}

static void print_finding(const struct cup_terminal *terminal, const char *name,
                          const struct cup_finding *finding)
{
    static const struct {
        const char *word;
        enum cup_style style;
    } states[] = {[CUP_DOCTOR_FIT] = {"fit", CUP_GOOD},
                  [CUP_DOCTOR_UNKNOWN] = {"n/a", CUP_DIM},
                  [CUP_DOCTOR_LACKS] = {"lacks", CUP_WARN},
                  [CUP_DOCTOR_WRONG] = {"wrong", CUP_BAD}};
    enum { INDENT = 19 };
    char text[sizeof finding->text + sizeof finding->advice + 8];
    snprintf(text, sizeof text, "%s%s%s", finding->text, *finding->advice ? ". -> " : "",
             finding->advice);
    cup_print(terminal, states[finding->state].style, "  %-5s  ", states[finding->state].word);
    cup_print(terminal, CUP_PLAIN, "%-10s", name);
    cup_print_hanging(terminal, CUP_PLAIN, INDENT, text);
    fflush(terminal->out);
}

/* Prints a row for each check, or for the first MOST. Returns the worst state. */
static enum cup_doctor_state print_checks(const struct cup_terminal *terminal,
                                          const struct cup_doctor *doctor,
                                          const struct cup_doctor_check *check, size_t most)
{
    enum cup_doctor_state worst = CUP_DOCTOR_FIT;
    for (; check->name && most > 0; check++, most--) {
        struct cup_finding finding = {0};
        check->check(doctor, &finding);
        print_finding(terminal, check->name, &finding);
        worst = finding.state > worst ? finding.state : worst;
    }
    return worst;
}

/* ---- the verb ----------------------------------------------------------------------------- */

/* A path is relative to this directory, the program runs in another one. Links stay: that of a
 * virtual environment is what makes it one. */
static const char *absolute_python(const char *given, char room[PATH_MAX])
{
    if (!strchr(given, '/') || given[0] == '/' || !getcwd(room, PATH_MAX))
        return given;
    size_t length = strlen(room);
    int more = snprintf(room + length, PATH_MAX - length, "/%s", given);
    return more > 0 && (size_t)more < PATH_MAX - length ? room : given;
}

static enum cup_doctor_state examine_job(struct cup_doctor *doctor,
                                         const struct cup_terminal *terminal)
{
    doctor->job = calloc(1, sizeof *doctor->job);
    if (!doctor->job)
        return CUP_DOCTOR_WRONG;
    cup_doctor_run(doctor, "job", cup_doctor_job_program, doctor->job);
    /* Without a job there is nothing to compare. */
    bool done = doctor->job->status == 0 && doctor->job->loaded;
    return print_checks(terminal, doctor, cup_doctor_job_checks, done ? SIZE_MAX : 1);
}

static int examine(struct cup_doctor *doctor, const struct cup_terminal *terminal, bool job)
{
    static const char *const ends[] = {
        [CUP_DOCTOR_FIT] = "Profiles made here will be whole.",
        [CUP_DOCTOR_UNKNOWN] =
            "Profiles made here will be whole, except perhaps for what is n/a above.",
        [CUP_DOCTOR_LACKS] =
            "Profiles made here will lack what the rows above say; the rest will be right.",
        [CUP_DOCTOR_WRONG] =
            "Mend what is wrong above: until then profiles are missing or incomplete."};
    cup_print(terminal, CUP_BOLD, "cupping %s: this machine, this Python, this directory\n",
              CUP_VERSION);
    cup_doctor_run(doctor, "probe", cup_doctor_probe_program, &doctor->probe);
    enum cup_doctor_state worst = print_checks(terminal, doctor, cup_doctor_checks, SIZE_MAX);
    enum cup_doctor_state found =
        job && worst < CUP_DOCTOR_WRONG ? examine_job(doctor, terminal) : CUP_DOCTOR_FIT;
    worst = found > worst ? found : worst;
    cup_print(terminal, CUP_BOLD, "%s\n", ends[worst]);
    return worst <= CUP_DOCTOR_UNKNOWN ? CUP_EXIT_DONE : CUP_EXIT_FAILED;
}

/* Replaces PATH by the directory that it is in. False: there is none above it. */
static bool go_up(char *path)
{
    char *slash = strrchr(path, '/');
    if (strcmp(path, ".") == 0 || strcmp(path, "/") == 0)
        return false;
    if (slash == path)
        slash[1] = '\0';
    else
        strcpy(slash ? slash : path, slash ? "" : ".");
    return true;
}

/* The directory in which profiles would be. If PATH does not exist yet, `cupping run` makes it, and
 * all that is missing above it; the library makes CUPPING_DIR alone, so LEVELS is 1 for that. */
static int find_directory(const char *path, unsigned levels, char found[PATH_MAX],
                          struct cup_error *error)
{
    char *parent = strdup(path);
    if (!parent)
        return cup_error_memory(error, path);
    bool done = realpath(parent, found) != NULL;
    for (unsigned i = 0; !done && i < levels && errno == ENOENT && go_up(parent); i++)
        done = realpath(parent, found) != NULL;
    free(parent);
    return done ? 0 : cup_error_system(error, path, "examine the directory of profiles");
}

int cup_verb_doctor(int argc, char **argv)
{
    static struct cup_doctor doctor; /* large */
    struct request request = {0};
    struct cup_operands operands = {.words = &request.directory, .room = 1};
    struct cup_output output = {.file = stdout};
    struct cup_terminal terminal;
    struct cup_error error;
    char python[PATH_MAX];
    if (cup_options_read(argc, argv, &cup_doctor_options, &request, &operands, &error) != 0)
        return cup_verb_end(&error, CUP_EXIT_USAGE);
    doctor.python = absolute_python(request.python ? request.python : cup_default_python(), python);
    const char *own = getenv("CUPPING_DIR");
    const char *path = request.directory ? request.directory : own && *own ? own : ".";
    if (find_directory(path, request.directory ? UINT_MAX : 1, doctor.directory, &error) != 0)
        return cup_verb_end(&error, CUP_EXIT_USAGE);
    cup_terminal_open(&terminal, &output);
    signal(SIGXFSZ, SIG_IGN); /* ulimit -f: then write() fails */
    cup_doctor_open(&doctor);
    int status = examine(&doctor, &terminal, request.run != NULL);
    cup_doctor_close(&doctor);
    free(doctor.job);
    int end = cup_verb_end_stdout();
    return end == CUP_EXIT_DONE ? status : end;
}
