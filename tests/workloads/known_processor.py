"""A processor whose three functions use 50, 30 and 20 % of its CPU, bytes and memory. Uploaded to the
workers by known_job.py; PATH: a file of a megabyte or more."""

import os
import time

import awkward as ak
import cupping
import numpy
from coffea import processor
from distributed.metrics import context_meter

CPU_S = 1.5  # of each chunk, without reading its branches
SHARES = {"half": 0.5, "third": 0.3, "fifth": 0.2}
# Of each chunk, by all three: calls and bytes. Of small ones in a row only some are looked at: their error
# is a fifth of what the judge allows.
READS = ((40, 60000), (200, 1000))
ALLOCATIONS = (30000, 100000)


class Known(processor.ProcessorABC):
    def __init__(self, path):
        self.path = path

    def process(self, events):
        with cupping.section("branches"):
            ak.sum(events.Muon.pt)  # branch: Muon_pt
            ak.sum(events.MET.pt)  # branch: MET_pt
        file = os.open(self.path, os.O_RDONLY)
        with cupping.section("work"):
            with cupping.section("half"):
                self.half(file)
            self.third(file)
        with context_meter.meter("the fifth"):
            self.fifth(file)
        os.close(file)
        cupping.value("events_seen", len(events))
        return {"chunks": 1, "events": len(events)}

    def half(self, file):
        until = time.thread_time() + CPU_S * 0.5
        for calls, size in READS:
            for i in range(round(calls * 0.5)):
                os.pread(file, size, i)
        for _ in range(round(ALLOCATIONS[0] * 0.5)):
            numpy.empty(ALLOCATIONS[1], "u1")
        spin(until)

    def third(self, file):
        until = time.thread_time() + CPU_S * 0.3
        for calls, size in READS:
            for i in range(round(calls * 0.3)):
                os.pread(file, size, i)
        for _ in range(round(ALLOCATIONS[0] * 0.3)):
            numpy.empty(ALLOCATIONS[1], "u1")
        spin(until)

    def fifth(self, file):
        until = time.thread_time() + CPU_S * 0.2
        for calls, size in READS:
            for i in range(round(calls * 0.2)):
                os.pread(file, size, i)
        for _ in range(round(ALLOCATIONS[0] * 0.2)):
            numpy.empty(ALLOCATIONS[1], "u1")
        spin(until)

    def postprocess(self, accumulator):
        return accumulator


def spin(until):
    while time.thread_time() < until:
        sum(i * i for i in range(300))
