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

/* The text is not on the stack, see descriptor.c. A line is rarely longer than that; a longer one
 * is skipped. */
static struct {
    uint32_t locked;
    uint32_t count;
    dev_t devices[MOUNTS];
    uint32_t names[MOUNTS]; /* strings; 0: local */
    char text[8192], name[CUP_MOUNT_NAME];
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
int cup_mount_read_line(char *line, dev_t device, char name[CUP_MOUNT_NAME])
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
    char *place = take_word(&at), *word;
    do
        word = take_word(&at);
    while (*word && strcmp(word, "-") != 0);
    char *type = take_word(&at), *source = take_word(&at);
    *name = '\0';
    if (strlen(type) > 40 || !is_remote(type))
        return 1;
    decode_octal(place);
    decode_octal(source);
    print_name(name, type, source, place);
    return 1;
}

/* ---- the file -------------------------------------------------------------------------------- */

/* Looks for DEVICE in the lines of the text, of which BYTES are filled. Returns how many bytes
 * belong to whole lines. */
static size_t search_lines(size_t bytes, dev_t device, bool *found)
{
    size_t at = 0;
    for (;;) {
        char *line = mounts.text + at, *end = memchr(line, '\n', bytes - at);
        if (!end)
            return at;
        *end = '\0';
        at = (size_t)(end - mounts.text) + 1;
        *found = *found || cup_mount_read_line(line, device, mounts.name);
    }
}

/* Prints the name of DEVICE's file system into mounts.name; "": it is local, or not known. */
static void search_device(dev_t device)
{
    int fd = cup_raw_open("/proc/self/mountinfo", O_RDONLY | O_CLOEXEC, 0);
    size_t kept = 0;
    bool found = false;
    mounts.name[0] = '\0';
    while (fd >= 0 && !found) {
        ssize_t got = cup_raw_read(fd, mounts.text + kept, sizeof mounts.text - kept);
        if (got <= 0)
            break;
        size_t bytes = kept + (size_t)got, whole = search_lines(bytes, device, &found);
        kept = whole || bytes < sizeof mounts.text ? bytes - whole : 0;
        memmove(mounts.text, mounts.text + whole, kept);
    }
    if (fd >= 0)
        cup_raw_close(fd);
}

static uint32_t add_device(dev_t device)
{
    if (mounts.count == MOUNTS)
        return 0;
    search_device(device);
    mounts.devices[mounts.count] = device;
    mounts.names[mounts.count] = mounts.name[0] ? cup_log_cstring(mounts.name) : 0;
    return ++mounts.count;
}

uint16_t cup_mount_of(dev_t device)
{
    uint32_t mount = 0;
    cup_spin_lock(&mounts.locked);
    for (uint32_t i = 0; i < mounts.count && !mount; i++)
        mount = mounts.devices[i] == device ? i + 1 : 0;
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
