#include "analysis/verbs.h"
int cup_verb_report(int argc, char **argv)
{
    return cup_verb_later(argc, argv);
}
