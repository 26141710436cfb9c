/* File systems that come from a server: NFS, CVMFS, EOS, Lustre, Ceph, ... Each device is looked up
 * in /proc/self/mountinfo once. All functions: any thread, guard held, no lock of ours held but
 * that of descriptor.c; they change errno. */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* The mount of DEVICE: 1, 2, 3, ... in this process; 0: a local file system, or not known. */
uint16_t cup_mount_of(dev_t device);

/* The name of a MOUNT, such as "nfs4:nas.example:/export" or "fuse:/cvmfs/cms.cern.ch": the id of
 * its string. 0 for mount 0. */
uint32_t cup_mount_name(uint16_t mount);

/* Forgets all devices: numbers of strings are valid in one log only. */
void cup_mounts_reset(void);

/* ---- for tests ------------------------------------------------------------------------------- */

enum { CUP_MOUNT_NAME = 512 };

/* Reads a line of mountinfo. If it is DEVICE's and its file system comes from a server, prints its
 * name. Returns 1 if the line is DEVICE's, else 0. Changes LINE. */
int cup_mount_read_line(char *line, dev_t device, char name[CUP_MOUNT_NAME]);
