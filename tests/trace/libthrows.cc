// C++ that throws through frames of its own and is looked at meanwhile. tests/workloads/native_job.py
// says whose exceptions they are.
#include <dlfcn.h>
#include <new>
#include <stdexcept>
#include <string>
#include <unwind.h>
#include <vector>

namespace kitchen {

struct Plate {
    explicit Plate(long *washed) : washed(washed) {}
    ~Plate() { ++*washed; }
    long *washed;
};

template <class T> __attribute__((noinline)) T *serve(std::size_t count)
{
    return new T[count];
}

__attribute__((noinline)) static long drop(long depth, long *washed)
{
    Plate plate(washed);
    if (depth == 0) {
        double *volatile taken = serve<double>(1 << 20);
        delete[] taken;
        throw std::runtime_error("dropped");
    }
    return drop(depth - 1, washed) + 1;
}

} // namespace kitchen

// How many plates were washed on the way out; -1: nothing was thrown.
extern "C" long throws(long depth)
{
    long washed = 0;
    try {
        kitchen::drop(depth, &washed);
    } catch (const std::runtime_error &error) {
        return std::string(error.what()) == "dropped" ? washed : -2;
    }
    return -1;
}

// The library whose exceptions these are.
extern "C" const char *throws_by()
{
    Dl_info info;
    return dladdr(reinterpret_cast<void *>(&_Unwind_RaiseException), &info) ? info.dli_fname : "";
}
