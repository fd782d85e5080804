// Package crds keeps the modules whose CRDs the tests install in go.mod: no program here imports all of them.
package crds

import _ "sigs.k8s.io/gateway-api/pkg/consts"
