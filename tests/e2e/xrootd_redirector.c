#include "tests/e2e/xrootd_redirector.h"

#include "tests/e2e/child.h"
#include "tests/e2e/cluster.h"
#include "tests/e2e/server_port.h"
#include "tests/e2e/xrootd_server.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MANAGER, FIRST, SECOND, SITES };
static const char *const names[SITES] = {"m", "a", "b"};

static char *directory;
static struct cup_process managers[SITES], servers[SITES]; /* cmsd and xrootd of each site */

static void make_directory(const char *path, mode_t mode)
{
    cr_assert(mkdir(path, mode) == 0 && chmod(path, mode) == 0, "cannot make %s", path);
}

static void write_settings(int site, int port, int manager_port)
{
    const char *at = text("%s/%s", directory, names[site]);
    make_directory(at, 0755);
    make_directory(text("%s/admin", at), 0777);
    make_directory(text("%s/files", at), 0755);
    FILE *file = fopen(text("%s/settings", at), "we");
    cr_assert(file != NULL);
    fprintf(file,
            "all.role %s\nxrd.port %d\nif exec cmsd\nxrd.port %s\nfi\nall.manager localhost:%d\n"
            "cms.delay startup 1 servers 1\nxrd.protocol xroot *\nall.export /\n"
            "oss.localroot %s/files\nall.adminpath %s/admin\nall.pidpath %s/admin\n",
            site == MANAGER ? "manager" : "server", port,
            site == MANAGER ? text("%d", manager_port) : "any", manager_port, at, at, at);
    cr_assert(fclose(file) == 0);
}

static void start(struct cup_process *process, const char *program, int site)
{
    const char *at = text("%s/%s", directory, names[site]);
    const char *const argv[] = {program,  "-c",        text("%s/settings", at),
                                "-n",     names[site], geteuid() ? NULL : "-R",
                                "nobody", NULL};
    cup_process_start(process, program, text("%s/%s.log", at, program), argv,
                      cup_clean_environment);
}

/* The program says so in its log. */
static void wait_for(const struct cup_process *process, const char *words)
{
    for (int tries = 0; tries < 1500; tries++) {
        char *output = cup_process_output(process);
        bool said = output && strstr(output, words);
        free(output);
        if (said)
            return;
        usleep(20000);
    }
    cr_assert_fail("%s does not say \"%s\": see %s", process->name, words, process->log);
}

/* A site's cmsd comes first: its xrootd looks for it only every 10 s. */
static void start_site(int site, int port)
{
    start(&managers[site], "cmsd", site);
    wait_for(&managers[site], "initialization completed");
    start(&servers[site], "xrootd", site);
    server_wait(&servers[site], port);
}

static void move_file(int site, const char *name)
{
    const char *to = text("%s/%s/files/%s", directory, names[site], name);
    cr_assert(rename(text("%s/made/%s", directory, name), to) == 0 && chmod(to, 0644) == 0);
}

void redirector_start(struct redirector *redirector)
{
    xrootd_need();
    if (child_status((const char *[4]){"sh", "-c", "command -v cmsd"}))
        cr_skip_test("no cmsd here (Debian: xrootd-server)");
    directory = test_directory();
    cr_assert(chmod(directory, 0755) == 0);
    int manager_port = server_free_port(), port = server_free_port();
    write_settings(MANAGER, port, manager_port);
    make_directory(text("%s/made", directory), 0755);
    xrootd_make_files(text("%s/made", directory));
    snprintf(redirector->url, sizeof redirector->url, "root://localhost:%d/", port);
    start_site(MANAGER, port);
    for (int site = FIRST; site < SITES; site++) {
        port = server_free_port();
        write_settings(site, port, manager_port);
        move_file(site, site == FIRST ? "0.root" : "1.root");
        start_site(site, port);
        snprintf(redirector->server[site - FIRST], sizeof *redirector->server,
                 "root://127.0.0.1:%d", port);
        redirector->pid[site - FIRST] = servers[site].pid;
    }
    for (int site = FIRST; site < SITES; site++)
        wait_for(&managers[site], "Logged into");
    wait_for(&managers[MANAGER], "manager service enabled");
}

void redirector_stop(void)
{
    for (int site = 0; site < SITES; site++) {
        cup_process_kill(&servers[site]);
        cup_process_kill(&managers[site]);
    }
    test_directory_remove(directory);
}
