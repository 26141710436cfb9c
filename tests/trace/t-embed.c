/* Starts an interpreter, runs a task, ends it, and all that a second time.
 *
 * t-embed LIBPYTHON WORKLOADS SITE-PACKAGES FILE
 *
 * In its second life many extension modules cannot be loaded again, so Dask is only pretended to
 * be there: enough to make the library look closely at a new interpreter. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

static void *python;

static void *symbol(const char *name)
{
    void *found = dlsym(python, name);
    if (!found) {
        fprintf(stderr, "%s is missing\n", name);
        exit(2);
    }
    return found;
}

static void live(const char *code)
{
    void (*start)(int) = symbol("Py_InitializeEx");
    int (*run)(const char *) = symbol("PyRun_SimpleString");
    int (*end)(void) = symbol("Py_FinalizeEx");
    start(0);
    int failed = run(code);
    printf("%d %d\n", failed, end());
}

static char *format(const char *pattern, char *const *arguments)
{
    char *code = NULL;
    if (asprintf(&code, pattern, arguments[2], arguments[3], arguments[4]) < 0)
        exit(2);
    return code;
}

int main(int argc, char **argv)
{
    if (argc != 5 || !(python = dlopen(argv[1], RTLD_NOW | RTLD_GLOBAL)))
        return 2;
    live(format("import sys\n"
                "sys.path[:0] = ['%s', '%s']\n"
                "from run_task import run\n"
                "print(run('first life', lambda: len(open('%s', 'rb', 0).read(1000))),"
                " flush=True)\n",
                argv));
    const char *again = "import sys, time, types\n"
                        "sys.path[:0] = ['%s', '%s']\n"
                        "sys.modules['distributed'] = types.ModuleType('distributed')\n"
                        "sys.modules['distributed.core'] = types.ModuleType('core')\n"
                        "def meter():\n"
                        "    time.thread_time()\n"
                        "    time.time()\n"
                        "for _ in range(1000):\n"
                        "    meter()\n"
                        "print(len(open('%s', 'rb', 0).read(1000)), flush=True)\n";
    for (int i = 0; i < 3; i++)
        live(format(again, argv));
    return 0;
}
