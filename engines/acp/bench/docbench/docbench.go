// Package docbench measures and checks systems that decide who may read a document.
//
// Every system, ours and each peer's, is driven by this package through a thin adapter, with the
// same policy, documents, actors and checks. A benchmark prepares its input and fills its store
// outside of the timed part, asks questions with known answers before and after it, and fails when
// an answer is wrong. It chooses its number of operations itself: run it with -test.benchtime=1x. It
// times them in rounds and reports the lower quartile, in mode=cold the mean, as published.
package docbench

import (
	"testing"

	"assay/acp/tuple"
)

// Policy is the published policy. The owner of a document reads and writes it, a reader reads it.
const Policy = `name: test
description: a policy
actor:
  name: actor
resources:
  users:
    permissions:
      read:
        expr: owner + reader
      write:
        expr: owner
    relations:
      owner:
        types:
          - actor
      reader:
        types:
          - actor
`

// The resource of the documents and the names that the policy has for them.
const (
	Resource = "users"
	Read     = "read"
	Reader   = "reader"
)

// Store is a system that holds the published policy.
type Store interface {
	// Register makes the actor the owner of a document that has none.
	Register(actor, doc string) error
	// IsRegistered tells whether the document has an owner.
	IsRegistered(doc string) (bool, error)
	// Check tells whether the actor may read the document.
	Check(actor, doc string) (bool, error)
	Close() error
}

// Sharer is implemented by stores in which the requester makes an actor a reader of a document, and
// no reader again.
type Sharer interface {
	Grant(requester, doc, actor string) error
	Revoke(requester, doc, actor string) error
}

// BatchRegisterer is implemented by stores that register many documents in one call.
type BatchRegisterer interface {
	RegisterBatch(actor string, docs []string) error
}

// BatchChecker is implemented by stores that answer many checks in one call, in order.
type BatchChecker interface {
	CheckBatch(actor string, docs []string) ([]bool, error)
}

// DocLister is implemented by stores that list all documents that an actor may read, in any order.
type DocLister interface {
	ListDocs(actor string) ([]string, error)
}

// ActorLister is implemented by stores that list all actors that may read a document, in any order.
type ActorLister interface {
	ListActors(doc string) ([]string, error)
}

// Counter is implemented by stores that count what they do.
type Counter interface {
	// Counts returns totals since the store was opened, by name: "probes", "syncs".
	Counts() map[string]uint64
}

// Graph is a policy with its relationships.
type Graph interface {
	Check(object tuple.Object, permission, actor string) (bool, error)
	Close() error
}

// Engine is one system. Functions that a system does not have are nil.
type Engine struct {
	// Open opens an empty store in memory.
	Open func() (Store, error)
	// OpenDir opens the store in dir, which is empty or holds what an earlier one left there.
	OpenDir func(dir string) (Store, error)
	// Load makes a graph in memory. The owner relationships come first.
	Load func(policy string, relationships []tuple.Relationship) (Graph, error)
}

// Benchmark runs one sub-benchmark for each workload and variant that the engine has, named
// "workload=check_doc_access/store=memory/mode=warm" for example.
func Benchmark(b *testing.B, engine Engine) {
	for name, workload := range stored {
		b.Run("workload="+name, func(b *testing.B) {
			b.Run("store=memory", func(b *testing.B) { workload(setting{b, engine, false}) })
			if engine.OpenDir != nil {
				b.Run("store=persistent", func(b *testing.B) { workload(setting{b, engine, true}) })
			}
		})
	}
	if engine.Load != nil {
		for name, workload := range graphs {
			b.Run("workload="+name, func(b *testing.B) { workload(setting{b, engine, false}) })
		}
	}
}

// setting is what all workloads take.
type setting struct {
	*testing.B
	engine     Engine
	persistent bool
}

var stored = map[string]func(setting){
	"register":          register,
	"register_batch":    registerBatch,
	"check_doc_access":  func(s setting) { lookups(s, checkOwner) },
	"is_doc_registered": func(s setting) { lookups(s, isRegistered) },
	"check_denied":      denied,
	"check_readers":     checkReaders,
	"check_parallel":    checkParallel,
	"batch_check":       batchCheck,
	"grant":             grant,
	"revoke":            revoke,
	"list_docs":         listDocs,
	"list_actors":       listActors,
}

var graphs = map[string]func(setting){
	"check_chain":    checkChain,
	"check_folder":   checkFolder,
	"check_algebra":  checkAlgebra,
	"algebra":        algebra,
	"policy_compile": policyCompile,
}
