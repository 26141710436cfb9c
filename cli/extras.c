#include "cli/extras.h"

int cup_write_with_files(cup_request_writer *write, const void *request, struct cup_totals *totals,
                         const char *directory, struct cup_error *error)
{
    struct cup_file_shares shares;
    int result = cup_file_shares_make(&shares, totals, directory, error);
    totals->shares = &shares;
    if (result == 0)
        result = write(request, totals, error);
    totals->shares = NULL;
    cup_file_shares_free(&shares);
    return result;
}

int cup_write_with_stacks(cup_request_writer *write, const void *request, struct cup_totals *totals,
                          const struct cup_call_ask *ask, struct cup_error *error)
{
    struct cup_call_tree calls;
    int result = cup_call_tree_make(&calls, totals->profile, ask);
    totals->calls = &calls;
    result = result == 0 ? write(request, totals, error)
                         : cup_error_memory(error, totals->profile->path);
    totals->calls = NULL;
    cup_call_tree_free(&calls);
    return result;
}
