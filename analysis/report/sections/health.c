/* How far the profile can be trusted: attribution, and the state of the logs. */
#include <string.h>

#include "analysis/profile/roles.h"
#include "analysis/report/page/features.h"
#include "analysis/report/page/page.h"
#include "analysis/report/page/warnings.h"

/* "data files 1.2 GB, imports 3 MB" into `to`. */
static void list_classes(const struct cup_kernel_check *check, char *to, size_t room)
{
    static const char *const texts[] = {
#define X(id, name, text) text,
        CUP_KERNEL_CLASSES(X)
#undef X
    };
    size_t length = 0;
    *to = '\0';
    for (int i = 0; i < CUP_KERNEL_COUNT && length < room; i++) {
        char bytes[CUP_HUMAN_READABLE_ROOM];
        if (check->classes[i] == 0)
            continue;
        cup_human_readable(bytes, (double)check->classes[i], CUP_UNIT_BYTES);
        length += (size_t)snprintf(to + length, room - length, "%s%s %s", length ? ", " : "",
                                   texts[i], bytes);
    }
}

/* The kernel's count of what these processes read, against ours. */
static void print_checked(const struct cup_page *page)
{
    const struct cup_kernel_check *check = page->totals->kernel;
    char kernel[CUP_HUMAN_READABLE_ROOM], seen[CUP_HUMAN_READABLE_ROOM], classes[600], line[900];
    cup_human_readable(kernel, (double)check->kernel_bytes, CUP_UNIT_BYTES);
    cup_human_readable(seen, (double)check->seen_bytes, CUP_UNIT_BYTES);
    list_classes(check, classes, sizeof classes);
    snprintf(line, sizeof line, "The kernel counted %s read in %llu process%s; seen were %s%s%s.",
             kernel, (unsigned long long)check->processes, check->processes == 1 ? "" : "es", seen,
             *classes ? ": " : "", classes);
    cup_print_wrapped(&page->terminal, CUP_PLAIN, 2, line);
}

static void print_explained(const struct cup_page *page)
{
    const struct cup_kernel_check *check = page->totals->kernel;
    char explained[CUP_HUMAN_READABLE_ROOM], stdio[CUP_HUMAN_READABLE_ROOM],
        copied[CUP_HUMAN_READABLE_ROOM], line[400];
    if (check->explained_bytes == 0)
        return;
    cup_human_readable(explained, (double)check->explained_bytes, CUP_UNIT_BYTES);
    cup_human_readable(stdio, (double)check->stdio_bytes, CUP_UNIT_BYTES);
    cup_human_readable(copied, (double)check->copied_bytes, CUP_UNIT_BYTES);
    snprintf(line, sizeof line,
             "%s of the difference may be due to what the two count otherwise: stdio reads in "
             "blocks (%s came out of its buffers), splice() does not count (%s moved inside the "
             "kernel).",
             explained, stdio, copied);
    cup_print_wrapped(&page->terminal, CUP_PLAIN, 2, line);
}

static void print_unchecked(const struct cup_page *page)
{
    const struct cup_kernel_check *check = page->totals->kernel;
    char line[300];
    if (check->killed + check->unreadable == 0)
        return;
    snprintf(line, sizeof line,
             "Not checked against the kernel's count: %llu process%s that did not end in good "
             "order, %llu whose /proc/self/io was not read.",
             (unsigned long long)check->killed, check->killed == 1 ? "" : "es",
             (unsigned long long)check->unreadable);
    cup_print_wrapped(&page->terminal, CUP_DIM, 2, line);
}

static void print_kernel_check(const struct cup_page *page)
{
    char warning[400];
    if (page->totals->kernel->processes > 0)
        print_checked(page);
    print_explained(page);
    cup_kernel_warning(page->totals->kernel, page->profile, warning, sizeof warning);
    if (*warning)
        cup_print_wrapped(&page->terminal, CUP_WARN, 2, warning);
    print_unchecked(page);
}

int cup_print_attribution(const struct cup_page *page)
{
    static const struct cup_column columns[] = {{"way", CUP_FIT_LEFT, 0},
                                                {"bytes", CUP_FIT_RIGHT, 0},
                                                {"share", CUP_FIT_RIGHT, 0},
                                                {"", CUP_FIT_LEFT, 1}};
    static const char *const texts[] = {
#define X(id, name, text) text,
        CUP_METHODS(X)
#undef X
    };
    double total = (double)cup_all_method_bytes(page->totals);
    struct cup_table table;
    cup_page_heading(page, "Attribution",
                     "how the bytes of data files found their task in worker processes");
    cup_table_start(&table, columns, sizeof columns / sizeof *columns);
    for (int method = 0; method < CUP_METHOD_COUNT; method++) {
        if (!page->alone && cup_method_bytes(page->totals, method) == 0)
            continue;
        cup_table_add_string(&table, cup_method_names[method]);
        bool known =
            cup_profile_measured(page->profile, cup_counter_needs(CUP_C_READ_OWN_BYTES + method));
        cup_table_add_value(&table,
                            known ? cup_count(cup_method_bytes(page->totals, method)) : cup_null(),
                            CUP_UNIT_BYTES);
        cup_table_add_value(&table,
                            cup_ratio((double)cup_method_bytes(page->totals, method), total),
                            CUP_UNIT_SHARE);
        cup_table_add_string(&table, texts[method]);
    }
    cup_table_finish(&table, &page->terminal);
    if (page->alone)
        cup_page_metrics(page, &cup_attribution_metrics);
    print_kernel_check(page);
    return 0;
}

