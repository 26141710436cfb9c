#include "cli/options.h"

#include <stdbool.h>
#include <string.h>

const char cup_option_off[] = "";

/* The option that `argument` names, with *value pointing behind its '=' or NULL. */
static const struct cup_option *find(const struct cup_option *options, size_t count,
                                     const char *argument, const char **value)
{
    size_t length = strcspn(argument, "=");
    *value = argument[length] ? argument + length + 1 : NULL;
    for (size_t i = 0; i < count; i++)
        if (strlen(options[i].name) == length && strncmp(options[i].name, argument, length) == 0)
            return &options[i];
    return NULL;
}

static int wrong(struct cup_error *error, const char *verb, const char *argument, const char *what)
{
    return cup_error_set(error, verb, CUP_NO_OFFSET, "%s %s; see `cupping help %s`", argument, what,
                         verb);
}

static int add_operand(const char *argument, const char *verb, const char **operands, size_t most,
                       size_t *given, struct cup_error *error)
{
    if (*given == most)
        return wrong(error, verb, argument, "is one argument too many");
    if (!*argument)
        return wrong(error, verb, "an empty name", "names no file or directory");
    operands[(*given)++] = argument;
    return 0;
}

int cup_options_read(int argc, char **argv, const struct cup_option *options, size_t count,
                     const char **operand, struct cup_error *error)
{
    size_t given;
    return cup_options_read_many(argc, argv, options, count, operand, 1, &given, error);
}

int cup_options_read_many(int argc, char **argv, const struct cup_option *options, size_t count,
                          const char **operands, size_t most, size_t *given,
                          struct cup_error *error)
{
    bool only_operands = false;
    *given = 0;
    for (int i = 1; i < argc; i++) {
        const char *value;
        if (only_operands || argv[i][0] != '-' || !argv[i][1]) {
            if (add_operand(argv[i], argv[0], operands, most, given, error) != 0)
                return -1;
            continue;
        }
        if (strcmp(argv[i], "--") == 0) {
            only_operands = true;
            continue;
        }
        const struct cup_option *option = find(options, count, argv[i], &value);
        if (!option)
            return wrong(error, argv[0], argv[i], "is no option");
        if (!option->value)
            return wrong(error, argv[0], option->name, "is not in this version");
        bool plain = *option->value == cup_option_off || *option->value == option->name;
        if (plain && value)
            return wrong(error, argv[0], argv[i], "takes no value");
        if (plain) {
            *option->value = option->name;
            continue;
        }
        if (!value && ++i == argc)
            return wrong(error, argv[0], option->name, "needs a value");
        *option->value = value ? value : argv[i];
        if (!**option->value)
            return wrong(error, argv[0], option->name, "has an empty value");
    }
    return 0;
}
