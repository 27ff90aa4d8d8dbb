package bench

import (
	"testing"

	"assay/acp/bench/docbench"
	"assay/acp/peers/acpcore"
)

func TestAccess(t *testing.T) { docbench.Verify(t, acpcore.Engine) }

func TestAnswersAreThoseOfTheReferenceWherePoliciesAreUnions(t *testing.T) { acpcore.Agree(t) }

func TestPolicyIDsAreThoseOfTheReference(t *testing.T) { acpcore.SamePolicyIDs(t) }

func BenchmarkAccess(b *testing.B) { docbench.Benchmark(b, acpcore.Engine) }
