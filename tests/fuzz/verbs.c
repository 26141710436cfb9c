#include "tests/fuzz/verbs.h"

#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/verbs.h"

enum { MOST_WORDS = 16 };

/* LeakSanitizer reads this; fontconfig keeps what it allocates. */
const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void)
{
    return "leak:libfontconfig\n";
}

static char home[64];

static int remove_entry(const char *path, const struct stat *status, int kind, struct FTW *place)
{
    (void)status, (void)kind, (void)place;
    return remove(path);
}

static void remove_home(void)
{
    nftw(home, remove_entry, 8, FTW_DEPTH | FTW_PHYS);
}

static void make_home(void)
{
    if (home[0])
        return;
    snprintf(home, sizeof home, "/dev/shm/cupping-fuzz-%ld", (long)getpid());
    mkdir(home, 0700);
    atexit(remove_home);
}

char *fuzz_path(const char *name)
{
    char *path = NULL;
    make_home();
    if (asprintf(&path, "%s/%s", home, name) < 0)
        abort();
    return path;
}

static void make_folder_of(char *path)
{
    char *slash = strrchr(path, '/');
    *slash = '\0';
    mkdir(path, 0700);
    *slash = '/';
}

void fuzz_write(const char *name, const void *bytes, size_t size)
{
    char *path = fuzz_path(name);
    make_folder_of(path);
    unlink(path);
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (fd < 0 || write(fd, bytes, size) != (ssize_t)size)
        abort();
    close(fd);
    free(path);
}

void fuzz_remove(const char *name)
{
    char *path = fuzz_path(name);
    unlink(path);
    free(path);
}

void fuzz_verb(const char *words)
{
    char *copy = strdup(words), *rest = copy, *argv[MOST_WORDS + 1] = {NULL};
    int argc = 0;
    for (char *word; argc < MOST_WORDS && (word = strsep(&rest, " ")); argc++)
        argv[argc] = *word == '@' ? fuzz_path(word + 1) : strdup(word);
    cup_verb_start(argc, argv);
    for (int i = 0; i < argc; i++)
        free(argv[i]);
    free(copy);
}
