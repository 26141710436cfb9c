"""Line tables of the standard library's functions, and the lines that CPython itself reads in them.

Prints, for each code object: minor version, first line, table in hex, and pairs OFFSET:LINE of every
instruction, line 0 for those that have none."""
import dis
import os
import sys
import sysconfig
import types

MODULES = ("asyncio/base_events.py argparse.py ast.py collections/__init__.py concurrent/futures/thread.py "
           "contextlib.py copy.py dataclasses.py datetime.py decimal.py difflib.py dis.py doctest.py "
           "email/_header_value_parser.py enum.py fractions.py functools.py heapq.py html/entities.py "
           "http/client.py inspect.py json/decoder.py locale.py logging/__init__.py mailbox.py optparse.py "
           "pathlib.py pathlib/__init__.py pickle.py platform.py pydoc.py queue.py random.py re.py shutil.py "
           "socket.py ssl.py statistics.py subprocess.py tarfile.py tempfile.py threading.py traceback.py "
           "turtle.py typing.py unittest/mock.py urllib/parse.py urllib/request.py uuid.py xml/dom/minidom.py "
           "zipfile.py zipfile/__init__.py test/test_grammar.py").split()


def functions(code):
    yield code
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from functions(constant)


def table_of(code):
    return code.co_linetable if sys.version_info >= (3, 10) else code.co_lnotab


def lines_of(code):
    if sys.version_info >= (3, 10):
        for start, stop, line in code.co_lines():
            for at in range(start, stop, 2):
                yield at, line or 0
    else:
        starts = list(dis.findlinestarts(code))
        for (start, line), (stop, _) in zip(starts, starts[1:] + [(len(code.co_code), 0)]):
            for at in range(start, stop, 2):
                yield at, line


def main():
    root = sysconfig.get_paths()["stdlib"]
    for name in MODULES:
        path = os.path.join(root, name)
        if not os.path.exists(path):
            continue
        with open(path, encoding="utf-8") as file:
            module = compile(file.read(), path, "exec")
        for code in functions(module):
            print(sys.version_info[1], code.co_firstlineno, table_of(code).hex() or "-",
                  *("%d:%d" % pair for pair in lines_of(code)))


main()
