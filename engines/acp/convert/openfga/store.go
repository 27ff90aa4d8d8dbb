package openfga

import (
	"fmt"
	"io/fs"
	"path"
	"slices"
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

// MaxTuples is how many tuples a store and its tests may have together; those of a file count each time
// that the file is named.
const MaxTuples = 1 << 22

// ReadStore reads a store file and the files it names, beside it. Tests that name one file share its tuples,
// which are not to be changed.
func ReadStore(files fs.FS, name string) (*Store, error) {
	data, err := fs.ReadFile(files, name)
	if err != nil {
		return nil, err
	}
	s := &Store{}
	if err := yamltext.Read(data, s); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	model := path.Join(path.Dir(name), s.ModelFile)
	switch {
	case s.Model != "" && s.ModelFile != "":
		return nil, fmt.Errorf("%s: expected model or model_file, found both", name)
	case strings.HasSuffix(s.ModelFile, ".mod"):
		if s.modules, err = loadModules(files, model); err != nil {
			return nil, err
		}
	case s.ModelFile != "":
		data, err := fs.ReadFile(files, model)
		if err != nil {
			return nil, err
		}
		s.Model = string(data)
	}
	t := tupleFiles{files: files, folder: path.Dir(name), read: map[string][]Tuple{}}
	if s.Tuples, err = t.with(s.Tuples, s.TupleFile, s.TupleFiles); err != nil {
		return nil, err
	}
	for i := range s.Tests {
		test := &s.Tests[i]
		if test.Tuples, err = t.with(test.Tuples, test.TupleFile, test.TupleFiles); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// tupleFiles reads files of tuples, each once.
type tupleFiles struct {
	files  fs.FS
	folder string
	read   map[string][]Tuple
	count  int // of the tuples that with returned
}

// with returns tuples and those of files.
func (t *tupleFiles) with(tuples []Tuple, file string, more []string) ([]Tuple, error) {
	if file != "" {
		more = append([]string{file}, more...)
	}
	t.count += len(tuples)
	for _, file := range more {
		name := path.Join(t.folder, file)
		added, known := t.read[name]
		if !known {
			data, err := fs.ReadFile(t.files, name)
			if err != nil {
				return nil, err
			}
			if err := yamltext.Read(data, &added); err != nil {
				return nil, fmt.Errorf("%s: %w", file, err)
			}
			added = slices.Clip(added)
			t.read[name] = added
		}
		if t.count += len(added); t.count > MaxTuples {
			return nil, fmt.Errorf("%s: expected at most %d tuples in all, those of a file each time that it is named", file, MaxTuples)
		}
		if len(tuples) == 0 {
			tuples = added
		} else {
			tuples = append(tuples, added...)
		}
	}
	return tuples, nil
}

// ReadModel reads a model in JSON, else in the DSL.
func ReadModel(text string) (*Model, error) {
	if strings.HasPrefix(strings.TrimSpace(text), "{") {
		return ParseJSON([]byte(text))
	}
	return Parse(text)
}
