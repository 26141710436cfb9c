/* Jobs: a cluster that ran something and left its profile, with the expected figures. The first
 * test that needs a job runs it. Each test is a process of its own, so the results are in a
 * directory. */
#pragma once

/* Directory of the job NAME, made by RUN (which gets it empty) unless an earlier test did that. A
 * job that failed once fails every test that needs it. The caller frees the path. */
char *cup_job(const char *name, void (*run)(const char *directory));

/* "DIRECTORY/NAME"; the caller frees it. */
char *cup_path(const char *directory, const char *name);

/* Directory with input files written by mktree.py (kept between runs): KIND "ttree" or "rntuple".
 * Its files.json says what there is. The caller frees the path. */
char *cup_input(const char *kind);

/* An empty directory NAME for a test that shares nothing. The caller frees the path. */
char *cup_scratch(const char *name);
