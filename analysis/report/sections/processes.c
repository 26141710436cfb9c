/* What the processes of the profile were, and the client's Runner calls. */
#include "analysis/profile/roles.h"
#include "analysis/report/page/page.h"

static void add_process(const struct cup_page *page, struct cup_table *table, size_t index)
{
    static const char *const facts[] = {"python", "distributed", "coffea", "uproot", "command"};
    const struct cup_process *process = &page->profile->processes[index];
    const struct cup_log_header *header = &process->header;
    int64_t stop_ns = header->log_stop_ns ? header->log_stop_ns : process->last_ns;
    char roles[CUP_ROLES_ROOM];
    cup_table_add_string(table, cup_process_roles(process, roles));
    cup_table_add_string(table, header->host);
    cup_table_add_value(table, cup_count(header->pid), CUP_UNIT_NONE);
    cup_table_add_value(table, cup_time(header->process_start_ns), CUP_UNIT_NONE);
    cup_table_add_value(table, cup_seconds(stop_ns - header->process_start_ns), CUP_UNIT_SECONDS);
    cup_table_add_string(table, header->log_stop_ns ? "" : "not closed");
    for (size_t i = 0; i < sizeof facts / sizeof *facts; i++)
        cup_table_add(table, cup_process_fact(page->profile, index, facts[i]));
}

int cup_print_processes(const struct cup_page *page)
{
    static const struct cup_column columns[] = {
        {"role", CUP_FIT_LEFT, 0},    {"host", CUP_FIT_LEFT, 4},
        {"pid", CUP_FIT_RIGHT, 0},    {"start (UTC)", CUP_FIT_RIGHT, 5},
        {"lived", CUP_FIT_RIGHT, 0},  {"", CUP_FIT_NONE, 3},
        {"Python", CUP_FIT_RIGHT, 1}, {"Dask", CUP_FIT_RIGHT, 2},
        {"Coffea", CUP_FIT_RIGHT, 2}, {"uproot", CUP_FIT_RIGHT, 6},
        {"command", CUP_FIT_LEFT, 0},
    };
    struct cup_table table;
    char detail[100];
    snprintf(detail, sizeof detail, "%zu process%s left a log", page->profile->process_count,
             page->profile->process_count == 1 ? "" : "es");
    cup_page_heading(page, "Processes", detail);
    cup_table_start(&table, columns, sizeof columns / sizeof *columns);
    for (size_t i = 0; i < page->profile->process_count; i++)
        add_process(page, &table, i);
    cup_table_finish(&table, &page->terminal);
    return 0;
}

int cup_print_runs(const struct cup_page *page)
{
    static const struct cup_column columns[] = {
        {"run", CUP_FIT_RIGHT, 0}, {"start (UTC)", CUP_FIT_RIGHT, 0}, {"time", CUP_FIT_RIGHT, 0},
        {"host", CUP_FIT_LEFT, 1}, {"pid", CUP_FIT_RIGHT, 1},         {"", CUP_FIT_LEFT, 0},
    };
    const struct cup_profile *profile = page->profile;
    struct cup_table table;
    cup_page_heading(page, "Runs",
                     profile->run_count ? "calls of Coffea's Runner"
                                        : "no call of Coffea's Runner was seen");
    cup_table_start(&table, columns, sizeof columns / sizeof *columns);
    for (size_t i = 0; i < profile->run_count; i++) {
        const struct cup_run *run = &profile->runs[i];
        cup_table_add_value(&table, cup_count(i + 1), CUP_UNIT_COUNT);
        cup_table_add_value(&table, cup_time(run->start_ns), CUP_UNIT_NONE);
        cup_table_add_value(&table, cup_seconds(run->stop_ns - run->start_ns), CUP_UNIT_SECONDS);
        cup_table_add_string(&table, run->host);
        cup_table_add_value(&table, cup_count(run->pid), CUP_UNIT_NONE);
        cup_table_add_string(&table, profile->run == i + 1 ? "reported" : "");
    }
    cup_table_finish(&table, &page->terminal);
    return 0;
}
