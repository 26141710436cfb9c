#include "cli/options.h"

#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>

#include "analysis/base/closest.h"
#include "analysis/log/merged_log.h"

enum { LAST_COLUMN = 79, MEANING_COLUMN = 21, MEANING_ROOM = 2048 };

/* ---- reading ------------------------------------------------------------------------------ */

/* The option that `argument` names, with *value pointing behind its '=' or NULL. */
static const struct cup_option *find_option(const struct cup_options *options, const char *argument,
                                            const char **value)
{
    size_t length = strcspn(argument, "=");
    *value = argument[length] ? argument + length + 1 : NULL;
    for (size_t i = 0; i < options->count; i++) {
        const char *name = options->rows[i].name;
        if (strlen(name) == length && strncmp(name, argument, length) == 0)
            return &options->rows[i];
    }
    return NULL;
}

static int set_usage_error(struct cup_error *error, const char *verb, const char *argument,
                           const char *what)
{
    return cup_error_set(error, verb, CUP_NO_OFFSET, "%s %s; see `cupping help %s`", argument, what,
                         verb);
}

static int add_operand(struct cup_operands *operands, const char *argument, const char *verb,
                       struct cup_error *error)
{
    if (operands->count == operands->room)
        return set_usage_error(error, verb, argument, "is one argument too many");
    if (!*argument)
        return set_usage_error(error, verb, "an empty name", "names no file or directory");
    operands->words[operands->count++] = argument;
    return 0;
}

static int add_split(struct cup_operands *operands, const char *verb, struct cup_error *error)
{
    if (operands->split_count == operands->split_room)
        return set_usage_error(error, verb, "--", "is one too many");
    operands->splits[operands->split_count++] = operands->count;
    return 0;
}

static int refuse_option(char **argv, int at, const struct cup_options *options,
                         struct cup_error *error)
{
    struct cup_closest closest = {.word = argv[at]};
    for (size_t i = 0; i < options->count; i++)
        cup_closest_try(&closest, options->rows[i].name);
    return cup_error_set(error, argv[0], CUP_NO_OFFSET,
                         "%s is not an option of this verb%s; see `cupping help %s`", argv[at],
                         cup_closest_text(&closest), argv[0]);
}

/* True if argv[at] cannot be the file that an option may name: it is the next option, or the
 * profile, which is a directory or a merged log. */
static bool lacks_argument(int argc, char **argv, int at)
{
    struct stat status;
    if (at == argc || argv[at][0] == '-')
        return at == argc || argv[at][1];
    return (stat(argv[at], &status) == 0 && S_ISDIR(status.st_mode)) || cup_merged_is(argv[at]);
}

/* Reads the option argv[at] and its argument. Returns the index of the last word that it used, or
 * -1 and *error. */
static int read_option(int argc, char **argv, int at, const struct cup_options *options,
                       void *request, struct cup_error *error)
{
    const char *value;
    const struct cup_option *option = find_option(options, argv[at], &value);
    if (!option)
        return refuse_option(argv, at, options, error);
    if (!option->argument && value)
        return set_usage_error(error, argv[0], argv[at], "takes no value");
    if (!option->argument)
        value = option->name;
    else if (!value && option->otherwise && lacks_argument(argc, argv, at + 1))
        value = option->otherwise;
    else if (!value && ++at == argc)
        return set_usage_error(error, argv[0], option->name, "needs a value");
    else if (!value)
        value = argv[at];
    if (!*value)
        return set_usage_error(error, argv[0], option->name, "has an empty value");
    memcpy((char *)request + option->place, &value, sizeof value);
    return at;
}

int cup_options_read(int argc, char **argv, const struct cup_options *options, void *request,
                     struct cup_operands *operands, struct cup_error *error)
{
    bool only_operands = false;
    for (int i = 1; i < argc; i++) {
        if (!only_operands && strcmp(argv[i], "--") == 0) {
            only_operands = !operands->splits;
            if (operands->splits && add_split(operands, argv[0], error) != 0)
                return -1;
        } else if (only_operands || argv[i][0] != '-' || !argv[i][1]) {
            if (add_operand(operands, argv[i], argv[0], error) != 0)
                return -1;
        } else {
            i = read_option(argc, argv, i, options, request, error);
            if (i < 0)
                return -1;
        }
    }
    return 0;
}

/* ---- help --------------------------------------------------------------------------------- */

void cup_print_help_text(FILE *out, size_t column, size_t indent, const char *text)
{
    for (const char *word = text; *word;) {
        size_t length = strcspn(word, " \n");
        if (column > indent && column + 1 + length > LAST_COLUMN)
            column = 0, putc('\n', out);
        if (column < indent)
            column += (size_t)fprintf(out, "%*s", (int)(indent - column), "");
        else if (column > indent)
            column += (size_t)fprintf(out, " ");
        column += (size_t)fprintf(out, "%.*s", (int)length, word);
        word += length;
        if (*word == '\n')
            column = 0, putc('\n', out);
        word += *word != '\0';
    }
    putc('\n', out);
}

/* Writes the meaning of an option and the values that it can have: "the format: png, svg or pdf".
 */
static void write_meaning(char *to, const struct cup_option *option)
{
    size_t used = (size_t)snprintf(to, MEANING_ROOM, "%s", option->meaning);
    for (size_t i = 0; option->values && option->values(i) && used < MEANING_ROOM; i++) {
        const char *before = i == 0 ? ": " : option->values(i + 1) ? ", " : " or ";
        used += (size_t)snprintf(to + used, MEANING_ROOM - used, "%s%s", before, option->values(i));
    }
}

static void print_option(FILE *out, const struct cup_option *option)
{
    char meaning[MEANING_ROOM];
    size_t column = (size_t)fprintf(out, "  %s%s%s", option->name, option->argument ? " " : "",
                                    option->argument ? option->argument : "");
    write_meaning(meaning, option);
    if (column + 2 > MEANING_COLUMN)
        column = 0, putc('\n', out);
    cup_print_help_text(out, column, MEANING_COLUMN, meaning);
}

void cup_options_print(FILE *out, const struct cup_options *options)
{
    for (size_t i = 0; i < options->count; i++)
        print_option(out, &options->rows[i]);
}
