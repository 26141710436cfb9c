#include "analysis/write/output.h"

#include "analysis/write/temporary.h"
#include "include/log_format.h"
#include "include/merged_log.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { BUFFER_BYTES = 1 << 18 };

static bool is_special(const char *path)
{
    struct stat status;
    return stat(path, &status) == 0 && !S_ISREG(status.st_mode);
}

/* Gives the temporary file the mode of the file that it replaces, or the default mode of a new
 * file. */
static void set_mode(const struct cup_output *output)
{
    struct stat status;
    mode_t mask = umask(0);
    umask(mask);
    mode_t mode = stat(output->path, &status) == 0 ? status.st_mode & 0777 : 0666 & ~mask;
    if (fchmod(fileno(output->file), mode) != 0)
        errno = 0; /* the file system has no modes */
}

static int open_temporary(struct cup_output *output)
{
    size_t bytes = strlen(output->path) + sizeof ".XXXXXX";
    output->temporary = malloc(bytes);
    if (!output->temporary)
        return -1;
    snprintf(output->temporary, bytes, "%s.XXXXXX", output->path);
    int fd = mkstemp(output->temporary);
    if (fd >= 0)
        cup_temporary_add(output->temporary);
    output->file = fd >= 0 ? fdopen(fd, "w") : NULL;
    if (output->file) {
        set_mode(output);
        return 0;
    }
    if (fd >= 0) {
        close(fd);
        unlink(output->temporary);
    }
    return -1;
}

static void release(struct cup_output *output)
{
    if (output->temporary)
        cup_temporary_drop(output->temporary);
    free(output->path);
    free(output->temporary);
    *output = (struct cup_output){0};
}

/* Resolves links: the target is replaced, and the link stays a link. */
static char *real_path(const char *path)
{
    char *real = realpath(path, NULL);
    return real ? real : strdup(path);
}

static int open_any(struct cup_output *output, const char *path, struct cup_error *error)
{
    *output = (struct cup_output){0};
    if (strcmp(path, "-") == 0) {
        output->file = stdout;
        return 0;
    }
    output->path = real_path(path);
    if (!output->path)
        return cup_error_memory(error, path);
    int opened = is_special(path) ? 0 : open_temporary(output);
    if (!output->temporary)
        output->file = fopen(path, "w");
    if (opened == 0 && output->file) {
        setvbuf(output->file, NULL, _IOFBF, BUFFER_BYTES);
        return 0;
    }
    cup_error_system(error, path, "write");
    release(output);
    return -1;
}

/* The file PATH is a log, or a merged one. */
static bool is_log(const char *path)
{
    char head[8] = "";
    FILE *file = is_special(path) ? NULL : fopen(path, "re");
    size_t bytes = file ? fread(head, 1, sizeof head, file) : 0;
    if (file)
        fclose(file);
    return bytes == sizeof head && (memcmp(head, CUP_LOG_MAGIC, sizeof head) == 0 ||
                                    memcmp(head, CUP_MERGED_MAGIC, sizeof head) == 0);
}

int cup_output_open(struct cup_output *output, const char *path, struct cup_error *error)
{
    *output = (struct cup_output){0};
    if (is_log(path))
        return cup_error_set(error, path, CUP_NO_OFFSET,
                             "is a log, and is not overwritten; name another file for the output");
    return open_any(output, path, error);
}

int cup_output_open_private(struct cup_output *output, const char *path, struct cup_error *error)
{
    if (open_any(output, path, error) != 0)
        return -1;
    if (output->temporary && access(output->path, F_OK) != 0 &&
        fchmod(fileno(output->file), 0600) != 0)
        errno = 0; /* the file system has no modes */
    return 0;
}

bool cup_output_failed(const struct cup_output *output)
{
    return ferror(output->file) != 0;
}

static bool is_pipe(FILE *file)
{
    struct stat status;
    return fstat(fileno(file), &status) == 0 &&
           (S_ISFIFO(status.st_mode) || S_ISSOCK(status.st_mode));
}

/* Flushes and closes; 0, or -1 and errno. ferror() does not keep the errno of an earlier write, so
 * it is guessed: EPIPE on a pipe, otherwise EIO. */
static int finish_file(struct cup_output *output)
{
    int code = !ferror(output->file) ? 0 : is_pipe(output->file) ? EPIPE : EIO;
    if (fflush(output->file) != 0)
        code = errno;
    if (output->file != stdout && fclose(output->file) != 0 && !code)
        code = errno;
    errno = code;
    return code ? -1 : 0;
}

int cup_output_close(struct cup_output *output, struct cup_error *error)
{
    int result = finish_file(output);
    const char *name = output->path ? output->path : "standard output";
    if (result != 0 && errno == EPIPE)
        result = 0;
    else if (result != 0)
        cup_error_system(error, name, "write (disk full?)");
    if (output->temporary && result != 0)
        unlink(output->temporary);
    else if (output->temporary && rename(output->temporary, output->path) != 0)
        result = cup_error_system(error, name, "replace");
    release(output);
    return result;
}

void cup_output_abandon(struct cup_output *output)
{
    finish_file(output);
    if (output->temporary)
        unlink(output->temporary);
    release(output);
}
