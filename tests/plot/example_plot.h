#pragma once

#include "plot/shared/bins.h"
#include "plot/shared/plot.h"

const void *cup_data_result_size(struct cup_plot_input *input);
void cup_chart_result_size(struct cup_figure *figure, const void *data);
