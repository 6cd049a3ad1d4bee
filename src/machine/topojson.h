/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A topology as JSON: the object that `topology -J` shows and --topology reads. Reading it is in machine.h. */
#ifndef QM_TOPOJSON_H
#define QM_TOPOJSON_H

#include "machine/topology.h"

struct json_object;

/* Every fact of *t; read back it gives an equal topology. The caller owns *ret. 0 or -ENOMEM. */
QM_MUST_CHECK int qm_topojson_build(const struct qm_topology *t, struct json_object **ret);

#endif
