// Command cilium-check asks Cilium's own code whether it takes CiliumNetworkPolicies. It reads them from stdin as JSON,
// one after the other, and answers each with a line of JSON: what is wrong with it, and what rules Cilium made of it.
package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"

	v2 "github.com/cilium/cilium/pkg/k8s/apis/cilium.io/v2"
	"github.com/cilium/cilium/pkg/option"
	"github.com/cilium/cilium/pkg/policy/api"
	kjson "sigs.k8s.io/json"
)

type verdict struct {
	Problem string    `json:"problem,omitempty"`
	Rules   api.Rules `json:"rules,omitempty"`
}

func main() {
	// As an agent has it by default; without it every rule about DNS names is refused.
	option.Config.EnableL7Proxy = true
	option.Config.EnableNonDefaultDenyPolicies = true

	policies := json.NewDecoder(os.Stdin)
	verdicts := json.NewEncoder(os.Stdout)
	for {
		var policy json.RawMessage
		if err := policies.Decode(&policy); errors.Is(err, io.EOF) {
			return
		} else if err != nil {
			fail(err)
		}
		if err := verdicts.Encode(check(policy)); err != nil {
			fail(err)
		}
	}
}

func check(text []byte) verdict {
	var policy v2.CiliumNetworkPolicy
	unknown, err := kjson.UnmarshalStrict(text, &policy)
	if err := errors.Join(append(unknown, err)...); err != nil {
		return verdict{Problem: err.Error()}
	}
	rules, err := policy.Parse(slog.New(slog.DiscardHandler), "default")
	if err != nil {
		return verdict{Problem: err.Error()}
	}
	return verdict{Rules: rules}
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}
