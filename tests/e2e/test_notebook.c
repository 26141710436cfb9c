/* A real Jupyter kernel under cupping: what the notebook shows of its own runs. */
#include "tests/e2e/cluster.h"
#include "tests/e2e/job.h"
#include "tests/e2e/process.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>

TestSuite(notebook, .timeout = 240);

Test(notebook, shows_the_run_of_a_cell)
{
    char *directory = cup_scratch("notebook"), *input = cup_input("ttree");
    char *files = cup_path(input, "files.json"), *profile = cup_path(directory, "profile");
    char *out = cup_path(directory, "out.ipynb"), *log = cup_path(directory, "log");
    char settings[3][2200];
    const char *const argv[] = {CUP_TOP "/wrappers/cupping-run",
                                "--quiet",
                                "-o",
                                profile,
                                "--",
                                cup_python(),
                                CUP_TOP "/tests/workloads/notebook_job.py",
                                files,
                                out,
                                NULL};
    snprintf(settings[0], sizeof settings[0], "IPYTHONDIR=%s/ipython", directory);
    snprintf(settings[1], sizeof settings[1], "JUPYTER_RUNTIME_DIR=%s/runtime", directory);
    snprintf(settings[2], sizeof settings[2], "JUPYTER_CONFIG_DIR=%s/config", directory);
    const char *const environment[] = {settings[0], settings[1], settings[2], NULL};
    cup_run("notebook_job.py", log, argv, environment, 200);
    free(directory), free(input), free(files), free(profile), free(out), free(log);
}
