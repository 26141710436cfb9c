"""A file system that answers late, and counts on nothing but /dev/fuse and the right to mount.

    slow_mount.py DIRECTORY MILLISECONDS      until its parent ends or its standard input does

Exit status 77, and one line that says why, if nothing can be mounted here.

Every name is a file of SIZE bytes. Files named direct-* are read past the page cache, a request for
each read(); others page by page. Only reads are slow.
"""

import ctypes
import os
import signal
import struct
import sys
import time

SIZE = 1 << 20
LOOKUP, FORGET, GETATTR, OPEN, READ, STATFS, RELEASE, FLUSH, INIT, OPENDIR, RELEASEDIR = \
    1, 2, 3, 14, 15, 17, 18, 25, 26, 27, 29
BATCH_FORGET, INTERRUPT, DESTROY = 42, 36, 38
SILENT = (FORGET, BATCH_FORGET, INTERRUPT)
HEADER = struct.Struct("<IIQQIIII")  # length, opcode, unique, node, uid, gid, pid, padding
ROOT, DIRECTORY, FILE = 1, 0o040755, 0o100644
ENOSYS = 38
DIRECT_IO = 1
MNT_DETACH, MS_NOSUID_NODEV = 2, 6
CANNOT_MOUNT = 77  # exit status

libc = ctypes.CDLL(None, use_errno=True)


def mount(directory):
    """Returns the descriptor of a mount; OSError says why there is none."""
    fd = os.open("/dev/fuse", os.O_RDWR)
    options = f"fd={fd},rootmode=40000,user_id={os.getuid()},group_id={os.getgid()},allow_other"
    if libc.mount(b"slow", os.fsencode(directory), b"fuse.slow", MS_NOSUID_NODEV, options.encode()):
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return fd


def unmount(directory):
    libc.umount2(os.fsencode(directory), MNT_DETACH)


def attributes(node):
    """struct fuse_attr; modes of a directory for the root, of a file for all else."""
    size, mode = (0, DIRECTORY) if node == ROOT else (SIZE, FILE)
    return struct.pack("<QQQQQQIIIIIIIIII", node, size, size // 512, 0, 0, 0, 0, 0, 0, mode, 1,
                       os.getuid(), os.getgid(), 0, 4096, 0)


class Files:
    def __init__(self, delay_s):
        self.delay_s = delay_s
        self.nodes = {}  # name: node
        self.direct = set()

    def node_of(self, name):
        node = self.nodes.setdefault(name, ROOT + 1 + len(self.nodes))
        if name.startswith(b"direct-"):
            self.direct.add(node)
        return node

    def answer(self, opcode, node, body):
        """What a request is answered with; a number is an error."""
        if opcode == INIT:  # version 7.31; no read-ahead: a request for each page
            return struct.pack("<IIIIHHIIHHIIII", 7, 31, 0, 0, 8, 8, 4096, 1, 0, 0, 0, 0, 0, 0) + bytes(12)
        if opcode == LOOKUP:
            found = self.node_of(body.rstrip(b"\0"))
            return struct.pack("<QQQQII", found, 0, 60, 60, 0, 0) + attributes(found)
        if opcode == GETATTR:
            return struct.pack("<QII", 60, 0, 0) + attributes(node)
        if opcode in (OPEN, OPENDIR):
            return struct.pack("<QII", 0, DIRECT_IO if node in self.direct else 0, 0)
        if opcode == READ:
            _, offset, size = struct.unpack_from("<QQI", body)
            time.sleep(self.delay_s)
            return bytes(max(0, min(size, SIZE - offset)))
        if opcode == STATFS:
            return bytes(80)
        return b"" if opcode in (RELEASE, RELEASEDIR, FLUSH, DESTROY) else ENOSYS

    def serve(self, fd):
        while True:
            try:
                request = os.read(fd, 1 << 17)
            except InterruptedError:
                continue
            except OSError:  # unmounted
                return
            _, opcode, unique, node, *_ = HEADER.unpack_from(request)
            if opcode in SILENT:
                continue
            reply = self.answer(opcode, node, request[HEADER.size:])
            error, reply = (-reply, b"") if isinstance(reply, int) else (0, reply)
            try:
                os.write(fd, struct.pack("<IiQ", 16 + len(reply), error, unique) + reply)
            except OSError:  # the caller gave up meanwhile
                pass


def main(directory, milliseconds):
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    libc.prctl(1, signal.SIGTERM, 0, 0, 0)  # end with the parent
    try:
        fd = mount(directory)
    except OSError as error:
        print(error)
        sys.exit(CANNOT_MOUNT)
    try:
        Files(float(milliseconds) / 1000).serve(fd)
    finally:
        unmount(directory)


if __name__ == "__main__":
    main(*sys.argv[1:])
