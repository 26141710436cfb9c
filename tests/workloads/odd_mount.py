"""A FUSE file system that keeps files in memory, cannot allocate blocks ahead, and answers writes in odd ways.

    odd_mount.py DIRECTORY SECONDS BYTES      until it is unmounted; needs fusepy

Each write takes SECONDS. After BYTES were written, every further write fails as a quota does (EDQUOT): also those
that the kernel makes later, for pages of files that are mapped.
"""

import errno
import stat
import sys
import time

from fusepy import FUSE, FuseOSError, Operations


class Files(Operations):
    use_ns = False

    def __init__(self, seconds, most):
        self.seconds, self.left, self.files = seconds, most, {}

    def getattr(self, path, fh=None):
        now = time.time()
        times = {"st_ctime": now, "st_mtime": now, "st_atime": now, "st_nlink": 1}
        if path == "/":
            return {"st_mode": stat.S_IFDIR | 0o777, **times}
        if path not in self.files:
            raise FuseOSError(errno.ENOENT)
        return {"st_mode": stat.S_IFREG | 0o600, "st_size": len(self.files[path]), **times}

    def readdir(self, path, fh):
        return [".", "..", *(name[1:] for name in self.files)]

    def create(self, path, mode, fi=None):
        self.files[path] = bytearray()
        return 0

    def unlink(self, path):
        del self.files[path]

    def truncate(self, path, length, fh=None):
        data = self.files[path]
        del data[length:]
        data.extend(bytes(length - len(data)))

    def read(self, path, size, offset, fh):
        return bytes(self.files[path][offset : offset + size])

    def write(self, path, data, offset, fh):
        time.sleep(self.seconds)
        self.left -= len(data)
        if self.left < 0:
            raise FuseOSError(errno.EDQUOT)
        file = self.files[path]
        file.extend(bytes(max(0, offset + len(data) - len(file))))
        file[offset : offset + len(data)] = data
        return len(data)


if __name__ == "__main__":
    FUSE(Files(float(sys.argv[2]), int(sys.argv[3])), sys.argv[1], foreground=True, nothreads=True)
