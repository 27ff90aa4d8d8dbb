package openfga

import (
	"fmt"
	"io/fs"
	"path"
	"strings"

	"assay/acp/convert/yamltext"
)

// Store is a store file: a model with tuples and tests.
type Store struct {
	Name       string   `yaml:"name"`
	Model      string   `yaml:"model"`
	ModelFile  string   `yaml:"model_file"`
	Tuples     []Tuple  `yaml:"tuples"`
	TupleFile  string   `yaml:"tuple_file"`
	TupleFiles []string `yaml:"tuple_files"`
	Tests      []Test   `yaml:"tests"`

	modules []module // where the model file is a manifest
}

// ReadModel reads the model of the store.
func (s *Store) ReadModel() (*Model, error) {
	if s.modules != nil {
		return readModules(s.modules)
	}
	return ReadModel(s.Model)
}

// Test asserts answers, with tuples of its own beside those of the store.
type Test struct {
	Name        string            `yaml:"name"`
	Tuples      []Tuple           `yaml:"tuples"`
	TupleFile   string            `yaml:"tuple_file"`
	TupleFiles  []string          `yaml:"tuple_files"`
	Check       []CheckTest       `yaml:"check"`
	ListObjects []ListObjectsTest `yaml:"list_objects"`
	ListUsers   []ListUsersTest   `yaml:"list_users"`
}

// CheckTest asserts which relations each user has on each object.
type CheckTest struct {
	User       string          `yaml:"user"`
	Users      []string        `yaml:"users"`
	Object     string          `yaml:"object"`
	Objects    []string        `yaml:"objects"`
	Context    map[string]any  `yaml:"context"`
	Assertions map[string]bool `yaml:"assertions"`
}

// ListObjectsTest asserts on which objects of a type a user has relations.
type ListObjectsTest struct {
	User       string              `yaml:"user"`
	Type       string              `yaml:"type"`
	Context    map[string]any      `yaml:"context"`
	Assertions map[string][]string `yaml:"assertions"`
}

// ListUsersTest asserts which users have relations on an object.
type ListUsersTest struct {
	Object     string         `yaml:"object"`
	UserFilter []UserFilter   `yaml:"user_filter"`
	Context    map[string]any `yaml:"context"`
	Assertions map[string]struct {
		Users []string `yaml:"users"`
	} `yaml:"assertions"`
}

// UserFilter is a type of users, or the usersets of a relation.
type UserFilter struct {
	Type     string `yaml:"type"`
	Relation string `yaml:"relation"`
}

// ReadStore reads a store file and the files it names, beside it.
func ReadStore(files fs.FS, name string) (*Store, error) {
	data, err := fs.ReadFile(files, name)
	if err != nil {
		return nil, err
	}
	s := &Store{}
	if err := yamltext.Read(data, s); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	beside := func(file string) string { return path.Join(path.Dir(name), file) }
	switch {
	case s.Model != "" && s.ModelFile != "":
		return nil, fmt.Errorf("%s: expected model or model_file, found both", name)
	case strings.HasSuffix(s.ModelFile, ".mod"):
		if s.modules, err = loadModules(files, beside(s.ModelFile)); err != nil {
			return nil, err
		}
	case s.ModelFile != "":
		data, err := fs.ReadFile(files, beside(s.ModelFile))
		if err != nil {
			return nil, err
		}
		s.Model = string(data)
	}
	load := func(into *[]Tuple, file string, more []string) error {
		if file != "" {
			more = append([]string{file}, more...)
		}
		for _, file := range more {
			data, err := fs.ReadFile(files, beside(file))
			if err != nil {
				return err
			}
			var tuples []Tuple
			if err := yamltext.Read(data, &tuples); err != nil {
				return fmt.Errorf("%s: %w", file, err)
			}
			*into = append(*into, tuples...)
		}
		return nil
	}
	if err := load(&s.Tuples, s.TupleFile, s.TupleFiles); err != nil {
		return nil, err
	}
	for i := range s.Tests {
		t := &s.Tests[i]
		if err := load(&t.Tuples, t.TupleFile, t.TupleFiles); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// ReadModel reads a model in JSON, else in the DSL.
func ReadModel(text string) (*Model, error) {
	if strings.HasPrefix(strings.TrimSpace(text), "{") {
		return ParseJSON([]byte(text))
	}
	return Parse(text)
}
