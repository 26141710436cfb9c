/* What fuzzers of verbs share: files in a directory of this process below /dev/shm, and verbs of
 * cupping that run on them in this process. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* What tests/fuzz/mutate.c needs to know of a fuzzer. */
extern const struct fuzz_inputs {
    bool first_byte_chooses; /* a verb: it is changed more often than other bytes */
    bool are_json;           /* most mutations leave the text JSON, so that its reader goes on */
    const char *ending;      /* of files in the corpus; NULL: all are inputs */
} fuzz_inputs;

/* What libFuzzer and tests/fuzz/mutate.c call. Returns 0. */
int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size);

/* Writes a file; NAME may have one folder. Aborts if it cannot. */
void fuzz_write(const char *name, const void *bytes, size_t size);
void fuzz_remove(const char *name);

/* Allocated path of a file of this name. */
char *fuzz_path(const char *name);

/* Runs a verb. WORDS are its words with one blank between them; a word that begins with @ is a
 * path: "report @in --html @out.html". */
void fuzz_verb(const char *words);
