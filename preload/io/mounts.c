#include "preload/io/mounts.h"

#include "preload/log/log.h"
#include "preload/sys/parse_number.h"
#include "preload/sys/raw.h"
#include "preload/sys/spin.h"

#include <fcntl.h>
#include <stdbool.h>
#include <string.h>
#include <sys/sysmacros.h>

enum { MOUNTS = 64 };

static const dev_t NO_DEVICE = (dev_t)-1;

/* The text is not on the stack, see descriptor.c. A line is rarely longer than that; a longer one
 * is skipped. */
static struct {
    uint32_t locked;
    uint32_t count;
    dev_t devices[MOUNTS];  /* NO_DEVICE: another file system has that number now */
    uint32_t names[MOUNTS]; /* strings; 0: local */
    /* Where each is mounted; "": not known, or at several places. */
    char places[MOUNTS][CUP_MOUNT_PLACE];
    char text[8192], name[CUP_MOUNT_NAME], place[CUP_MOUNT_PLACE];
} mounts;

void cup_mounts_reset(void)
{
    cup_spin_unlock(&mounts.locked); /* a thread of the parent may have held it during the fork */
    mounts.count = 0;
}

/* ---- lines ----------------------------------------------------------------------------------- */

/* Cuts the next word off *AT; "" if there is none. */
static char *take_word(char **at)
{
    char *word = *at, *end = strchrnul(word, ' ');
    *at = *end ? end + 1 : end;
    *end = '\0';
    return word;
}

/* Blanks are written as "\040". */
static void decode_octal(char *text)
{
    char *to = text;
    for (const char *at = text; *at; to++) {
        bool octal = at[0] == '\\' && at[1] >= '0' && at[1] <= '3' && at[2] >= '0' &&
                     at[2] <= '7' && at[3] >= '0' && at[3] <= '7';
        *to = octal ? (char)((at[1] - '0') * 64 + (at[2] - '0') * 8 + at[3] - '0') : *at;
        at += octal ? 4 : 1;
    }
    *to = '\0';
}

/* FUSE serves CVMFS, EOS, sshfs and many more. The exceptions are in front of local files. */
static bool is_remote(const char *type)
{
    static const char *const remote[] = {"nfs",   "nfs4", "lustre",    "gpfs",  "ceph",
                                         "cifs",  "smb3", "afs",       "9p",    "beegfs",
                                         "pvfs2", "fuse", "glusterfs", "panfs", "virtiofs"};
    static const char *const local[] = {"fuse.fuse-overlayfs", "fuse.squashfuse",
                                        "fuse.squashfuse_ll", "fuse.lxcfs"};
    for (size_t i = 0; i < sizeof local / sizeof *local; i++)
        if (strcmp(type, local[i]) == 0)
            return false;
    for (size_t i = 0; i < sizeof remote / sizeof *remote; i++)
        if (strcmp(type, remote[i]) == 0)
            return true;
    return strncmp(type, "fuse.", 5) == 0;
}

/* A source with a ':' or "//" names the server. Others, like "cvmfs2", say less than the place. */
static void print_name(char name[CUP_MOUNT_NAME], const char *type, const char *source,
                       const char *place)
{
    bool slashes = strncmp(source, "//", 2) == 0;
    const char *which = slashes ? source + 2 : strchr(source, ':') ? source : place;
    size_t bytes = strlen(type), more = strlen(which);
    more = bytes + more + 2 > CUP_MOUNT_NAME ? CUP_MOUNT_NAME - bytes - 2 : more;
    memcpy(name, type, bytes);
    name[bytes] = ':';
    memcpy(name + bytes + 1, which, more);
    name[bytes + 1 + more] = '\0';
}

