/* Ends of the process that run no destructor. */
#include "preload/hooks.h"
#include "preload/process.h"

CUP_HOOK void _exit(int status)
{
    cup_process_ends();
    CUP_REAL(_exit)(status);
    __builtin_unreachable();
}

CUP_HOOK void _Exit(int status)
{
    cup_process_ends();
    CUP_REAL(_Exit)(status);
    __builtin_unreachable();
}
