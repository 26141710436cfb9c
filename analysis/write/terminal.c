#include "analysis/write/terminal.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "analysis/base/utf8.h"
#include "analysis/write/html.h"

enum { DEFAULT_WIDTH = 80, LEAST_WIDTH = 40, GREATEST_WIDTH = 1000 };

static unsigned asked_width(void)
{
    const char *columns = getenv("COLUMNS");
    char *end;
    long width = columns ? strtol(columns, &end, 10) : 0;
    return columns && *columns && !*end && width > 0 && width <= GREATEST_WIDTH ? (unsigned)width
                                                                                : 0;
}

static unsigned device_width(int fd)
{
#ifdef TIOCGWINSZ
    struct winsize size;
    if (ioctl(fd, TIOCGWINSZ, &size) == 0)
        return size.ws_col;
#endif
    (void)fd;
    return 0;
}

static unsigned width_of(int fd)
{
    unsigned width = asked_width();
    if (width == 0)
        width = device_width(fd);
    if (width == 0)
        width = DEFAULT_WIDTH;
    return width < LEAST_WIDTH ? LEAST_WIDTH : width;
}

static bool wants_colour(int fd)
{
    const char *no_colour = getenv("NO_COLOR"), *terminal = getenv("TERM");
    return isatty(fd) && !(no_colour && *no_colour) && terminal && strcmp(terminal, "dumb") != 0;
}

/* By the name of the locale, which may be one that is not installed here. */
static bool is_utf8(void)
{
    static const char *const names[] = {"LC_ALL", "LC_CTYPE", "LANG"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const char *locale = getenv(names[i]);
        if (locale && *locale)
            return strcasestr(locale, "utf-8") || strcasestr(locale, "utf8");
    }
    return false;
}

void cup_terminal_open(struct cup_terminal *terminal, const struct cup_output *output)
{
    int fd = fileno(output->shown_on ? output->shown_on : output->file);
    *terminal = (struct cup_terminal){
        .out = output->file,
        .width = width_of(fd),
        .colour = output->colour == CUP_COLOUR_AUTO ? wants_colour(fd)
                                                    : output->colour == CUP_COLOUR_ALWAYS,
        .ascii = !is_utf8(),
    };
}

void cup_print(const struct cup_terminal *terminal, enum cup_style style, const char *format, ...)
{
    if (terminal->html) {
        char text[CUP_HTML_LINE];
        va_list arguments;
        va_start(arguments, format);
        vsnprintf(text, sizeof text, format, arguments);
        va_end(arguments);
        cup_html_prose(terminal->out, text);
        return;
    }
    static const char *const codes[] = {
        [CUP_PLAIN] = "",
        [CUP_BOLD] = "\033[1m",
        [CUP_DIM] = "\033[2m",
        [CUP_GOOD] = "\033[32m",
        [CUP_WARN] = "\033[33m",
        [CUP_BAD] = "\033[31m",
        [CUP_HEADING] = "\033[1;36m",
        [CUP_BLUE] = "\033[34m",
        [CUP_MAGENTA] = "\033[35m",
        [CUP_CYAN] = "\033[36m",
        [CUP_LIGHT_RED] = "\033[91m",
        [CUP_LIGHT_GREEN] = "\033[92m",
        [CUP_LIGHT_YELLOW] = "\033[93m",
        [CUP_LIGHT_BLUE] = "\033[94m",
        [CUP_LIGHT_MAGENTA] = "\033[95m",
        [CUP_LIGHT_CYAN] = "\033[96m",
    };
    bool styled = terminal->colour && style != CUP_PLAIN;
    char *text = NULL;
    va_list arguments;
    va_start(arguments, format);
    if (styled)
        fputs(codes[style], terminal->out);
    if (vasprintf(&text, format, arguments) >= 0) {
        cup_utf8_print(terminal->out, text, "\n");
        free(text);
    }
    if (styled)
        fputs("\033[0m", terminal->out);
    va_end(arguments);
}

unsigned cup_text_columns(struct cup_text text)
{
    unsigned columns = 0;
    uint32_t code;
    const char *end = text.bytes + text.length;
    for (const char *at = text.bytes; at < end; columns++)
        at += cup_utf8_next(at, end, &code);
    return columns;
}

