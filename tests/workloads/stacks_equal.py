"""Stacks as the library reads them (libstacks.so) against sys._getframe()'s: names, files, first
lines, line tables and instructions of every frame, in as many shapes as Python has. Needs nothing
beyond the interpreter.

    stacks_equal.py libstacks.so DIRECTORY [native] [differs]

says how many stacks were equal; fails at the first that was not. Native frames are left out of the
comparison. "differs": as if the interpreter's layout were none that is known.
"""

import _thread
import asyncio
import atexit  # the library asks for it, and imports nothing
import contextlib
import ctypes
import functools
import gc
import glob
import json
import os
import sys
import threading
import types
import weakref

from raw_log import CUT, NATIVE, UNKNOWN, Log

MOST = 128
taken = []  # (node, stack): frames as (code, or its facts, offset), innermost first
keeps_code = True  # code objects that were seen stay where they are


def facts(code):
    """In copies: strings of the code would keep their own places from being used again."""
    name = code.co_qualname if hasattr(code, "co_qualname") else code.co_name
    table = code.co_linetable if hasattr(code, "co_linetable") else code.co_lnotab
    file = "".join("?" if 0xd800 <= ord(c) < 0xe000 else c for c in code.co_filename)
    return name.encode(), file.encode(), code.co_firstlineno, bytearray(table)


def expected(frame):
    frames = []
    while frame and len(frames) <= MOST:
        frames.append((frame.f_code if keeps_code else facts(frame.f_code), frame.f_lasti))
        frame = frame.f_back
    return frames


def check(*_):
    # The frame of this function itself stands at another instruction when the library looks.
    taken.append((here(0), expected(sys._getframe())))
    return True


# ---- shapes ------------------------------------------------------------------------------------

def recursion():
    def down(n):
        return check() if n == 0 else down(n - 1)

    for depth in (1, 2, 30, 60, 100, 119, 120, 121, 122, 123, 124, 125, 126, 127, 128, 129, 200, 500):
        down(depth)


def even(n):
    return check() if n == 0 else odd(n - 1)


def odd(n):
    return check() if n == 0 else even(n - 1)


def mutual():
    for n in range(40):
        even(n)


class Thing:
    made = 0

    def __init__(self, deep=0):
        check()
        if deep:
            Thing(deep - 1)

    def __del__(self):
        check()

    def __enter__(self):
        check()
        return self

    def __exit__(self, *_):
        check()

    def __getattr__(self, name):
        check()
        return name

    def __getitem__(self, key):
        return check(key)

    def __call__(self, *args, **kwargs):
        return check()

    def __eq__(self, other):
        return check()

    def __hash__(self):
        check()
        return 1

    def __lt__(self, other):
        return check()

    def __iter__(self):
        for i in range(2):
            check()
            yield i

    def __len__(self):
        check()
        return 3

    def __repr__(self):
        check()
        return "thing"

    @property
    def value(self):
        return check()

    @value.setter
    def value(self, _):
        check()

    @classmethod
    def of_class(cls):
        return check()

    @staticmethod
    def of_nobody():
        return check()

    @functools.lru_cache(maxsize=None)
    def cached(self, n):
        return check()


class Derived(Thing):
    def __init__(self):
        super().__init__(2)
        check()

    def __init_subclass__(cls):
        check()


def objects():
    for _ in range(40):
        thing = Thing()
        with thing:
            thing.value
            thing.value = 1
        thing.nothing
        thing[0], thing(), thing == 1, {thing: 1}, thing < 2, list(thing), len(thing), repr(thing)
        f"{thing} {thing!r}"
        Thing.of_class(), Thing.of_nobody()
        thing.cached(_)
        Thing.cached.cache_clear()
        Derived()
        type("Made", (Derived,), {})
        sorted([Thing(), Thing()])


class Meta(type):
    def __new__(mcs, *args):
        check()
        return super().__new__(mcs, *args)

    def __call__(cls, *args):
        check()
        return super().__call__(*args)


def metaclasses():
    for _ in range(20):
        class Body(metaclass=Meta):
            check()

            def __set_name__(self, owner, name):
                check()

        class Owner:
            body = Body()


