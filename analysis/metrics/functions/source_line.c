#define _POSIX_C_SOURCE 200809L

#include "analysis/metrics/functions/source_line.h"

#include <ctype.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PATH_ROOM = 4096, DECORATORS = 32 };

/* O_NONBLOCK: the path may be that of a FIFO by now. */
static FILE *open_source(const struct cup_source *source)
{
    char path[PATH_ROOM];
    struct stat status;
    if (source->path.length == 0 || source->path.length >= sizeof path)
        return NULL;
    memcpy(path, source->path.bytes, source->path.length);
    path[source->path.length] = '\0';
    int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0)
        return NULL;
    bool same =
        fstat(fd, &status) == 0 && S_ISREG(status.st_mode) &&
        (int64_t)status.st_mtim.tv_sec * 1000000000 + status.st_mtim.tv_nsec < source->before_ns;
    FILE *file = same ? fdopen(fd, "r") : NULL;
    if (!file)
        close(fd);
    return file;
}

/* The name behind the last dot: "process" of "Processor.process". */
static struct cup_text plain_name(struct cup_text function)
{
    for (size_t i = function.length; i > 0; i--)
        if (function.bytes[i - 1] == '.')
            return (struct cup_text){function.bytes + i, function.length - i};
    return function;
}

/* "def NAME" followed by something that cannot go on with the name. "<lambda>" and the like have no
 * name to look for: a lambda must be there, a module or a comprehension need not be visible. */
static bool defines(const char *line, struct cup_text name)
{
    if (name.length > 0 && name.bytes[0] == '<')
        return name.length < 8 || memcmp(name.bytes, "<lambda>", 8) != 0 || strstr(line, "lambda");
    for (const char *at = strstr(line, "def "); at; at = strstr(at + 1, "def ")) {
        const char *begin = at + 4 + strspn(at + 4, " \t");
        if (strncmp(begin, name.bytes, name.length) == 0 &&
            !isalnum((unsigned char)begin[name.length]) && begin[name.length] != '_')
            return true;
    }
    return false;
}

static void copy_trimmed(const char *line, char to[CUP_CODE_ROOM])
{
    line += strspn(line, " \t\f");
    size_t length = strcspn(line, "\r\n");
    while (length > 0 && isspace((unsigned char)line[length - 1]))
        length--;
    snprintf(to, CUP_CODE_ROOM, "%.*s", (int)(length < CUP_CODE_ROOM ? length : CUP_CODE_ROOM),
             line);
}

/* A definition begins with its decorators, so "def" may stand some lines later. */
static bool read_line(FILE *file, const struct cup_source *source, uint32_t wanted,
                      char to[CUP_CODE_ROOM])
{
    const struct cup_text name = plain_name(source->function);
    bool defined = source->first_line == 0, found = false;
    char *line = NULL;
    size_t room = 0;
    for (uint32_t number = 1; !(defined && found) && getline(&line, &room, file) > 0; number++) {
        if (source->first_line && number >= source->first_line &&
            number - source->first_line < DECORATORS)
            defined |= defines(line, name);
        if (number == wanted) {
            copy_trimmed(line, to);
            found = true;
        }
    }
    free(line);
    return defined && found && *to;
}

bool cup_source_line(const struct cup_source *source, uint32_t line, char to[CUP_CODE_ROOM])
{
    FILE *file = line ? open_source(source) : NULL;
    *to = '\0';
    if (!file)
        return false;
    bool found = read_line(file, source, line, to);
    fclose(file);
    if (!found)
        *to = '\0';
    return found;
}
