// SPDX-License-Identifier: GPL-3.0-or-later
// The table of codes (drivers/etcd/codes.h), after etcd 3.4's
// etcdserver/api/v3rpc/rpctypes/error.go and util.go.
#include "config.h"

#include "drivers/etcd/codes.h"

#include <assert.h>

// A request that is refused before it is proposed to the cluster, or by every
// member when it is applied, has no effect.  A request that timed out, or whose
// leader was lost, may have been proposed and take effect later.  One that
// finds the quota used up when it is applied (quotaApplierV3 in
// etcdserver/apply.go) is carried out nevertheless, and answered as those that
// are refused from then on.
static const struct etcd_code codes[] = {
    {3, "INVALID_ARGUMENT", CAUSE_OTHER, OUTCOME_ABORTED, false},
    {7, "PERMISSION_DENIED", CAUSE_OTHER, OUTCOME_ABORTED, false},
    {8, "RESOURCE_EXHAUSTED", CAUSE_OTHER, OUTCOME_UNKNOWN, false}, // no space
    {16, "UNAUTHENTICATED", CAUSE_CONNECTION, OUTCOME_ABORTED, true},
    {14, "UNAVAILABLE", CAUSE_CONNECTION, OUTCOME_UNKNOWN, true},
    {2, "UNKNOWN", CAUSE_CONNECTION, OUTCOME_UNKNOWN,
     true},                                       // no answer in time
    {0, "", CAUSE_OTHER, OUTCOME_UNKNOWN, false}, // all others
};

const struct etcd_code *etcd_code(int number) {
  const struct etcd_code *code = codes;
  while (*code->name && code->number != number)
    code++;
  assert(code < codes + sizeof codes / sizeof *codes);
  return code;
}