def generators():
    def inner():
        check()
        received = yield 1
        check()
        yield received

    def outer():
        check()
        yield from inner()
        yield from (check() for _ in range(2))

    for _ in range(40):
        it = outer()
        next(it), it.send(5), list(it)
        half = outer()
        next(half)
        half.close()
        list(zip(outer(), outer()))

    def thrower():
        try:
            yield
        except ValueError:
            check()
        finally:
            check()

    for _ in range(20):
        it = thrower()
        next(it)
        with contextlib.suppress(StopIteration):
            it.throw(ValueError)

    @contextlib.contextmanager
    def managed():
        check()
        yield
        check()

    for _ in range(20):
        with managed(), managed():
            check()


def callbacks():
    for _ in range(40):
        sorted([3, 1, 2], key=lambda x: check() and x)
        sorted([3, 1, 2], key=functools.cmp_to_key(lambda a, b: check() and a - b))
        list(map(check, range(3)))
        functools.reduce(lambda a, b: check(), range(4))
        list(filter(lambda x: check(), range(3)))
        max([1, 2], key=check), min([1, 2], key=lambda x: check())
        [check() for _ in range(2)]
        {check() for _ in range(2)}
        {i: check() for i in range(2)}
        any(check() and False for _ in range(2))
        [[check() for _ in range(2)] for _ in range(2)]
        functools.partial(check, 1)()
        json.loads('{"a": {"b": 1}}', object_hook=check)


def decorated():
    def decorate(function):
        @functools.wraps(function)
        def wrapper(*args, **kwargs):
            check()
            return function(*args, **kwargs)
        return wrapper

    @decorate
    @decorate
    @functools.singledispatch
    def function(x):
        captured = [x]

        def closure():
            return captured and check()
        return closure()

    for _ in range(40):
        function(1)


def many_lines():
    for _ in range(20):
        check(
            1,
            check(
                2),
            [
                check(),
                lambda: 0,
            ],
        )
        (Thing
         .of_class
         ())


def errors():
    for _ in range(20):
        try:
            try:
                raise ValueError(check())
            except ValueError:
                check()
                raise KeyError from None
            finally:
                check()
        except KeyError as error:
            check()
            del error
            with contextlib.suppress(ZeroDivisionError):
                1 / 0


def größe_żółw(ячейка=None):
    return check() and (lambda 变量: check())(1)


def other_alphabets():
    scope = {"check": check}
    for number, name in enumerate(("naïve", "Ω_мега", "函数", "\U0001d49cb")):
        exec(compile(f"def {name}(): return check()\n{name}()", f"/ð/{name}-\udcff{number}", "exec"),
             scope)
    for _ in range(20):
        größe_żółw()


def evaluated():
    scope = {"check": check}
    for _ in range(40):
        exec("check()", scope)
        eval("[check() for _ in range(2)]", scope)
        exec(compile("\n" * 70 + "def f():\n  return check()\nf()", "<exec>", "exec"), scope)
        exec(compile("def same(): return check()\nsame()", "same", "exec"), scope)
        exec(compile("\n" * 3000 + "(check(\n\n),\ncheck(),)", "<long>", "exec"), scope)


async def asynchronous():
    async def leaf(n):
        check()
        await asyncio.sleep(0)
        check()
        return n

    async def numbers():
        for i in range(3):
            check()
            yield i
            await asyncio.sleep(0)

    class Manager:
        async def __aenter__(self):
            check()

        async def __aexit__(self, *_):
            check()

    for _ in range(10):
        async with Manager():
            async for number in numbers():
                await leaf(number)
        await asyncio.gather(*(leaf(i) for i in range(5)))
        [number async for number in numbers()]
        await asyncio.get_running_loop().run_in_executor(None, check)
        asyncio.get_running_loop().call_soon(check)
        await asyncio.sleep(0)


