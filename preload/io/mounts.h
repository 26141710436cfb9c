/* File systems that come from a server: NFS, CVMFS, EOS, Lustre, Ceph, ... Each device is looked up
 * in /proc/self/mountinfo once, and again if one of its files is not below the place where it was
 * mounted: the kernel gives the number of a file system that is no longer mounted to another one.
 * All functions: any thread, guard held, no lock of ours held but that of descriptor.c; they change
 * errno. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* The mount of DEVICE: 1, 2, 3, ... in this process; 0: a local file system, or not known. PATH: an
 * absolute path of a file of DEVICE; another text: not known. */
uint16_t cup_mount_of(dev_t device, const char *path);

/* The name of a MOUNT, such as "nfs4:nas.example:/export" or "fuse:/cvmfs/cms.cern.ch": the id of
 * its string. 0 for mount 0. */
uint32_t cup_mount_name(uint16_t mount);

/* Forgets all devices: numbers of strings are valid in one log only. */
void cup_mounts_reset(void);

/* ---- for tests ------------------------------------------------------------------------------- */

enum { CUP_MOUNT_NAME = 512, CUP_MOUNT_PLACE = 256 };

/* Reads a line of mountinfo. If it is DEVICE's, prints the place where it is mounted ("": the path
 * is too long), and if its file system comes from a server, its name. Returns 1 if the line is
 * DEVICE's, else 0. Changes LINE. */
int cup_mount_read_line(char *line, dev_t device, char name[CUP_MOUNT_NAME],
                        char place[CUP_MOUNT_PLACE]);

/* Whether the file at PATH is below PLACE. */
bool cup_mount_is_below(const char *path, const char *place);
