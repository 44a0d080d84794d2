//===- main.cpp - tdc -----------------------------------------------------===//

#include "tdc/tdc.h"

int main(int argc, char **argv) { tdc_main(argc, argv); }
