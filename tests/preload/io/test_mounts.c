/* Lines of /proc/self/mountinfo: which file systems come from a server, and what they are called.
 */
#include "preload/io/mounts.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

static void expect_name(const char *line, const char *name)
{
    char copy[512], found[CUP_MOUNT_NAME], place[CUP_MOUNT_PLACE];
    snprintf(copy, sizeof copy, "%s", line);
    cr_expect_eq(cup_mount_read_line(copy, makedev(0, 52), found, place), 1, "%s", line);
    cr_expect_str_eq(found, name, "%s", line);
}

Test(mounts, servers_by_their_source)
{
    expect_name("36 35 0:52 / /data rw,noatime - nfs4 nas.example:/export rw,vers=4.2",
                "nfs4:nas.example:/export");
    expect_name("36 35 0:52 /sub /data rw shared:7 master:1 - lustre 10.0.0.1@tcp:/fs rw",
                "lustre:10.0.0.1@tcp:/fs");
    expect_name("36 35 0:52 / /win rw - cifs //host/share rw", "cifs:host/share");
}

Test(mounts, others_by_their_place)
{
    expect_name("36 35 0:52 / /cvmfs/cms.cern.ch ro,nosuid shared:9 - fuse cvmfs2 ro",
                "fuse:/cvmfs/cms.cern.ch");
    expect_name("36 35 0:52 / /eos/my\\040files rw - fuse.eosxd eosxd rw",
                "fuse.eosxd:/eos/my files");
}

Test(mounts, local_file_systems_have_no_name)
{
    expect_name("36 35 0:52 / / rw - ext4 /dev/vda1 rw", "");
    expect_name("36 35 0:52 / / rw - overlay overlay rw,lowerdir=/a:/b", "");
    expect_name("36 35 0:52 / / rw - fuse.fuse-overlayfs fuse-overlayfs rw", "");
    expect_name("36 35 0:52 / / rw - fuseblk /dev/sdb1 rw", "");
}

Test(mounts, other_lines_are_skipped)
{
    const char *const lines[] = {"",
                                 "x",
                                 "36 35",
                                 "36 35 0:5",
                                 "36 35 0:53 / / rw - nfs a:/b rw",
                                 "36 35 1:52 / / rw - nfs a:/b rw"};
    char copy[64], name[CUP_MOUNT_NAME], place[CUP_MOUNT_PLACE];
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        snprintf(copy, sizeof copy, "%s", lines[i]);
        cr_expect_eq(cup_mount_read_line(copy, makedev(0, 52), name, place), 0, "%s", lines[i]);
    }
    snprintf(copy, sizeof copy, "36 35 0:52 / / rw");
    cr_expect_eq(cup_mount_read_line(copy, makedev(0, 52), name, place), 1);
    cr_expect_str_eq(name, "", "a line that is cut is of no server");
}

Test(mounts, long_names_are_cut)
{
    char line[2048] = "36 35 0:52 / /data rw - nfs host:", name[CUP_MOUNT_NAME];
    char place[CUP_MOUNT_PLACE];
    memset(line + strlen(line), 'x', 1000);
    cr_expect_eq(cup_mount_read_line(line, makedev(0, 52), name, place), 1);
    cr_expect_eq(strlen(name), CUP_MOUNT_NAME - 1);
}

Test(mounts, a_line_says_where_it_is_mounted)
{
    char line[512] = "36 35 0:52 / /cvmfs/my\\040repository ro - fuse cvmfs2 ro";
    char name[CUP_MOUNT_NAME], place[CUP_MOUNT_PLACE];
    cr_expect_eq(cup_mount_read_line(line, makedev(0, 52), name, place), 1);
    cr_expect_str_eq(place, "/cvmfs/my repository");
    cr_expect(cup_mount_is_below("/cvmfs/my repository/a", place));
    cr_expect(cup_mount_is_below("/cvmfs/my repository", place));
    cr_expect_not(cup_mount_is_below("/cvmfs/my repository 2/a", place));
    cr_expect_not(cup_mount_is_below("/cvmfs", place));
    cr_expect(cup_mount_is_below("/any", "/"));
}

Test(mounts, proc_is_no_server)
{
    struct stat status;
    cr_assert_eq(stat("/proc", &status), 0);
    cr_expect_eq(cup_mount_of(status.st_dev, ""), 0);
    cr_expect_eq(cup_mount_name(0), 0);
}