/* ---- health ----------------------------------------------------------------------------- */

static void print_roles(const struct cup_page *page)
{
    uint64_t counts[CUP_ROLE_COUNT];
    char line[300] = "Processes: ";
    cup_count_roles(page->profile, counts);
    for (int role = CUP_ROLE_COUNT - 1; role >= 0; role--) {
        size_t length = strlen(line);
        const char *end = role == CUP_ROLE_CHILD ? "ren" : role == CUP_ROLE_OTHER ? "" : "s";
        if (counts[role])
            snprintf(line + length, sizeof line - length, "%llu %s%s, ",
                     (unsigned long long)counts[role], cup_role_name(role),
                     counts[role] == 1 ? "" : end);
    }
    line[strlen(line) - 2] = '\0';
    cup_print_wrapped(&page->terminal, CUP_PLAIN, 2, line);
}

static void print_counters(const struct cup_page *page)
{
    static const struct cup_column columns[] = {
        {"", CUP_FIT_LEFT, 0}, {"", CUP_FIT_RIGHT, 0}, {"name in --json", CUP_FIT_NONE, 1}};
    static const char *const names[][2] = {
#define X(id, name, text) {name, text},
        CUP_HEALTH(X)
#undef X
    };
    struct cup_table table;
    cup_table_start(&table, columns, sizeof columns / sizeof *columns);
    for (int i = 0; i < CUP_H_KERNEL_READ_START; i++) { /* the others are told in words */
        cup_table_add_string(&table, names[i][1]);
        if (i == CUP_H_ANCHOR_NS)
            cup_table_add_value(&table, cup_seconds((int64_t)page->profile->health[i]),
                                CUP_UNIT_SECONDS);
        else
            cup_table_add_value(&table, cup_count(page->profile->health[i]), CUP_UNIT_COUNT);
        cup_table_add_string(&table, names[i][0]);
    }
    cup_table_finish(&table, &page->terminal);
}

enum { SHOWN_NOTES = 20 };

/* Each text once, however many processes wrote it. */
static void print_notes(const struct cup_page *page)
{
    const struct cup_profile *profile = page->profile;
    size_t shown = 0;
    for (size_t i = 0; i < profile->note_count && shown < SHOWN_NOTES; i++) {
        char line[400];
        size_t earlier = 0;
        while (earlier < i && profile->notes[earlier].text != profile->notes[i].text)
            earlier++;
        if (earlier < i)
            continue;
        struct cup_text text = cup_page_text(page, profile->notes[i].text);
        snprintf(line, sizeof line, "Note: %.*s", (int)(text.length < 380 ? text.length : 380),
                 text.bytes);
        cup_print_wrapped(&page->terminal, CUP_WARN, 2, line);
        shown++;
    }
}

static void print_features(const struct cup_page *page)
{
    struct cup_feature_off off[CUP_FEATURE_COUNT];
    size_t count = cup_features_off(page->profile, off);
    for (size_t i = 0; i < count; i++) {
        char line[200];
        snprintf(line, sizeof line, "Off in %llu worker process%s: %s: %s.",
                 (unsigned long long)off[i].processes, off[i].processes == 1 ? "" : "es",
                 off[i].name, off[i].consequence);
        cup_print_wrapped(&page->terminal, CUP_WARN, 2, line);
    }
}

static void print_warnings(const struct cup_page *page)
{
    struct cup_warning warnings[CUP_WARNINGS_MOST];
    size_t count = cup_warnings_make(page->totals, warnings);
    for (size_t i = 0; i < count; i++)
        cup_print_wrapped(&page->terminal, CUP_WARN, 2, warnings[i].text);
}

int cup_print_health(const struct cup_page *page)
{
    cup_page_heading(page, "Health", "of the profile itself");
    print_roles(page);
    print_features(page);
    print_warnings(page);
    print_notes(page);
    if (!page->alone)
        return 0;
    cup_page_metrics(page, &cup_health_metrics);
    print_counters(page);
    return 0;
}
