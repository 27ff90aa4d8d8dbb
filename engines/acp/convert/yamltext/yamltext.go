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
// a second document are errors that name the line.
func Read(data []byte, into any) error {
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