def in_threads():
    def body(n):
        for _ in range(20):
            even(n)
            Thing.of_class()

    threads = [threading.Thread(target=body, args=(n,)) for n in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    done = threading.Event()
    _thread.start_new_thread(lambda: (check(), done.set()), ())
    done.wait()


class Plain:
    pass


def collected():
    for _ in range(20):
        thing = Plain()
        thing.itself = thing
        weakref.finalize(thing, check)
        kept = weakref.ref(thing, check)
        del thing
        gc.collect()
        del kept


def traced():
    def trace(frame, event, argument):
        if frame.f_code is not check.__code__:
            sys.settrace(None)
            check()
            sys.settrace(trace)
        return trace

    def profile(frame, event, argument):
        sys.setprofile(None)
        check()
        sys.setprofile(profile)

    sys.settrace(trace)
    even(3)
    sys.settrace(None)
    sys.setprofile(profile)
    len([1])
    even(2)
    sys.setprofile(None)


def imported():
    source = "import sys\nsys.modules['__main__'].check()\ndef f():\n    sys.modules['__main__'].check()\nf()\n"
    for number in range(10):
        name = f"stacks_module_{number}"
        with open(os.path.join(directory, name + ".py"), "w") as file:
            file.write(source)
        __import__(name)


def called_back_from_c():
    callback = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p)(lambda a, b: check() and 0)
    array = (ctypes.c_int * 8)(*range(8, 0, -1))
    sort = ctypes.PyDLL(None).qsort
    for _ in range(10):
        sort(array, 8, 4, callback)


def memory_used_again():
    """Code objects come and go: nearly each lies where another one lay."""
    global keeps_code
    keeps_code = False
    for number in range(10000):
        scope = {"check": check}
        exec(compile(f"def f{number}(): return check()", "<again>", "exec"), scope)
        scope[f"f{number}"]()
    model = (lambda: check())
    for number in range(10000):
        code = model.__code__.replace(co_name="".join(("g", str(number))), co_firstlineno=1 + number % 3)
        types.FunctionType(code, globals())()
    for number in range(2000):
        scope = {"check": check}
        exec(compile(f"\n\ndef same(): return [{'check(), ' * (number % 7)} check()]\nsame()", "<same>",
                     "exec"), scope)


# ---- comparison --------------------------------------------------------------------------------

def same_frame(log, node, code, offset, innermost):
    parent, of, at = log.nodes[node]
    assert of in log.codes, (of, code)
    reported = log.codes[of]
    code = facts(code) if isinstance(code, types.CodeType) else code
    assert (reported["name"].encode(), reported["file"].encode(), reported["line"], reported["table"]) == code, (reported, code)
    if not innermost:
        assert offset == (-1 if at == UNKNOWN else at), (code, offset, at)
    return parent


def compare(log):
    frames = 0
    for node, stack in taken:
        assert node, "a stack was not read"
        for depth, (code, offset) in enumerate(stack[:MOST]):
            node = same_frame(log, log.without_native(node), code, offset, depth == 0)
            frames += 1
        if len(stack) > MOST:
            assert log.nodes[node][1] == CUT, log.stack(node)
            node = log.nodes[node][0]
        assert node == 0, log.stack(node)
    return frames


SHAPES = (recursion, mutual, objects, metaclasses, generators, callbacks, decorated, many_lines, errors,
          other_alphabets, evaluated, lambda: asyncio.run(asynchronous()), in_threads, collected, traced,
          imported, called_back_from_c, memory_used_again)


def main():
    global here, directory
    library = ctypes.PyDLL(os.path.abspath(sys.argv[1]))
    directory = os.path.abspath(sys.argv[2])
    library.stacks_begin.restype = ctypes.c_char_p
    native = "native" in sys.argv[3:]
    library.stacks_native_begin.restype = ctypes.c_char_p
    here = library.stacks_native_here if native else library.stacks_here
    sys.path.insert(0, directory)
    if "differs" in sys.argv:
        library.stacks_differ()
    why = library.stacks_begin(directory.encode())
    why = why or (library.stacks_native_begin() if native else None)
    assert why is None, why
    sys.setrecursionlimit(3000)
    for shape in SHAPES:
        shape()
    library.stacks_write()
    log = Log(glob.glob(os.path.join(directory, "*.cup"))[0])
    frames = compare(log)
    print(f"{sys.version.split()[0]}: {len(taken)} stacks, {frames} frames, {len(log.codes)} functions, "
          f"{len(log.nodes)} nodes, {log.health['codes_replaced']} replaced, "
          f"{sum(node[1] >= NATIVE for node in log.nodes.values())} native, "
          f"{log.health['native_apart']} apart", flush=True)
    assert log.health["codes_replaced"] > 1000 and not log.health["stacks_dropped"]
    os._exit(0)  # destructors would call on


if __name__ == "__main__":
    main()
