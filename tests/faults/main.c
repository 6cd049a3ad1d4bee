// SPDX-License-Identifier: GPL-2.0-or-later
/* The program's own main(), for a program that runs it many times. */
int qmapctl_main(int argc, char **argv);
#define main qmapctl_main
#include "../../src/main.c"
