package openfga

import (
	"fmt"
	"io/fs"
	"path"

	"assay/acp/convert/yamltext"
)

// module is a file of a modular model.
type module struct{ file, text string }

// loadModules reads a manifest and the files it lists, beside it.
func loadModules(files fs.FS, manifest string) ([]module, error) {
	data, err := fs.ReadFile(files, manifest)
	if err != nil {
		return nil, err
	}
	var m struct {
		Schema   string   `yaml:"schema"`
		Contents []string `yaml:"contents"`
	}
	if err := yamltext.Read(data, &m); err != nil {
		return nil, fmt.Errorf("%s: %w", manifest, err)
	}
	if m.Schema != "1.2" || len(m.Contents) == 0 {
		return nil, fmt.Errorf("%s: expected schema 1.2 and a list of contents", manifest)
	}
	var modules []module
	read := map[string]bool{}
	for _, file := range m.Contents {
		name := path.Join(path.Dir(manifest), file)
		if read[name] {
			return nil, fmt.Errorf("%s: %s is listed twice", manifest, file)
		}
		read[name] = true
		text, err := fs.ReadFile(files, name)
		if err != nil {
			return nil, err
		}
		modules = append(modules, module{file, string(text)})
	}
	return modules, nil
}

// readModules makes one model of all modules: what extends a type is added to it.
func readModules(modules []module) (*Model, error) {
	whole := &Model{}
	var extensions []Type
	places := map[string]int{} // of the first type of a name
	for _, module := range modules {
		m, err := parseModule(module.text)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", module.file, err)
		}
		whole.Conditions = append(whole.Conditions, m.Conditions...)
		extended := map[string]bool{}
		for _, t := range m.Types {
			switch {
			case !t.Extends:
				if _, known := places[t.Name]; !known {
					places[t.Name] = len(whole.Types)
				}
				whole.Types = append(whole.Types, t)
			case extended[t.Name]:
				return nil, fmt.Errorf("%s: line %d: %s is extended twice", module.file, t.Line, t.Name)
			default:
				extended[t.Name] = true
				extensions = append(extensions, t)
			}
		}
	}
	for _, extension := range extensions {
		i, known := places[extension.Name]
		if !known {
			return nil, fmt.Errorf("line %d: there is no type %s to extend", extension.Line, extension.Name)
		}
		whole.Types[i].Relations = append(whole.Types[i].Relations, extension.Relations...)
	}
	return whole, nil
}
