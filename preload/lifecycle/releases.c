#include "preload/lifecycle/releases.h"

#include "preload/lifecycle/recording.h"
#include "preload/log/log.h"
#include "preload/log/python_strings.h"
#include "preload/python/python.h"
#include "preload/sys/parse_number.h"

#include <stdio.h>

static const struct {
    const char *package, *unknown, *oldest;
    uint64_t number;
} releases[] = {
#define X(id, package, unknown, oldest, number, ...) {package, unknown, oldest, number},
    CUP_RELEASES(X)
#undef X
};

static void refuse(enum cup_release which, const char *version)
{
    char what[64], why[128];
    snprintf(what, sizeof what, "%s are not recorded", releases[which].unknown);
    snprintf(why, sizeof why, "%s %.40s is older than %s, the oldest that cupping supports",
             releases[which].package, version, releases[which].oldest);
    cup_recording_note(what, why);
    if (cup_recording_open())
        cup_log_python_version(releases[which].package);
}

static enum { NOT_READ, SUPPORTED, TOO_OLD } known[CUP_RELEASE_COUNT];

bool cup_release_refused(enum cup_release which)
{
    return known[which] == TOO_OLD;
}

bool cup_release_supported(enum cup_release which)
{
    char version[64];
    if (known[which] != NOT_READ)
        return known[which] == SUPPORTED;
    cup_object *module = cup_python_module(releases[which].package);
    CUP_OWNED cup_object *text = cup_python_kept(module, "__version__");
    if (!cup_python_text(text, version, sizeof version)) {
        /* Not imported yet; or its version is found out by a function, which imports modules and is
         * not called here: no release that has one is old. */
        CUP_OWNED cup_object *finds = cup_python_kept(module, "__getattr__");
        known[which] = finds ? SUPPORTED : NOT_READ;
        return true;
    }
    uint64_t number = cup_number_release(version);
    bool is_old = number && number < releases[which].number;
    known[which] = is_old ? TOO_OLD : SUPPORTED;
    if (is_old)
        refuse(which, version);
    return !is_old;
}
