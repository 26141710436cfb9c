#include "analysis/profile/roles.h"

#include <stdio.h>
#include <string.h>

static bool has_read_data(const struct cup_process *process)
{
    const uint64_t *bytes = process->without_task;
    return bytes[CUP_C_READ_NONE_BYTES] > bytes[CUP_C_SERVER_READ_BYTES] ||
           bytes[CUP_C_MAPPED_BYTES];
}

enum cup_role cup_process_role(const struct cup_process *process)
{
    static const enum cup_role by_precedence[] = {CUP_ROLE_WORKER, CUP_ROLE_SCHEDULER,
                                                  CUP_ROLE_NANNY, CUP_ROLE_CLIENT};
    if (process->ancestry && process->tasks == 0)
        return CUP_ROLE_CHILD;
    if (cup_process_is_worker(process))
        return CUP_ROLE_WORKER;
    for (size_t i = 0; i < sizeof by_precedence / sizeof *by_precedence; i++)
        if (process->roles & 1u << by_precedence[i])
            return by_precedence[i];
    if (process->header.parent_task)
        return CUP_ROLE_CHILD;
    return has_read_data(process) ? CUP_ROLE_READER : CUP_ROLE_OTHER;
}

const char *cup_role_name(enum cup_role role)
{
    static const char *const names[] = {
        [CUP_ROLE_OTHER] = "other",         [CUP_ROLE_CLIENT] = "client",
        [CUP_ROLE_SCHEDULER] = "scheduler", [CUP_ROLE_NANNY] = "nanny",
        [CUP_ROLE_WORKER] = "worker",       [CUP_ROLE_CHILD] = "child",
        [CUP_ROLE_READER] = "reader",
    };
    return names[role];
}

char *cup_process_roles(const struct cup_process *process, char to[CUP_ROLES_ROOM])
{
    enum cup_role first = cup_process_role(process);
    int length = snprintf(to, CUP_ROLES_ROOM, "%s", cup_role_name(first));
    for (int role = CUP_ROLE_COUNT - 1; role > CUP_ROLE_OTHER; role--)
        if (role != (int)first && (process->roles & 1u << role))
            length +=
                snprintf(to + length, CUP_ROLES_ROOM - (size_t)length, ", %s", cup_role_name(role));
    return to;
}

struct cup_text cup_process_fact(const struct cup_profile *profile, size_t process,
                                 const char *name)
{
    struct cup_text found = {NULL, 0};
    size_t length = strlen(name);
    for (size_t i = 0; i < profile->info_count; i++) {
        const struct cup_info *info = &profile->infos[i];
        if (info->process != process)
            continue;
        struct cup_text text = cup_profile_text(profile, info->name);
        if (text.bytes && text.length == length && memcmp(text.bytes, name, length) == 0)
            found = cup_profile_text(profile, info->value);
    }
    return found;
}

struct cup_text cup_find_note(const struct cup_profile *profile, const char *begin,
                              uint32_t *process)
{
    size_t length = strlen(begin);
    for (size_t i = 0; i < profile->note_count; i++) {
        struct cup_text text = cup_profile_text(profile, profile->notes[i].text);
        if (text.length <= length || memcmp(text.bytes, begin, length) != 0)
            continue;
        if (process)
            *process = profile->notes[i].process;
        return (struct cup_text){text.bytes + length, text.length - length};
    }
    return (struct cup_text){NULL, 0};
}

char *cup_process_script(const struct cup_profile *profile, size_t process,
                         char to[CUP_SCRIPT_ROOM])
{
    struct cup_text command = cup_process_fact(profile, process, "command");
    size_t start = 0;
    *to = '\0';
    for (size_t i = 0; i <= command.length && command.bytes; i++) {
        bool ends = i == command.length || command.bytes[i] == ' ';
        if (ends && i >= start + 4 && memcmp(command.bytes + i - 3, ".py", 3) == 0) {
            snprintf(to, CUP_SCRIPT_ROOM, "%.*s", (int)(i - start), command.bytes + start);
            break;
        }
        if (ends || command.bytes[i] == '/')
            start = i + 1;
    }
    return to;
}

void cup_count_roles(const struct cup_profile *profile, uint64_t counts[CUP_ROLE_COUNT])
{
    for (int i = 0; i < CUP_ROLE_COUNT; i++)
        counts[i] = 0;
    for (size_t i = 0; i < profile->process_count; i++)
        counts[cup_process_role(&profile->processes[i])]++;
}