/* "36 35 98:0 /root /place rw,noatime master:1 - type source options" */
int cup_mount_read_line(char *line, dev_t device, char name[CUP_MOUNT_NAME],
                        char place[CUP_MOUNT_PLACE])
{
    uint64_t number, major = 0, minor = 0;
    const char *rest = cup_number(cup_number(line, &number), &number);
    const char *colon = cup_number(rest, &major);
    if (*colon != ':')
        return 0;
    const char *end = cup_number(colon + 1, &minor);
    if (*end != ' ' || makedev(major, minor) != device)
        return 0;
    char *at = line + (end + 1 - line);
    take_word(&at);
    char *mounted_at = take_word(&at), *word;
    do
        word = take_word(&at);
    while (*word && strcmp(word, "-") != 0);
    char *type = take_word(&at), *source = take_word(&at);
    *name = *place = '\0';
    decode_octal(mounted_at);
    decode_octal(source);
    if (strlen(mounted_at) < CUP_MOUNT_PLACE)
        memcpy(place, mounted_at, strlen(mounted_at) + 1);
    if (strlen(type) <= 40 && is_remote(type))
        print_name(name, type, source, mounted_at);
    return 1;
}

/* ---- the file -------------------------------------------------------------------------------- */

/* Looks for DEVICE, mounted at WANTED (NULL: at any place), in the lines of the text, of which
 * BYTES are filled. Returns how many bytes belong to whole lines. */
static size_t search_lines(size_t bytes, dev_t device, const char *wanted, bool *found)
{
    size_t at = 0;
    for (;;) {
        char *line = mounts.text + at, *end = memchr(line, '\n', bytes - at);
        if (!end)
            return at;
        *end = '\0';
        at = (size_t)(end - mounts.text) + 1;
        *found = *found || (cup_mount_read_line(line, device, mounts.name, mounts.place) &&
                            (!wanted || strcmp(mounts.place, wanted) == 0));
    }
}

/* Prints the name of DEVICE's file system into mounts.name ("": it is local, or not known), and
 * where it is mounted into mounts.place. Returns false if it is not mounted at WANTED (NULL: at any
 * place), and true if that cannot be read. */
static bool search_device(dev_t device, const char *wanted)
{
    int fd = cup_raw_open("/proc/self/mountinfo", O_RDONLY | O_CLOEXEC, 0);
    size_t kept = 0;
    bool found = false;
    mounts.name[0] = mounts.place[0] = '\0';
    while (fd >= 0 && !found) {
        ssize_t got = cup_raw_read(fd, mounts.text + kept, sizeof mounts.text - kept);
        if (got <= 0)
            break;
        size_t bytes = kept + (size_t)got, whole = search_lines(bytes, device, wanted, &found);
        kept = whole || bytes < sizeof mounts.text ? bytes - whole : 0;
        memmove(mounts.text, mounts.text + whole, kept);
    }
    if (fd >= 0)
        cup_raw_close(fd);
    return found || fd < 0;
}

static uint32_t add_device(dev_t device)
{
    if (mounts.count == MOUNTS)
        return 0;
    search_device(device, NULL);
    memcpy(mounts.places[mounts.count], mounts.place, sizeof mounts.place);
    mounts.devices[mounts.count] = device;
    mounts.names[mounts.count] = mounts.name[0] ? cup_log_cstring(mounts.name) : 0;
    return ++mounts.count;
}

bool cup_mount_is_below(const char *path, const char *place)
{
    size_t bytes = strlen(place);
    bool is_root = bytes == 1;
    return strncmp(path, place, bytes) == 0 && (is_root || path[bytes] == '/' || !path[bytes]);
}

/* Returns false if entry I is of a file system that is no longer mounted where it was. One that is
 * mounted at several places is not looked up again. */
static bool is_mounted(uint32_t i, const char *path)
{
    if (*path != '/' || !*mounts.places[i] || cup_mount_is_below(path, mounts.places[i]))
        return true;
    if (!search_device(mounts.devices[i], mounts.places[i])) {
        mounts.devices[i] = NO_DEVICE;
        return false;
    }
    mounts.places[i][0] = '\0';
    return true;
}

uint16_t cup_mount_of(dev_t device, const char *path)
{
    uint32_t mount = 0;
    cup_spin_lock(&mounts.locked);
    for (uint32_t i = 0; i < mounts.count && !mount; i++)
        mount = mounts.devices[i] == device && is_mounted(i, path) ? i + 1 : 0;
    if (!mount)
        mount = add_device(device);
    bool remote = mount && mounts.names[mount - 1];
    cup_spin_unlock(&mounts.locked);
    return remote ? (uint16_t)mount : 0;
}

uint32_t cup_mount_name(uint16_t mount)
{
    return mount ? mounts.names[mount - 1] : 0;
}
