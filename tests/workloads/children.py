"""Four threads with one task each, all starting children at once in every way there is; sizes all
differ. children.py DIRECTORY

Prints what the children wrote; DIRECTORY/expected gets "key bytes" lines: the data files that each
task's children read."""

import ctypes
import multiprocessing
import os
import subprocess
import sys
import threading

from run_task import run

directory = sys.argv[1]
libc = ctypes.CDLL(None)
cat = "/bin/cat"


def input_file(bytes):
    path = f"{directory}/{bytes}"
    with open(path, "wb") as file:
        file.write(b"x" * (bytes - 1) + b"\n")
    return path


def read(path):
    with open(path, "rb", buffering=0) as file:
        return len(file.read(1 << 20))


def read_in_child(path):
    os._exit(read(path) % 100)


def status(pid):
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])


def by_run(path):
    return len(subprocess.run([cat, path], stdout=subprocess.PIPE).stdout)


def by_run_with_environment(path):
    environment = dict(os.environ, SOMETHING="else")
    return len(subprocess.run([cat, path], env=environment, stdout=subprocess.PIPE).stdout)


def by_standard_input(path):
    with open(path, "rb") as file:
        return len(subprocess.run([cat], stdin=file, stdout=subprocess.PIPE).stdout)


def by_shell(path):
    return subprocess.getoutput(f"cat {path} | wc -c")


def by_shell_with_grandchildren(path):
    return subprocess.getoutput(f"(sh -c 'cat {path}; true' | cat; true) | wc -c")


def by_posix_spawn(path):
    return status(os.posix_spawn(cat, ["cat", path], os.environ,
                                 file_actions=[(os.POSIX_SPAWN_OPEN, 1, "/dev/null",
                                                os.O_WRONLY, 0)]))


def by_fork(path):
    pid = os.fork()
    if pid == 0:
        read_in_child(path)
    return status(pid)


def by_fork_and_exec(path):
    pid = os.fork()
    if pid == 0:
        os.dup2(os.open("/dev/null", os.O_WRONLY), 1)
        os.execl(cat, "cat", path)
    return status(pid)


def by_python(path):
    program = f"import subprocess; subprocess.run(['cat', {path!r}])"
    return len(subprocess.run([sys.executable, "-c", program], stdout=subprocess.PIPE).stdout)


def by_system(path):
    return os.system(f"cat {path} >/dev/null; exit 5") >> 8


def by_multiprocessing(method, path):
    process = multiprocessing.get_context(method).Process(target=read_in_child, args=(path,))
    process.start()
    process.join()
    return process.exitcode


def by_multiprocessing_fork(path):
    return by_multiprocessing("fork", path)


def by_multiprocessing_spawn(path):
    return by_multiprocessing("spawn", path)


def by_multiprocessing_forkserver(path):
    return by_multiprocessing("forkserver", path)


def by_forkserver_and_subprocess(path):
    context = multiprocessing.get_context("forkserver")
    process = context.Process(target=subprocess.check_output, args=([cat, path],))
    process.start()
    process.join()
    return process.exitcode


def nothing_read(path):
    subprocess.run(["/bin/ls", path], stdout=subprocess.PIPE)
    return subprocess.getoutput("echo nothing")


THREADS = 4
ways = [value for name, value in list(globals().items())
        if name.startswith(("by_", "nothing_")) and name != "by_multiprocessing"]


def one_way(number, way, results, expected):
    started = threading.Barrier(THREADS)

    def body(path):
        started.wait()
        return way(path)

    def in_thread(thread):
        bytes = 1000 * (number + 1) + 100 * thread + 7
        path = input_file(bytes)
        key = f"{way.__name__}-{thread}"
        results[key] = run(key, lambda: body(path))
        expected[key] = bytes if way is not nothing_read else 0

    threads = [threading.Thread(target=in_thread, args=(thread,)) for thread in range(THREADS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def main():
    results, expected = {}, {}
    for number, way in enumerate(ways):
        one_way(number, way, results, expected)
    for key in sorted(results):
        print(key, results[key])
    with open(f"{directory}/expected", "w") as file:
        file.writelines(f"{key} {bytes}\n" for key, bytes in expected.items())


if __name__ == "__main__":
    main()
