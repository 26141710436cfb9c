/* Names of your own in cupping's report: sections of a task, and numbers.
 *
 *     #include <cupping.h>
 *
 *     cupping_section_begin("selection");
 *     ...
 *     cupping_section_end();
 *     cupping_value("events_selected", selected);
 *
 * There is nothing to link with. In a process that is not profiled each call is one comparison. In
 * one that is, a section costs some 2 us; it is written down for the task that the thread works
 * for. For C (99 and later) and C++, on ELF systems; in libraries, and in programs that are
 * position-independent, as they are by default: compiled with -fno-pie nothing is seen. */
#ifndef CUPPING_H
#define CUPPING_H

#ifdef __cplusplus
extern "C" {
#endif

/* The library's side of it, which is there if it is preloaded. Programs call what is below. */
#ifndef CUPPING_LIBRARY
__attribute__((weak)) unsigned cupping_api_begin(const char *name);
__attribute__((weak)) void cupping_api_end(unsigned section);
__attribute__((weak)) void cupping_api_value(const char *name, double value);
__attribute__((weak)) int cupping_api_active(void);

/* The calling thread enters a section, which may lie within others. NAME is UTF-8, is copied, and
 * should be one of few: not a new one for each event. */
static inline void cupping_section_begin(const char *name)
{
    if (cupping_api_begin)
        (void)cupping_api_begin(name);
}

/* It leaves the section that it entered last. What is still open when a task ends, ends with it. */
static inline void cupping_section_end(void)
{
    if (cupping_api_end)
        cupping_api_end(0);
}

/* A number of the task's: how many events it selected, say. Of several under one name the report
 * has count, sum, least and most. */
static inline void cupping_value(const char *name, double value)
{
    if (cupping_api_value)
        cupping_api_value(name, value);
}

/* 1: this process is profiled, or will be from its first task or section on; 0: it is not. */
static inline int cupping_active(void)
{
    return cupping_api_active ? cupping_api_active() : 0;
}
#endif

#ifdef __cplusplus
}
#endif

#endif
