/* The main program of a fuzzer without libFuzzer: feeds it each file of a corpus as it is, then
 * mutations of them. A seed always makes the same inputs.
 *
 *     fuzz_log DIR ROUNDS [FIRST]
 *
 * Rounds count from FIRST (0), so a round that failed can be repeated alone. */
#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/fuzz/verbs.h"

enum { MOST_BYTES = 1 << 18 };

struct input {
    char *name;           /* owned */
    unsigned char *bytes; /* owned */
    size_t size;
};

static struct input *inputs;
static size_t input_count;
static int report_to = STDERR_FILENO; /* what the verbs print goes to /dev/null */
static char running[512];             /* which input is fed now */

/* ---- dice --------------------------------------------------------------------------------------
 */

static uint64_t state;

static uint64_t roll(void) /* splitmix64 */
{
    uint64_t z = state += UINT64_C(0x9E3779B97F4A7C15);
    z = (z ^ z >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ z >> 27) * UINT64_C(0x94D049BB133111EB);
    return z ^ z >> 31;
}

static size_t below(size_t most)
{
    return most ? roll() % most : 0;
}

/* ---- mutations ---------------------------------------------------------------------------------
 */

static const uint64_t numbers[] = {0,          1,          7,          8,
                                   0x7F,       0xFF,       0xFFFF,     0x7FFFFFFF,
                                   0x80000000, 0xFFFFFFFF, 1ull << 32, UINT64_MAX >> 1,
                                   UINT64_MAX, 0x10000};
#define COUNT(array) (sizeof(array) / sizeof *(array))

static void put(struct input *input, size_t at, const void *bytes, size_t count)
{
    if (at < input->size)
        memcpy(input->bytes + at, bytes, count < input->size - at ? count : input->size - at);
}

static void put_number(struct input *input, size_t at)
{
    static const size_t widths[] = {1, 2, 4, 8};
    size_t width = widths[below(4)];
    uint64_t number = numbers[below(COUNT(numbers))] + below(3) - 1;
    put(input, below(2) ? at : at / width * width, &number, width);
}

static void put_part_of_another(struct input *input, size_t at)
{
    const struct input *other = &inputs[below(input_count)];
    size_t from = below(other->size), bytes = (size_t)8 << below(8);
    if (from < other->size)
        put(input, at, other->bytes + from,
            bytes < other->size - from ? bytes : other->size - from);
}

static void repeat_part(struct input *input, size_t at)
{
    size_t bytes = (size_t)1 << below(13);
    if (at + bytes > input->size || input->size + bytes > MOST_BYTES)
        return;
    memmove(input->bytes + at + bytes, input->bytes + at, input->size - at);
    input->size += bytes;
}

static void remove_part(struct input *input, size_t at)
{
    size_t bytes = (size_t)1 << below(10);
    if (at + bytes > input->size)
        return;
    memmove(input->bytes + at, input->bytes + at + bytes, input->size - at - bytes);
    input->size -= bytes;
}

static void mutate_bytes(struct input *input)
{
    for (size_t left = (size_t)1 << below(6); left > 0; left--) {
        size_t at = below(input->size);
        unsigned char byte = (unsigned char)roll();
        switch (below(8)) {
        case 0:
        case 1:
            put_number(input, at);
            break;
        case 2:
            put(input, at, &byte, 1);
            break;
        case 3:
            put_part_of_another(input, at);
            break;
        case 4:
            repeat_part(input, at);
            break;
        case 5:
            remove_part(input, at);
            break;
        case 6:
            if (fuzz_inputs.first_byte_chooses)
                put(input, 0, &byte, 1);
            break;
        default:
            if (below(20) == 0)
                input->size = at;
        }
    }
}

/* ---- mutations of JSON ------------------------------------------------------------------------
 */

/* Replaces the bytes from AT to END by WORD. */
static void put_word(struct input *input, size_t at, size_t end, const char *word)
{
    size_t bytes = strlen(word);
    if (input->size - (end - at) + bytes > MOST_BYTES)
        return;
    memmove(input->bytes + at + bytes, input->bytes + end, input->size - end);
    memcpy(input->bytes + at, word, bytes);
    input->size += bytes - (end - at);
}

/* Where the value that begins at AT ends. */
static size_t end_of_value(const struct input *input, size_t at)
{
    int depth = 0;
    bool in_string = false;
    for (; at < input->size; at++) {
        unsigned char byte = input->bytes[at];
        if (in_string && byte == '\\')
            at++;
        else if (byte == '"')
            in_string = !in_string;
        else if (in_string)
            continue;
        else if (byte == '{' || byte == '[')
            depth++;
        else if ((byte == '}' || byte == ']' || byte == ',') && depth == 0)
            return at;
        else if (byte == '}' || byte == ']')
            depth--;
    }
    return input->size;
}

/* A value of an object, from AT on, becomes another one. */
static void put_value(struct input *input, size_t at)
{
    static const char *const words[] = {"null",
                                        "true",
                                        "0",
                                        "-1",
                                        "1.5",
                                        "1e308",
                                        "-0.0",
                                        "[]",
                                        "{}",
                                        "9223372036854775807",
                                        "\"\"",
                                        "\"1\"",
                                        "\"\\ud800\"",
                                        "[[]]",
                                        "-9223372036854775808",
                                        "[null]",
                                        "[1,2,3]",
                                        "{\"a\":1}",
                                        "1e-9",
                                        "18446744073709551616",
                                        "\"/\"",
                                        "\"\\u0000\"",
                                        "\"\\u001b[2J\"",
                                        "4294967296"};
    while (at + 1 < input->size && (input->bytes[at] != ':' || input->bytes[at - 1] != '"'))
        at++;
    if (at + 1 < input->size)
        put_word(input, at + 1, end_of_value(input, at + 1), words[below(COUNT(words))]);
}

