package main

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"assay/acp/convert"
	"assay/acp/convert/openfga"
	"assay/acp/convert/spicedb"
	"assay/acp/convert/yamltext"
	"assay/acp/policy"
	"assay/acp/tuple"
)

// foreign is a schema of another system in terms of ours, and its facts.
type foreign struct {
	im    *convert.Import
	facts []convert.Fact
}

// relationships are the facts in terms of the policy.
func (f *foreign) relationships() ([]tuple.Relationship, error) {
	var all []tuple.Relationship
	for _, fact := range f.facts {
		made, err := f.im.Relationships(fact)
		if err != nil {
			return nil, err
		}
		all = append(all, made...)
	}
	return all, nil
}

// source is the schema and the facts as an import.
func (f *foreign) source(name string) (source, error) {
	all, err := f.relationships()
	return source{name: name, policy: policy.Format(f.im.Policy), relationships: all}, err
}

// asInput makes an error of a foreign file one of wrong input, unless the file could not be read or
// has what is not supported.
func asInput(err error) error {
	var unread *fs.PathError
	var unsupported *convert.Unsupported
	if err == nil || errors.As(err, &unread) || errors.As(err, &unsupported) {
		return err
	}
	return usageError(err.Error())
}

// openOpenFGA reads an OpenFGA store file.
func openOpenFGA(file string) (*foreign, *openfga.Store, error) {
	folder, err := openFolder(filepath.Dir(file))
	if err != nil {
		return nil, nil, err
	}
	defer folder.Close()
	store, err := openfga.ReadStore(folder, filepath.Base(file))
	if err != nil {
		return nil, nil, err
	}
	name := store.Name
	if name == "" {
		name = filepath.Base(file)
	}
	model, err := store.ReadModel()
	if err != nil {
		return nil, nil, err
	}
	f, err := fromOpenFGA(model, name, store.Tuples)
	return f, store, err
}

func fromOpenFGA(model *openfga.Model, name string, tuples []openfga.Tuple) (*foreign, error) {
	var err error
	f := &foreign{}
	if f.im, err = openfga.Import(model, name); err != nil {
		return nil, err
	}
	f.facts, err = factsOf(tuples)
	return f, err
}

func factsOf(tuples []openfga.Tuple) ([]convert.Fact, error) {
	var facts []convert.Fact
	for _, t := range tuples {
		fact, err := t.Fact()
		if err != nil {
			return nil, err
		}
		facts = append(facts, fact)
	}
	return facts, nil
}

// openOpenFGAModel reads a model and, unless the name is empty, a file of tuples, which is a list in
// YAML or JSON.
func openOpenFGAModel(modelFile, tupleFile string) (*foreign, error) {
	text, err := readFile(modelFile)
	if err != nil {
		return nil, err
	}
	var tuples []openfga.Tuple
	if tupleFile != "" {
		data, err := readFile(tupleFile)
		if err != nil {
			return nil, err
		}
		if err := yamltext.Read(data, &tuples); err != nil {
			return nil, usageError(fmt.Sprintf("%s: expected a list of tuples: %v", tupleFile, err))
		}
	}
	model, err := openfga.ReadModel(string(text))
	if err != nil {
		return nil, err
	}
	return fromOpenFGA(model, filepath.Base(modelFile), tuples)
}

// openSpiceDB reads a SpiceDB validation file.
func openSpiceDB(file string) (*foreign, *spicedb.File, error) {
	data, err := readFile(file)
	if err != nil {
		return nil, nil, err
	}
	folder, err := openFolder(filepath.Dir(file))
	if err != nil {
		return nil, nil, err
	}
	defer folder.Close()
	validation, err := spicedb.ReadFile(data, folder)
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", file, err)
	}
	f := &foreign{}
	if f.im, err = spicedb.Import(validation.Schema, filepath.Base(file)); err != nil {
		return nil, nil, err
	}
	f.facts, err = spicedb.ParseRelationships(validation.Relationships)
	return f, validation, err
}
