package docbench

import (
	"flag"
	"math/rand/v2"
	"strconv"

	"assay/gocommon/seed"
)

var scale = flag.Int("scale", 1024, "scale of the benchmark: number of documents, unless it says otherwise")

// Scale returns the scale as it was given.
func Scale() int { return *scale }

// Docs returns the ids of the documents as published: 0, 1, 2, ...
func Docs(count int) []string {
	docs := make([]string, count)
	for i := range docs {
		docs[i] = strconv.Itoa(i)
	}
	return docs
}

// Streams of random numbers, which do not depend on each other.
const (
	actorStream = iota
	pickStream
)

func random(stream byte) *rand.Rand {
	bytes := seed.Bytes()
	bytes[len(bytes)-1] = stream
	return rand.New(rand.NewChaCha8(bytes))
}

// base58 has the digits in which did:key writes a public key.
const base58 = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"

// Actors returns as many different ids, of the form and length of a secp256k1 key's.
func Actors(count int) []string {
	rng := random(actorStream)
	actors := make([]string, count)
	key := make([]byte, 44)
	for i := range actors {
		for j := range key {
			key[j] = base58[rng.IntN(len(base58))]
		}
		actors[i] = "did:key:zQ3sh" + string(key)
	}
	return actors
}

// Picks returns as many of the strings, at random, with repetitions.
func Picks(from []string, count int) []string {
	rng := random(pickStream)
	picked := make([]string, count)
	for i := range picked {
		picked[i] = from[rng.IntN(len(from))]
	}
	return picked
}

// sample returns as many different ones of the strings, or all, in random order.
func sample(from []string, count int) []string {
	rng := random(pickStream)
	sampled := make([]string, 0, count)
	for _, i := range rng.Perm(len(from))[:min(count, len(from))] {
		sampled = append(sampled, from[i])
	}
	return sampled
}
