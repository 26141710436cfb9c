/* cupping-dask-worker, with a `dask` that only prints its arguments. */
#include "tests/wrappers/shell.h"

#include <criterion/criterion.h>

static void with_a_dask_that_prints(void)
{
    shell_enter();
    cr_assert_eq(shell("mkdir bin; for name in dask python3; do\n"
                       "printf '#!/bin/sh\\necho ${0##*/} \"$@\" in ${CUPPING_DIR##*/}\\n' "
                       ">bin/$name; chmod +x bin/$name; done")
                     ->status,
                 0);
}

TestSuite(cupping_dask_worker, .init = with_a_dask_that_prints, .fini = shell_leave, .timeout = 60);

#define WORKER "PATH=$PWD/bin:$PATH $worker "

Test(cupping_dask_worker, takes_the_arguments_of_dask_worker)
{
    cr_expect_str_eq(
        shell(WORKER "tcp://10.0.0.1:8786 --nthreads 4")->out,
        "dask worker tcp://10.0.0.1:8786 --nthreads 4 in cupping-dask-10.0.0.1-8786\n");
}

Test(cupping_dask_worker, stands_for_python_in_dask_jobqueue)
{
    cr_expect_str_eq(
        shell(WORKER "-m distributed.cli.dask_worker tcp://h:1 --name w")->out,
        "python3 -m distributed.cli.dask_worker tcp://h:1 --name w in cupping-dask-h-1\n");
}

Test(cupping_dask_worker, workers_of_one_scheduler_share_a_directory)
{
    cr_assert_eq(shell("echo '{ \"type\": \"Scheduler\", \"address\": \"tls://h:2\" }' >f")->status,
                 0);
    cr_expect(has(shell(WORKER "--scheduler-file f")->out, " in cupping-dask-h-2\n"));
    cr_expect(has(shell(WORKER "--scheduler-file=f")->out, " in cupping-dask-h-2\n"));
    cr_expect(has(shell(WORKER "tls://h:2")->out, " in cupping-dask-h-2\n"));
    cr_expect(
        has(shell("DASK_SCHEDULER_ADDRESS=tls://h:2 " WORKER)->out, " in cupping-dask-h-2\n"));
    cr_expect(
        has(shell(WORKER "--contact-address tcp://me:9 tls://h:2")->out, " in cupping-dask-h-2\n"));
    cr_expect(
        has(shell(WORKER "--listen-address=tcp://me:9 tls://h:2")->out, " in cupping-dask-h-2\n"));
    cr_expect(has(shell(WORKER "--preload http://x.org/setup.py --no-nanny tls://h:2")->out,
                  " in cupping-dask-h-2\n"));
    cr_expect(has(shell(WORKER "--lifetime-restart tls://h:2")->out, " in cupping-dask-h-2\n"));
    cr_expect(has(shell(WORKER "--name w 10.0.0.1:8786")->out, " in cupping-dask-10.0.0.1-8786\n"));
}

Test(cupping_dask_worker, the_environment_names_another)
{
    cr_expect(has(shell("CUPPING_DIR=mine " WORKER "tcp://h:1")->out, " in mine\n"));
    cr_expect(has(shell(WORKER "--no-nanny")->out, " in cupping-2"), "no address: a date");
}

/* A shell drops this variable, which is a function that bash exported. */
Test(cupping_dask_worker, keeps_functions_that_bash_exported)
{
    cr_expect_str_eq(shell("printf '#!/bin/bash\\nsay\\n' >bin/dask; PATH=$PWD/bin:$PATH env "
                           "'BASH_FUNC_say%%%%=() { echo said; }' $worker tcp://h:1")
                         ->out,
                     "said\n");
}
