#include <math.h>

#include "plot/shared/curves.h"

void cup_curves_add(struct cup_curves *curves, struct cup_curve curve)
{
    if (curves->count == CUP_CURVES)
        return;
    for (size_t i = 0; i < curve.count; i++)
        if (isfinite(curve.values[i]))
            curves->most = fmax(curves->most, curve.values[i]);
    curves->curves[curves->count++] = curve;
}