/* A copy with a question mark for each harmful character. The caller frees it; NULL: no memory. */
static char *make_harmless(const char *text)
{
    const char *end = text + strlen(text);
    char *copy = malloc((size_t)(end - text) + 1), *to = copy;
    while (copy && text < end) {
        uint32_t code;
        size_t length = cup_utf8_next(text, end, &code);
        to = cup_utf8_is_harmless(code) ? mempcpy(to, text, length) : mempcpy(to, "?", 1);
        text += length;
    }
    if (copy)
        *to = '\0';
    return copy;
}

/* Prints the characters from number `from` up to `to`. */
static void print_part(FILE *out, struct cup_text text, unsigned from, unsigned to)
{
    const char *end = text.bytes + text.length;
    unsigned number = 0;
    for (const char *at = text.bytes; at < end && number < to; number++) {
        uint32_t code;
        size_t length = cup_utf8_next(at, end, &code);
        if (number >= from && cup_utf8_is_harmless(code))
            fwrite(at, 1, length, out);
        else if (number >= from)
            putc('?', out);
        at += length;
    }
}

void cup_print_fit(const struct cup_terminal *terminal, struct cup_text text, unsigned width,
                   enum cup_fit fit)
{
    unsigned columns = cup_text_columns(text);
    unsigned fill = columns < width && fit != CUP_FIT_NONE ? width - columns : 0;
    if (fit == CUP_FIT_RIGHT)
        fprintf(terminal->out, "%*s", (int)fill, "");
    if (columns <= width) {
        print_part(terminal->out, text, 0, columns);
    } else {
        unsigned tail = (width - 1) / 2, head = width - 1 - tail;
        print_part(terminal->out, text, 0, head);
        fputs(terminal->ascii ? "~" : "…", terminal->out);
        print_part(terminal->out, text, columns - tail, columns);
    }
    if (fit == CUP_FIT_LEFT)
        fprintf(terminal->out, "%*s", (int)fill, "");
}

/* True if a unit follows the number that ends before `space`: they stay in one line. */
static bool joins_unit(const char *text, size_t space)
{
    static const char *const units[] = {"%",  "s",  "ms", "us",  "min",  "B",    "kB",
                                        "MB", "GB", "TB", "B/s", "kB/s", "MB/s", "GB/s"};
    if (text[space] != ' ' || space == 0 || text[space - 1] < '0' || text[space - 1] > '9')
        return false;
    size_t length = strcspn(text + space + 1, " ,.;:)");
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (strlen(units[i]) == length && memcmp(units[i], text + space + 1, length) == 0)
            return true;
    return false;
}

static size_t word_end(const char *text, size_t at)
{
    size_t end = at + strcspn(text + at, " ");
    while (joins_unit(text, end))
        end += 1 + strcspn(text + end + 1, " ");
    return end;
}

/* Length of the longest beginning of `text` that ends before a space and fits. */
static size_t line_length(const char *text, unsigned room)
{
    size_t best = 0, at = 0;
    while (text[at]) {
        size_t end = word_end(text, at);
        if (best > 0 && cup_text_columns((struct cup_text){text, end}) > room)
            break;
        best = end;
        at = end + strspn(text + end, " ");
    }
    return best;
}

void cup_print_hanging(const struct cup_terminal *terminal, enum cup_style style, unsigned indent,
                       const char *text)
{
    if (terminal->html) {
        cup_html_prose(terminal->out, text);
        return;
    }
    char *copy = make_harmless(text);
    const char *at = copy ? copy : "";
    for (unsigned before = 0; *at; before = indent) {
        size_t length = line_length(at, terminal->width - indent);
        cup_print(terminal, style, "%*s%.*s\n", (int)before, "", (int)length, at);
        at += length;
        at += strspn(at, " ");
    }
    free(copy);
}

void cup_print_wrapped(const struct cup_terminal *terminal, enum cup_style style, unsigned indent,
                       const char *text)
{
    if (terminal->html) {
        cup_html_paragraph(terminal->out, style, text);
        return;
    }
    if (*text)
        fprintf(terminal->out, "%*s", (int)indent, "");
    cup_print_hanging(terminal, style, indent, text);
}
