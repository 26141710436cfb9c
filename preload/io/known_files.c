#include "preload/io/known_files.h"

#include "preload/io/file_class.h"
#include "preload/io/mounts.h"
#include "preload/log/log.h"
#include "preload/root/baskets.h"
#include "preload/sys/id_table.h"

#include <stdio.h>
#include <string.h>

/* Most files and peers of one process. Peers have a limit of their own, so that they do not take
 * the place of files. Further files at one place share a number. */
enum { FILES_MOST = 6144, PEERS_MOST = 1024, SHARED_MOST = 64 };

/* Under the log's lock. */
static struct cup_id_table files, peers, shared;
static uint32_t last_id; /* of all of them */

static uint32_t places[FILES_MOST + PEERS_MOST + SHARED_MOST + 1]; /* by number: strings */

void cup_known_files_reset(void)
{
    cup_id_table_reset(&files);
    cup_id_table_reset(&peers);
    cup_id_table_reset(&shared);
    last_id = 0;
}

/* A bit of a number in a table: its record was not written, because the log was full. */
static const uint32_t unwritten = UINT32_C(1) << 31;

/* The number of KEY in TABLE. A new KEY gets the next number; 0: the table is full. IS_NEW: the
 * caller has to write its record. */
static uint32_t find_number(struct cup_id_table *table, uint32_t most, struct cup_hash key,
                            bool *is_new)
{
    cup_log_lock();
    struct cup_id_entry *entry = cup_id_find(table, key.key, key.more);
    uint32_t id = entry ? entry->id & ~unwritten : 0;
    *is_new = entry ? entry->id != id : cup_id_room(table, 1, most);
    if (entry)
        entry->id = id;
    else if (*is_new)
        cup_id_add(table, key.key, key.more, id = ++last_id);
    cup_log_unlock();
    return id;
}

/* The record of KEY could not be written: nothing may refer to it before it is. */
static void note_unwritten(const struct cup_id_table *table, struct cup_hash key)
{
    cup_log_lock();
    struct cup_id_entry *entry = cup_id_find(table, key.key, key.more);
    if (entry)
        entry->id |= unwritten;
    cup_log_unlock();
}

size_t cup_place_length(const char *path)
{
    const char *scheme = strstr(path, "://");
    if (!scheme && *path != '/')
        return 0;
    const char *end = strchrnul(scheme ? scheme + 3 : path + 1, '/');
    if (scheme)
        return (size_t)(end - path);
    return *end ? (size_t)(end + 1 - path) : 1;
}

uint32_t cup_place_of(const char *path)
{
    size_t bytes = path ? cup_place_length(path) : 0;
    return bytes ? cup_log_string(path, bytes) : path ? cup_log_cstring("./") : 0;
}

uint32_t cup_known_place(uint32_t file)
{
    return file < sizeof places / sizeof *places ? places[file] : 0;
}

/* Writes the record of file ID at PATH, whose string is PATH_ID. A data file without an inode is
 * remote. False: the log is full. */
static bool write_record(uint32_t id, uint32_t class, const struct stat *status, const char *path,
                         uint32_t path_id)
{
    const struct cup_r_file record = {
        .id = id,
        .path = path_id,
        .class = class,
        .flags = (cup_file_is_called_root(path) ? CUP_FILE_IS_ROOT : 0) |
                 (class == CUP_FILE_DATA && !status->st_ino ? CUP_FILE_IS_REMOTE : 0),
        .device = status->st_dev,
        .inode = status->st_ino,
        .size = (uint64_t)status->st_size,
        .mount = class == CUP_FILE_DATA && status->st_ino
                     ? cup_mount_name(cup_mount_of(status->st_dev, path))
                     : 0,
    };
    places[id] = cup_place_of(path);
    return path_id && cup_log_write(CUP_R_FILE, &record, NULL, 0);
}

/* The number that further files at the place of PATH share; 0: there are too many places, or the
 * log is full. */
static uint32_t share_number(const struct stat *status, const char *path, uint32_t class)
{
    bool is_new;
    char name[300];
    size_t bytes = cup_place_length(path);
    struct cup_hash key = cup_hash_bytes((struct cup_hash){class, 1}, path, bytes);
    uint32_t id = find_number(&shared, SHARED_MOST, key, &is_new);
    cup_log_health(CUP_H_FILES_DROPPED, 1);
    if (!is_new)
        return id;
    snprintf(name, sizeof name, "%.*s(other files)", bytes < 256 ? (int)bytes : 256, path);
    if (write_record(id, class,
                     &(struct stat){.st_dev = status->st_dev, .st_ino = status->st_ino != 0}, name,
                     cup_log_name(name, strlen(name))))
        return id;
    note_unwritten(&shared, key);
    return 0;
}

/* A file is identified by device, inode and path: the inode's number alone may be used again for
 * another file. The kernel's device numbers have 32 bits, so device and path fit into 64. */
uint32_t cup_known_file(const struct stat *status, const char *path, uint32_t class)
{
    uint32_t path_id = cup_log_cstring(path);
    struct cup_hash key = {status->st_ino, (uint64_t)status->st_dev << 32 | path_id};
    bool is_new;
    uint32_t id = path_id ? find_number(&files, FILES_MOST, key, &is_new) : 0;
    if (!id)
        return share_number(status, path, class);
    if (!is_new)
        return id;
    if (!write_record(id, class, status, path, path_id)) {
        note_unwritten(&files, key);
        return 0;
    }
    if (class == CUP_FILE_DATA)
        cup_baskets_file(id, path_id, (uint32_t)status->st_blksize, cup_file_is_called_root(path));
    return id;
}

uint32_t cup_known_url(const char *url)
{
    return cup_known_file(&(struct stat){.st_blksize = 1}, url, CUP_FILE_DATA);
}

uint32_t cup_known_peer(const char *address)
{
    bool is_new;
    struct cup_hash key = cup_hash_bytes((struct cup_hash){1, 1}, address, strlen(address));
    uint32_t id = find_number(&peers, PEERS_MOST, key, &is_new);
    if (!id)
        cup_log_health(CUP_H_FILES_DROPPED, 1);
    if (!is_new ||
        write_record(id, CUP_FILE_SOCKET, &(struct stat){0}, address, cup_log_cstring(address)))
        return id;
    note_unwritten(&peers, key);
    return 0;
}
