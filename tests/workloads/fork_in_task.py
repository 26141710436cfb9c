"""A task forks children that read, run tasks of their own and end in every way; the parent's
task counts its own reads alone."""

import os
import subprocess
import sys

from run_task import run

path = sys.argv[1]


def read(count):
    fd = os.open(path, os.O_RDONLY)
    data = os.read(fd, count)
    os.close(fd)
    return len(data)


def child(body):
    pid = os.fork()
    if pid == 0:
        try:
            body()
        finally:
            os._exit(7)
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])


def grandchild():
    read(2000)
    run("in child", lambda: read(400))
    child(lambda: run("in grandchild", lambda: read(50)))


def parent():
    read(1000)
    codes = [child(lambda: read(5000)), child(grandchild), child(lambda: sys.exit(3))]
    codes.append(subprocess.run([sys.executable, "-c", f"open({path!r}).read()"]).returncode)
    codes.append(os.system("exit 5") >> 8)
    codes.append(os.spawnv(os.P_WAIT, "/bin/true", ["true"]))
    codes.append(os.waitstatus_to_exitcode(os.waitpid(
        os.posix_spawn("/bin/cat", ["cat", "/dev/null"], {}), 0)[1]))
    read(100)
    return codes


print(run("parent", parent))
