package main

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"io"
	"os"

	"assay/smt/proof"
)

// maxProof bounds a file with a proof or a root. The longest proof is that of a key beside 256 side nodes.
const maxProof = 64 << 10

func runProve(c *call) (err error) {
	c.dirFlag()
	c.keyFlag()
	if err := c.parse("dir", "key"); err != nil {
		return err
	}
	store, err := c.open()
	if err != nil {
		return err
	}
	defer closeStore(store, &err)
	p, err := store.Prove([]byte(c.key))
	if err != nil {
		return err
	}
	encoded, err := p.AppendBinary(c.format(), nil, false)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(c.stdout, "%x\n", encoded)
	return err
}

func runVerify(c *call) error {
	c.keyFlag()
	rootFile := c.flags.String("root", "", "file with the root, as `smt root` prints it (required)")
	proofFile := c.flags.String("proof", "", "file with the proof, as `smt prove` prints it (required)")
	value := c.flags.String("value", "", "the value that the key is claimed to have")
	weight := c.flags.Uint64("weight", 0, "the weight that the key is claimed to have (with --sum)")
	absent := c.flags.Bool("absent", false, "claim that the key is not there")
	if err := c.parse("key", "root", "proof"); err != nil {
		return err
	}
	switch {
	case *absent == c.given("value"):
		return usageError("expected one of --value and --absent")
	case c.given("weight") != (c.sum && !*absent):
		return usageError("expected --weight where --sum and --value stand, and nowhere else")
	}
	root, err := readHex(*rootFile)
	if err != nil {
		return err
	}
	if size := c.format().DigestSize(); len(root) != size {
		return usageError(fmt.Sprintf("%s: a root of %d bytes, expected %d", *rootFile, len(root), size))
	}
	encoded, err := readHex(*proofFile)
	if err != nil {
		return err
	}
	var p proof.Proof
	if err := p.ParseBinary(c.format(), encoded); err != nil {
		return fmt.Errorf("%s: %w", *proofFile, err)
	}
	verify := proof.VerifyPresent
	if *absent {
		verify = proof.Verify // of no value
	}
	proved, err := verify(c.format(), root, []byte(c.key), []byte(*value), *weight, &p)
	if err != nil {
		return err
	}
	if !proved {
		fmt.Fprintln(c.stdout, "not proved")
		return errNo
	}
	_, err = fmt.Fprintln(c.stdout, "proved")
	return err
}

// readHex reads a file with a line of hexadecimal digits.
func readHex(path string) ([]byte, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	text, err := io.ReadAll(io.LimitReader(file, maxProof+1))
	if err != nil {
		return nil, err
	}
	if len(text) > maxProof {
		return nil, usageError(fmt.Sprintf("%s: expected at most %d bytes", path, maxProof))
	}
	decoded, err := hex.DecodeString(string(bytes.TrimSpace(text)))
	if err != nil {
		return nil, usageError(fmt.Sprintf("%s: expected hexadecimal digits: %v", path, err))
	}
	return decoded, nil
}
