/* Your own sections and numbers in cupping's report.
 *
 *     #include <cupping.h>
 *
 *     cupping_section_begin("selection");
 *     ...
 *     cupping_section_end();
 *     cupping_value("events_selected", selected);
 *
 * There is nothing to link with. In a process that is not profiled, each call is one comparison. In
 * a profiled process, a section costs about 2 us; it counts for the task that the calling thread
 * works for.
 *
 * For C (C99 and later) and C++, on ELF systems, in libraries and in position-independent programs
 * (the default of compilers). In a program that is compiled with -fno-pie or linked statically, the
 * calls do nothing. */
#ifndef CUPPING_H
#define CUPPING_H

#ifdef __cplusplus
extern "C" {
#endif

/* The preloaded library defines these. Without it they are NULL. Do not call them; call the
 * functions below. */
#ifndef CUPPING_LIBRARY
__attribute__((weak)) unsigned cupping_api_begin(const char *name);
__attribute__((weak)) void cupping_api_end(unsigned section);
__attribute__((weak)) void cupping_api_value(const char *name, double value);
__attribute__((weak)) int cupping_api_active(void);

/* The calling thread enters a section; sections may be nested. NAME is UTF-8 and is copied. Use few
 * different names: not a new one for each event. */
static inline void cupping_section_begin(const char *name)
{
    if (cupping_api_begin)
        (void)cupping_api_begin(name);
}

/* The calling thread leaves the section that it entered last. The end of a task ends all sections
 * that are still open. */
static inline void cupping_section_end(void)
{
    if (cupping_api_end)
        cupping_api_end(0);
}

/* Records a number for the task, such as the number of events that it selected. The report shows
 * count, sum, minimum and maximum of all numbers of one name. */
static inline void cupping_value(const char *name, double value)
{
    if (cupping_api_value)
        cupping_api_value(name, value);
}

/* 1: this process is profiled, or will be from its first task or section on. 0: it is not. */
static inline int cupping_active(void)
{
    return cupping_api_active ? cupping_api_active() : 0;
}
#endif

#ifdef __cplusplus
}
#endif

#endif
