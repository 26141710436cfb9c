/* Regular files that are no data, by their names. The library classes files by these lists as it
 * sees them; the program classes the files of logs whose library had shorter lists. */
#pragma once

/* Settings, templates and pages of Python, of packages (Dask's are in ~/.config/dask, too), below
 * the directories of CUP_PACKAGE_DIRECTORIES. Data that a package brings along (.root, .json.gz,
 * ...) stay data. */
#define CUP_PACKAGE_ENDINGS                                                                        \
    ".yaml", ".yml", ".json", ".toml", ".cfg", ".ini", ".txt", ".pyi", ".lark", ".pth", ".j2",     \
        ".html", ".css", ".js", ".svg", ".png", ".ico", ".pem", ".typed", ".tmpl"
#define CUP_PACKAGE_DIRECTORIES                                                                    \
    "/site-packages/", "/dist-packages/", "/lib/python3.", "/lib64/python3.", "/.config/"

/* Logs of the job and of cupping, and files by which Dask's processes find or lock out each other.
 */
#define CUP_JOB_ENDINGS                                                                            \
    ".log", ".cup", "scheduler.json", "scheduler-file.json", ".dirlock", "/global.lock",           \
        "/purge.lock"
