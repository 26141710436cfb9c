"""Names of your own in cupping's report: sections of a task, and numbers.

    import cupping

    with cupping.section("selection"):
        events = events[mask]
    cupping.value("events_selected", len(events))

    @cupping.section("fill histograms")
    def fill(...): ...

One file that needs nothing but Python: put it beside your processor, or send it to the workers with
client.upload_file("cupping.py"). In a process that is not profiled everything here does nothing,
at the price of a call. In one that is, a section costs some microseconds; what it took of time, CPU,
memory and bytes is in `cupping report --only sections`, for all tasks and for each.
"""

import functools
import inspect

__all__ = ["active", "section", "value"]


def _library():
    """The functions of libcupping.so, if it is preloaded: (begin, end, value, active) or None.

    A PyDLL keeps the interpreter's lock: nothing of what is called waits for anything.
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
    """True in a process that is profiled."""
    return _active is not None and bool(_active())


def value(name, number):
    """A number of the task that runs here. Of several under one name the report has all of count,
    sum, least and most."""
    if _value is not None:
        _value(_name(name), float(number))


class section:
    """A part of a task, as a context manager or a decorator, also of coroutine functions. Sections
    may lie within others. One that awaits includes what its thread did meanwhile."""

    def __init__(self, name):
        self.name = name
        self._open = []

    def __enter__(self):
        if _begin is not None:
            self._open.append(_begin(_name(self.name)))
        return self

    def __exit__(self, *error):
        if self._open:
            number = self._open.pop()
            if number:
                _end(number)
        return False

    def __call__(self, function):
        if _begin is None:
            return function
        if inspect.iscoroutinefunction(function):

            @functools.wraps(function)
            async def measured(*arguments, **named):
                with section(self.name):
                    return await function(*arguments, **named)

        else:

            @functools.wraps(function)
            def measured(*arguments, **named):
                with section(self.name):
                    return function(*arguments, **named)

        return measured
