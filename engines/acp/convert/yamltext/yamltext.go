// Package yamltext reads YAML that others wrote: what is not understood is an error, never left out.
package yamltext

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"go.yaml.in/yaml/v3"
)

// Read decodes the one document of a file. A key that into has no place for, a key given twice, and
// a second document are errors that name the line. So are aliases by which a document has more values than
// bytes: what it decodes to is in proportion to the file.
func Read(data []byte, into any) error {
	if bytes.IndexByte(data, '&') >= 0 && bytes.IndexByte(data, '*') >= 0 {
		if err := countValues(data); err != nil {
			return err
		}
	}
	decoder := yaml.NewDecoder(bytes.NewReader(data))
	decoder.KnownFields(true)
	if err := decoder.Decode(into); err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	var second yaml.Node
	if err := decoder.Decode(&second); err == nil {
		return fmt.Errorf("line %d: expected one document, found a second", second.Line)
	} else if !errors.Is(err, io.EOF) {
		return err
	}
	return nil
}

// countValues refuses a document that has more values than bytes, those behind an alias counted each time.
func countValues(data []byte) error {
	var document yaml.Node
	if err := yaml.Unmarshal(data, &document); err != nil {
		return err
	}
	count := 0
	for work := []*yaml.Node{&document}; len(work) > 0; {
		n := work[len(work)-1]
		work = work[:len(work)-1]
		if n.Kind == yaml.AliasNode {
			work = append(work, n.Alias)
			continue
		}
		if count += len(n.Content); count > len(data) {
			return fmt.Errorf("line %d: expected at most as many values as bytes, %d, those behind aliases counted each time", n.Line, len(data))
		}
		work = append(work, n.Content...)
	}
	return nil
}
