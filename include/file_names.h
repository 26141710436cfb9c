/* Regular files that are no data, by their names. The library classes files by these lists as it
 * sees them; the program classes the files of logs whose library had shorter lists. */
#pragma once

/* Settings, templates and pages that packages and Python itself bring along, below the directories
 * of CUP_PYTHON_DIRECTORIES. Data that a package brings along (.root, .json.gz, ...) stay data. */
#define CUP_PACKAGE_ENDINGS(X)                                                                     \
    X(".yaml")                                                                                     \
    X(".yml")                                                                                      \
    X(".json")                                                                                     \
    X(".toml") X(".cfg") X(".ini") X(".txt") X(".pyi") X(".lark") X(".pth") X(".j2") X(".html")    \
        X(".css") X(".js") X(".svg") X(".png") X(".ico") X(".pem") X(".typed") X(".tmpl")
#define CUP_PYTHON_DIRECTORIES(X)                                                                  \
    X("/site-packages/") X("/dist-packages/") X("/lib/python3.") X("/lib64/python3.")

/* Logs of the job, and files by which Dask's processes find or lock out each other. */
#define CUP_JOB_ENDINGS(X)                                                                         \
    X(".log")                                                                                      \
    X("scheduler.json") X("scheduler-file.json") X(".dirlock") X("/global.lock") X("/purge.lock")
