#ifndef CUPPING_EXAMPLE_PLOT_H
#define CUPPING_EXAMPLE_PLOT_H

#include "plot/bins.h"
#include "plot/figure.h"
#include "plot/plots.h"

const void *cup_data_result_size(struct cup_plot_input *input);
void cup_chart_result_size(struct cup_figure *figure, const void *data);

#endif
