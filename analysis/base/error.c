#include "analysis/base/error.h"

#include "analysis/base/utf8.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <string.h>

int cup_error_set(struct cup_error *error, const char *source, uint64_t offset, const char *format,
                  ...)
{
    va_list arguments;
    va_start(arguments, format);
    snprintf(error->source, sizeof error->source, "%s", source ? source : "");
    error->offset = offset;
    vsnprintf(error->text, sizeof error->text, format, arguments);
    va_end(arguments);
    return -1;
}

int cup_error_system(struct cup_error *error, const char *source, const char *action)
{
    return cup_error_set(error, source, CUP_NO_OFFSET, "cannot %s: %s", action, strerror(errno));
}

int cup_error_memory(struct cup_error *error, const char *source)
{
    return cup_error_set(error, source, CUP_NO_OFFSET, "out of memory");
}

void cup_error_print(FILE *out, const struct cup_error *error)
{
    fputs("cupping: ", out);
    if (error->source[0]) {
        cup_utf8_print(out, error->source, "");
        fputs(": ", out);
    }
    if (error->offset != CUP_NO_OFFSET)
        fprintf(out, "byte %" PRIu64 ": ", error->offset);
    cup_utf8_print(out, error->text, "");
    fputc('\n', out);
}
