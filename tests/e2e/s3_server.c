#include "tests/e2e/s3_server.h"

#include "tests/e2e/child.h"
#include "tests/e2e/cluster.h"
#include "tests/e2e/server_port.h"
#include "tests/e2e/xrootd_server.h"

#include <criterion/criterion.h>
#include <string.h>
#include <unistd.h>

#define LIBRARY_PATH "PYTHONPATH=" S3_PACKAGES

static const char *const environment[] = {LIBRARY_PATH, "LD_PRELOAD", NULL};

void s3_need(void)
{
    http_need();
    if (access(S3_PACKAGES "/moto", R_OK))
        cr_skip_test("no moto in " S3_PACKAGES);
}

/* Unsigned requests are enough for moto. urllib would call the data a form, which moto reads for
 * minutes. */
static const char upload[] =
    "import sys, urllib.request as web\n"
    "from pathlib import Path\n"
    "url, files = sys.argv[1:]\n"
    "web.urlopen(web.Request(url + '/bucket', method='PUT')).read()\n"
    "for file in Path(files).iterdir():\n"
    "    data = file.read_bytes()\n"
    "    head = {'Content-Type': 'application/octet-stream'}\n"
    "    web.urlopen(web.Request(f'{url}/bucket/{file.name}', data, head, method='PUT')).read()\n";

void s3_start(struct s3_server *server, const struct http_options *options)
{
    int port = server_free_port();
    struct http_options front = *options;
    front.forward_to = port;
    *server = (struct s3_server){0};
    http_start(&server->front, &front);
    const char *const moto[] = {CUP_PYTHON,  "-m", "moto.server",    "-H",
                                "127.0.0.1", "-p", text("%d", port), NULL};
    const char *const argv[] = {CUP_PYTHON,     "-c", upload, text("http://127.0.0.1:%d", port),
                                options->files, NULL};
    cup_process_start(&server->moto, "moto", text("%s/moto.log", server->front.directory), moto,
                      environment);
    server_wait(&server->moto, port);
    cup_run("upload", text("%s/upload.log", server->front.directory), argv, environment, 120);
}

json_t *s3_stop(struct s3_server *server)
{
    cup_process_kill(&server->moto);
    return http_stop(&server->front);
}
