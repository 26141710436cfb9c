/* Which files of older logs are data. */
#include "analysis/profile/files.h"

#include <criterion/criterion.h>
#include <string.h>

static uint32_t class_of(const char *path)
{
    return cup_file_class_by_name(CUP_FILE_DATA, (struct cup_text){path, strlen(path)});
}

Test(files, templates_and_logs_of_older_logs_are_no_data)
{
    cr_expect_eq(class_of("/venv/lib/python3.11/site-packages/dask/array.html.j2"),
                 CUP_FILE_IMPORT);
    cr_expect_eq(class_of("/jobs/7/worker.log"), CUP_FILE_OTHER);
    cr_expect_eq(class_of("/jobs/7/scheduler.json"), CUP_FILE_OTHER);
    cr_expect_eq(class_of("/venv/lib/python3.11/site-packages/sf/weights.json.gz"), CUP_FILE_DATA);
    cr_expect_eq(class_of("/data/TTbar_3.root"), CUP_FILE_DATA);
    cr_expect_eq(class_of(".log"), CUP_FILE_OTHER);
    cr_expect_eq(class_of(""), CUP_FILE_DATA);
    cr_expect_eq(cup_file_class_by_name(CUP_FILE_SOCKET, (struct cup_text){"a.log", 5}),
                 CUP_FILE_SOCKET);
}
