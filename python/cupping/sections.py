"""Sections and values that you name, for cupping's report.

    import cupping

    with cupping.section("selection"):
        events = events[mask]
    cupping.value("events_selected", len(events))

    @cupping.section("fill histograms")
    def fill(...): ...

The workers must find the package, too: docs/sections.md says how to send it. In a process that is
not profiled, these functions record nothing. In a profiled process a section costs some microseconds.
`cupping report --only sections` shows its time, CPU time, memory and bytes, over all tasks and for
each.
"""

import contextlib
import functools
import inspect
import sys
import threading
import types

__all__ = ["active", "section", "value"]


def _library():
    """The functions of libcupping.so, if it is preloaded: (begin, end, value, active) or None.

    PyDLL, because none of these functions waits: the GIL need not be released.
    """
    try:
        import ctypes

        process = ctypes.PyDLL(None)
        begin, end = process.cupping_api_begin, process.cupping_api_end
        value, is_active = process.cupping_api_value, process.cupping_api_active
    except (ImportError, OSError, AttributeError, TypeError):
        return None
    begin.argtypes, begin.restype = [ctypes.c_char_p], ctypes.c_uint
    end.argtypes, end.restype = [ctypes.c_uint], None
    value.argtypes, value.restype = [ctypes.c_char_p, ctypes.c_double], None
    is_active.argtypes, is_active.restype = [], ctypes.c_int
    return begin, end, value, is_active


_begin, _end, _value, _active = _library() or (None, None, None, None)


def _name(name):
    return str(name).encode("utf-8", "replace").replace(b"\0", b" ")


def active():
    """True if this process is profiled."""
    return _active is not None and bool(_active())


def value(name, number):
    """Records a number for the task that runs here. If a name has several numbers, the report shows
    how many they are, their sum, the least and the greatest. What is no number is counted as dropped."""
    if _value is not None:
        try:
            number = float(number)
        except Exception:  # the same program must also run where it is not profiled
            number = float("nan")
        _value(_name(name), number)


def _place():
    """The thread and the number of the asyncio task that run here. Coroutines take turns on a thread."""
    asyncio = sys.modules.get("asyncio")
    try:
        task = asyncio and asyncio.current_task()
    except (RuntimeError, AttributeError):  # no loop runs here; another thread is just importing asyncio
        task = None
    return threading.get_ident(), task and id(task)


class section:
    """A part of a task, as a context manager or a decorator, also for generators and coroutine functions.
    Sections may be nested, and one object may be used by several threads and coroutines. If a section awaits
    or yields, it includes what its thread does during that time."""

    def __init__(self, name):
        self.name = name
        self._open = {}  # by _place(): numbers of the sections that it is in

    def __getstate__(self):
        return {**vars(self), "_open": {}}  # another process is in none of these sections

    def __enter__(self):
        if _begin is not None:
            self._open.setdefault(_place(), []).append(_begin(_name(self.name)))
        return self

    def __exit__(self, *error):
        place = _place() if self._open else None
        if place and place not in self._open:  # asyncio closes an asynchronous generator in a task of its own
            place = next((other for other in reversed(list(self._open)) if other[0] == place[0]), None)
        numbers = self._open.get(place)
        if numbers:
            number = numbers.pop()
            if not numbers:
                self._open.pop(place, None)
            if number:
                _end(number)
        return False

    def __call__(self, function):
        """Whether the process is profiled is decided at each call: a function that was defined in a notebook
        runs in workers, as a copy. There this module may be missing."""
        name = self.name

        def here():
            try:
                from cupping import section as of_this_process
            except ImportError:
                return contextlib.nullcontext()
            return of_this_process(name)

        if inspect.iscoroutinefunction(function):

            @functools.wraps(function)
            async def measured(*arguments, **named):
                with here():
                    return await function(*arguments, **named)

        elif inspect.isgeneratorfunction(function):

            @functools.wraps(function)
            def measured(*arguments, **named):
                with here():
                    return (yield from function(*arguments, **named))

            if getattr(function, "__code__", measured.__code__).co_flags & inspect.CO_ITERABLE_COROUTINE:
                measured = types.coroutine(measured)

        elif inspect.isasyncgenfunction(function):
            raise TypeError(f"cupping.section cannot decorate an asynchronous generator, such as {function.__name__}(): "
                            "use `with cupping.section(...)` in it")

        else:

            @functools.wraps(function)
            def measured(*arguments, **named):
                with here():
                    return function(*arguments, **named)

        return measured
