package main

import (
	"errors"
	"fmt"
	"io"

	"assay/acp"
	"assay/acp/explain"
)

func runExplain(c *call) error {
	c.storeFlags()
	c.policyFlag()
	if err := c.parse(1, 1, "dir"); err != nil {
		return err
	}
	q, err := parseQuestion(c.args[0])
	if err != nil {
		return err
	}
	return c.withPolicy(func(e *acp.Engine, id string) error {
		s, err := e.Snapshot(id)
		if err != nil {
			return err
		}
		view := explain.Of(s)
		certificate, err := explain.Explain(view, q.Permission, q.Actor, q.Object)
		if errors.Is(err, explain.ErrUnknown) {
			return usageError(err.Error())
		}
		if err == nil {
			err = explain.Verify(s.Policy(), view, certificate)
		}
		if err != nil {
			return err
		}
		var textErr error
		err = c.print(certificate, func(w io.Writer) {
			textErr = certificate.WriteText(w, s.Policy())
			fmt.Fprintln(w, "The certificate was verified.")
		})
		if err := errors.Join(err, textErr); err != nil {
			return err
		}
		if !certificate.Allowed {
			return errNo
		}
		return nil
	})
}