/* A digit becomes another one, and a letter another one: also those of names. */
static void put_character(struct input *input, size_t at)
{
    static const char digits[] = "0123456789", letters[] = "aeiou_nrst";
    unsigned char byte = input->bytes[at];
    if (byte >= '0' && byte <= '9')
        put(input, at, &digits[below(10)], 1);
    else if ((byte >= 'a' && byte <= 'z') || byte == '_')
        put(input, at, &letters[below(10)], 1);
}

static void mutate_json(struct input *input)
{
    static const char *const marks[] = {"\"", "{", "}", "[", "]", ",", ":", "\\", "-", "e"};
    unsigned char byte = (unsigned char)roll();
    for (size_t left = (size_t)1 << below(4); left > 0; left--)
        if (below(3))
            put_value(input, 1 + below(input->size - 1));
        else
            put_character(input, 1 + below(input->size - 1));
    if (below(8) == 0) {
        size_t at = 1 + below(input->size - 1);
        put_word(input, at, at, marks[below(COUNT(marks))]);
    }
    if (below(4) == 0)
        put(input, 0, &byte, 1);
}

static void mutate(struct input *input)
{
    if (fuzz_inputs.are_json && below(4) && input->size > 1)
        mutate_json(input);
    else
        mutate_bytes(input);
}

/* ---- the corpus --------------------------------------------------------------------------------
 */

static struct input read_input(const char *directory, const char *name)
{
    char path[4096];
    struct input input = {.name = strdup(name), .bytes = malloc(MOST_BYTES)};
    snprintf(path, sizeof path, "%s/%s", directory, name);
    FILE *file = fopen(path, "re");
    if (!file || !input.name || !input.bytes) {
        perror(path);
        exit(1);
    }
    input.size = fread(input.bytes, 1, MOST_BYTES, file);
    fclose(file);
    return input;
}

static int is_file(const struct dirent *entry)
{
    const char *ending = fuzz_inputs.ending ? fuzz_inputs.ending : "";
    size_t bytes = strlen(entry->d_name), last = strlen(ending);
    return entry->d_name[0] != '.' && bytes >= last &&
           strcmp(entry->d_name + bytes - last, ending) == 0;
}

static void read_corpus(const char *directory)
{
    struct dirent **entries;
    int count = scandir(directory, &entries, is_file, alphasort);
    inputs = calloc(count > 0 ? (size_t)count : 1, sizeof *inputs);
    for (int i = 0; i < count && inputs; i++) {
        inputs[input_count++] = read_input(directory, entries[i]->d_name);
        free(entries[i]);
    }
    if (input_count == 0) {
        fprintf(stderr, "%s: no corpus\n", directory);
        exit(1);
    }
    free(entries);
}

/* ---- feeding -----------------------------------------------------------------------------------
 */

static void report_crash(int number)
{
    if (write(report_to, running, strlen(running)) > 0)
        signal(number, SIG_DFL);
    raise(number);
}

/* Sanitizers take the signals themselves, unless their options forbid it, and then print RUNNING as
 * well. */
static void catch_crashes(void)
{
    static const int numbers_of[] = {SIGSEGV, SIGBUS, SIGFPE, SIGABRT, SIGILL, SIGALRM};
    for (size_t i = 0; i < COUNT(numbers_of); i++)
        signal(numbers_of[i], report_crash);
}

/* The fuzzer gets a copy of exactly these bytes. */
static void feed(const struct input *input)
{
    unsigned char *copy = malloc(input->size ? input->size : 1);
    if (!copy)
        abort();
    memcpy(copy, input->bytes, input->size);
    LLVMFuzzerTestOneInput(copy, input->size);
    free(copy);
}

static void feed_mutation(struct input *room, size_t round)
{
    state = round;
    const struct input *of = &inputs[below(input_count)];
    room->size = of->size;
    memcpy(room->bytes, of->bytes, of->size);
    mutate(room);
    snprintf(running, sizeof running, "round %zu, a mutation of %.200s\n", round, of->name);
    feed(room);
}

static void silence_verbs(void)
{
    report_to = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 10);
    int null = open("/dev/null", O_WRONLY | O_CLOEXEC);
    if (dup2(null, STDOUT_FILENO) < 0)
        abort();
#if !defined(__SANITIZE_ADDRESS__)
    if (dup2(null, STDERR_FILENO) < 0)
        abort();
#endif
}

int main(int argc, char **argv)
{
    struct input room = {.bytes = malloc(MOST_BYTES)};
    if (argc < 3 || !room.bytes) {
        fprintf(stderr, "usage: %s DIR ROUNDS [FIRST]\n", argv[0]);
        return 2;
    }
    read_corpus(argv[1]);
    size_t rounds = strtoul(argv[2], NULL, 10), first = argc > 3 ? strtoul(argv[3], NULL, 10) : 0;
    catch_crashes();
    silence_verbs();
    for (size_t i = 0; i < input_count && argc == 3; i++) {
        snprintf(running, sizeof running, "input %.200s\n", inputs[i].name);
        feed(&inputs[i]);
    }
    for (size_t round = first; round < first + rounds; round++)
        feed_mutation(&room, round);
    dprintf(report_to, "%zu inputs, %zu mutations\n", argc == 3 ? input_count : 0, rounds);
    return 0;
}
