#include "plot/shared/worker_names.h"

#include <stdio.h>
#include <string.h>

#include "analysis/metrics/sums/budget.h"

/* The number at the beginning of a text; *digits: its length. */
static uint64_t leading_number(const char *text, size_t length, size_t *digits)
{
    uint64_t number = 0;
    for (*digits = 0; *digits < length && *digits < 18; ++*digits) {
        if (text[*digits] < '0' || text[*digits] > '9')
            break;
        number = 10 * number + (uint64_t)(text[*digits] - '0');
    }
    return number;
}

int cup_names_compare(struct cup_text one, struct cup_text two)
{
    size_t i = 0, j = 0;
    while (i < one.length && j < two.length) {
        size_t a, b;
        uint64_t first = leading_number(one.bytes + i, one.length - i, &a);
        uint64_t second = leading_number(two.bytes + j, two.length - j, &b);
        if (a && b && first != second)
            return first < second ? -1 : 1;
        if (!(a && b) && one.bytes[i] != two.bytes[j])
            return (unsigned char)one.bytes[i] < (unsigned char)two.bytes[j] ? -1 : 1;
        i += a && b ? a : 1;
        j += a && b ? b : 1;
    }
    return (i < one.length) - (j < two.length);
}

enum { NAME = 96 };

struct cup_text cup_worker_name(struct cup_arena *arena, struct cup_text name)
{
    size_t digits;
    leading_number(name.bytes, name.length, &digits);
    char *text = name.length && digits == name.length ? cup_arena_take(arena, 1, NAME) : NULL;
    if (!text)
        return name;
    int length = snprintf(text, NAME, "worker %.*s", (int)name.length, name.bytes);
    return (struct cup_text){text, (size_t)length};
}

struct cup_text cup_observed_worker_name(struct cup_arena *arena,
                                         const struct cup_observed_worker *worker)
{
    return cup_worker_name(arena, worker->name.length ? worker->name : worker->address);
}

static struct cup_text host_and_pid(struct cup_arena *arena, const struct cup_process *process)
{
    char *text = cup_arena_take(arena, 1, NAME);
    if (!text)
        return (struct cup_text){0};
    int length = snprintf(text, NAME, "%.60s %u", process->header.host, process->header.pid);
    return (struct cup_text){text, (size_t)length};
}

struct cup_text *cup_process_names(struct cup_plot_input *input)
{
    const struct cup_profile *profile = input->totals->profile;
    size_t count = profile->process_count;
    struct cup_text *names = cup_arena_take(input->arena, count + 1, sizeof *names);
    uint32_t *workers = cup_arena_take(input->arena, count + 1, sizeof *workers);
    if (!names || !workers)
        return NULL;
    for (size_t i = 0; i < profile->server_count; i++) {
        const struct cup_server *server = &profile->servers[i];
        if (!cup_server_is_worker(server))
            continue;
        workers[server->process]++;
        struct cup_text name = cup_profile_text(profile, server->name);
        names[server->process] = name.length ? name : cup_profile_text(profile, server->address);
    }
    for (size_t i = 0; i < count; i++)
        names[i] = workers[i] != 1 || names[i].length == 0
                       ? host_and_pid(input->arena, &profile->processes[i])
                       : cup_worker_name(input->arena, names[i]);
    return names;
}
