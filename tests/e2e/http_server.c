#include "tests/e2e/http_server.h"

#include "tests/e2e/child.h"
#include "tests/e2e/cluster.h"
#include "tests/e2e/server_port.h"
#include "tests/e2e/xrootd_server.h"

#include <criterion/criterion.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Debian's, one that tests/setup.sh unpacked, or another one. */
static const char *nginx(void)
{
    static const char *const places[] = {CUP_TOP "/build/nginx/usr/sbin/nginx", "/usr/sbin/nginx",
                                         "/usr/local/sbin/nginx", "/usr/bin/nginx"};
    for (size_t i = 0; i < sizeof places / sizeof *places; i++)
        if (access(places[i], X_OK) == 0)
            return places[i];
    return NULL;
}

void http_need(void)
{
    if (!nginx() || child_status((const char *[4]){nginx(), "-v"}))
        cr_skip_test("no nginx here (Debian: nginx)");
}

/* Temporary files are in the directory of the test: nginx would not start without them. */
static const char head[] =
    "daemon off;\nworker_processes 1;\nerror_log stderr;\npid %s/pid;\n%s"
    "events { worker_connections 512; }\n"
    "http {\n"
    "log_format judge escape=json '{\"path\":\"$uri\",\"query\":\"$args\",\"method\":"
    "\"$request_method\",\"range\":\"$http_range\",\"status\":$status,\"connection\":"
    "$connection,\"sent\":$bytes_sent,\"body\":$body_bytes_sent,\"seconds\":$request_time,"
    "\"ended\":$msec,\"encoding\":\"$sent_http_content_encoding\"}';\n"
    "access_log %s/access.log judge;\n"
    "client_body_temp_path %s/t1; proxy_temp_path %s/t2; fastcgi_temp_path %s/t3;\n"
    "uwsgi_temp_path %s/t4; scgi_temp_path %s/t5;\n"
    "client_max_body_size 0; keepalive_requests 100000; merge_slashes off;\n"
    "server {\nlisten 127.0.0.1:%d%s;\n%s\n";

void http_make_certificate(const char *directory)
{
    if (child_status((const char *[4]){"sh", "-c", "command -v openssl"}))
        cr_skip_test("no openssl here");
    const char *certificate = text("%s/certificate", directory), *key = text("%s/key", directory);
    const char *const argv[] = {"openssl",
                                "req",
                                "-x509",
                                "-newkey",
                                "ec",
                                "-pkeyopt",
                                "ec_paramgen_curve:prime256v1",
                                "-nodes",
                                "-days",
                                "2",
                                "-subj",
                                "/CN=localhost",
                                "-addext",
                                "subjectAltName=IP:127.0.0.1,DNS:localhost",
                                "-keyout",
                                key,
                                "-out",
                                certificate,
                                NULL};
    cup_run("openssl", text("%s/openssl.log", directory), argv, cup_clean_environment, 60);
}

static void write_settings(const struct http_server *server, int port,
                           const struct http_options *options)
{
    const char *in = server->directory;
    FILE *file = fopen(text("%s/settings", in), "we");
    cr_assert(file != NULL);
    fprintf(file, head, in, geteuid() ? "" : "user root;\n", in, in, in, in, in, in, port,
            options->http2 ? " ssl http2"
            : options->tls ? " ssl"
                           : "",
            options->settings ? options->settings : "");
    if (options->tls || options->http2)
        fprintf(file, "ssl_certificate %s/certificate;\nssl_certificate_key %s/key;\n", in, in);
    if (options->forward_to)
        fprintf(file,
                "location ~ ^/([^/]+)/t/[^/]+/(.*)$ { proxy_pass "
                "http://127.0.0.1:%d/$1/$2$is_args$args; }\n"
                "location / { proxy_pass http://127.0.0.1:%d; }\n",
                options->forward_to, options->forward_to);
    else if (options->files)
        fprintf(file, "location ~ ^/t/[^/]+/(.*)$ { alias %s/$1; }\nlocation / { root %s; }\n",
                options->files, options->files);
    fputs("}\n}\n", file);
    cr_assert(fclose(file) == 0);
}

void http_start(struct http_server *server, const struct http_options *options)
{
    int port = server_free_port();
    *server = (struct http_server){.directory = test_directory()};
    if (options->tls || options->http2)
        http_make_certificate(server->directory);
    write_settings(server, port, options);
    const char *const argv[] = {
        nginx(), "-c", text("%s/settings", server->directory), "-p", server->directory, NULL};
    cup_process_start(&server->process, "nginx", text("%s/output", server->directory), argv,
                      cup_clean_environment);
    server_wait(&server->process, port);
    snprintf(server->url, sizeof server->url, "%s://127.0.0.1:%d",
             options->tls || options->http2 ? "https" : "http", port);
}

static json_t *read_log(const char *path)
{
    FILE *file = fopen(path, "re");
    json_t *log = json_array(), *row;
    cr_assert(file != NULL, "no %s", path);
    while ((row = json_loadf(file, JSON_DISABLE_EOF_CHECK, NULL)))
        json_array_append_new(log, row);
    fclose(file);
    return log;
}

json_t *http_stop(struct http_server *server)
{
    cup_process_signal(&server->process, SIGQUIT);
    cup_process_wait(&server->process, 60);
    json_t *log = read_log(text("%s/access.log", server->directory));
    test_directory_remove(server->directory);
    return log;
}

double http_sum(json_t *log, const char *key, const char *number)
{
    const char *mark = text("/t/%s/", key);
    double sum = 0;
    size_t i;
    json_t *row;
    json_array_foreach(log, i, row)
    {
        const char *path = json_string_value(json_object_get(row, "path"));
        if (path && strstr(path, mark))
            sum += json_number_value(json_object_get(row, number));
    }
    return sum;
}

/* The log is in the order of ends: so an answer overlaps only what ends after it began. */
double http_waited(json_t *log, const char *key)
{
    const char *mark = text("/t/%s/", key);
    double sum = 0, free_from = INFINITY;
    for (size_t i = json_array_size(log); i-- > 0;) {
        json_t *row = json_array_get(log, i);
        const char *path = json_string_value(json_object_get(row, "path"));
        if (!path || !strstr(path, mark))
            continue;
        double end = json_number_value(json_object_get(row, "ended"));
        double begin = end - json_number_value(json_object_get(row, "seconds"));
        end = fmin(end, free_from);
        sum += fmax(end - begin, 0);
        free_from = fmin(free_from, begin);
    }
    return sum;
}
