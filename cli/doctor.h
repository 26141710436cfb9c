/* `cupping doctor`: a table of checks. Each fills in one finding, which is one row of the output.
 * Most of them use the output and the log of a short Python program that ran under the library (the
 * probe), because the log says what can be measured. One thread calls all functions. */
#pragma once

#include <limits.h>

#include "analysis/profile/profile.h"

enum cup_doctor_state {
    CUP_DOCTOR_FIT,
    CUP_DOCTOR_UNKNOWN, /* not there, or not tried: this is no fault */
    CUP_DOCTOR_LACKS,   /* something will be missing in profiles */
    CUP_DOCTOR_WRONG,   /* there will be no profiles, or not all of them */
};

struct cup_finding {
    enum cup_doctor_state state;
    char text[600];
    char advice[300]; /* what to do; empty: nothing */
};

/* A program that was run under the library, and its profile. */
struct cup_doctor_run {
    int status; /* exit status, or 128 + signal */
    char out[8192], err[8192];
    bool loaded;
    struct cup_profile profile; /* valid if `loaded` */
    struct cup_error error;     /* else: why not */
};

struct cup_doctor {
    const char *python;
    char directory[PATH_MAX]; /* where profiles would be written */
    char scratch[PATH_MAX];   /* in `directory`, or in /tmp; removed at the end; empty: none */
    int unwritable;           /* why the scratch is not in `directory`: an errno; 0: it is there */
    struct cup_doctor_run probe;
    struct cup_doctor_run *job; /* NULL: without --run */
};

struct cup_doctor_check {
    const char *name;
    void (*check)(const struct cup_doctor *doctor, struct cup_finding *finding);
};
extern const struct cup_doctor_check cup_doctor_checks[]; /* the last one has no name */
extern const struct cup_doctor_check cup_doctor_job_checks[];

/* Sets the state and the text of a finding, as printf() does; a text that is too long is cut. */
__attribute__((format(printf, 3, 4))) void
cup_doctor_find(struct cup_finding *finding, enum cup_doctor_state state, const char *format, ...);
/* Sets the advice of a finding in the same way. */
__attribute__((format(printf, 2, 3))) void cup_doctor_advise(struct cup_finding *finding,
                                                             const char *format, ...);

/* Makes the scratch directory. Returns 0, or -1 and errno if DOCTOR->directory cannot hold it: then
 * it is in /tmp, or, if that fails too, DOCTOR->scratch is empty. cup_doctor_close() removes it and
 * frees the profiles of the runs. */
int cup_doctor_open(struct cup_doctor *doctor);
void cup_doctor_close(struct cup_doctor *doctor);

/* Runs a Python program under the library, without the user's CUPPING_* variables, and loads its
 * profile, which is SCRATCH/NAME. The only argument of the program is the scratch directory. If
 * PROGRAM is NULL, runs `true` with the user's variables. */
void cup_doctor_run(const struct cup_doctor *doctor, const char *name, const char *program,
                    struct cup_doctor_run *run);

/* Copies what follows "NAME=" in a line that the program printed to TO, and returns TO. Returns
 * NULL if it printed no such line. */
const char *cup_doctor_fact(const struct cup_doctor_run *run, const char *name, char to[256]);

extern const char cup_doctor_probe_program[], cup_doctor_job_program[];
