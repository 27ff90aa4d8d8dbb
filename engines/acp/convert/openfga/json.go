package openfga

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"assay/acp/convert"
	"assay/acp/policy"
)

// jsonModel is a model as OpenFGA's interface gives it. A key that has no place here is an error: what
// it says may narrow who has access.
type jsonModel struct {
	ID         json.RawMessage            `json:"id"`
	Schema     string                     `json:"schema_version"`
	Types      []jsonType                 `json:"type_definitions"`
	Conditions map[string]json.RawMessage `json:"conditions"`
}

type jsonType struct {
	Type      string              `json:"type"`
	Relations map[string]*userset `json:"relations"`
	Metadata  *struct {
		Relations map[string]struct {
			Types []struct {
				Type      string    `json:"type"`
				Relation  string    `json:"relation"`
				Wildcard  *struct{} `json:"wildcard"`
				Condition string    `json:"condition"`
			} `json:"directly_related_user_types"`
			origin
		} `json:"relations"`
		origin
	} `json:"metadata"`
}

// origin is where a part was written, which decides nothing.
type origin struct {
	Module json.RawMessage `json:"module"`
	Source json.RawMessage `json:"source_info"`
}

// userset is a node of a rewrite; one of the fields is set.
type userset struct {
	This           *struct{}  `json:"this"`
	Computed       *objectRel `json:"computedUserset"`
	TupleToUserset *struct {
		Tupleset objectRel `json:"tupleset"`
		Computed objectRel `json:"computedUserset"`
	} `json:"tupleToUserset"`
	Union        *usersets `json:"union"`
	Intersection *usersets `json:"intersection"`
	Difference   *struct {
		Base     *userset `json:"base"`
		Subtract *userset `json:"subtract"`
	} `json:"difference"`
}

type objectRel struct {
	Object   string `json:"object"` // empty
	Relation string `json:"relation"`
}

type usersets struct {
	Child []*userset `json:"child"`
}

// ParseJSON reads a model in JSON.
func ParseJSON(data []byte) (*Model, error) {
	if len(data) > policy.MaxText {
		return nil, fmt.Errorf("the model has %d bytes: expected at most %d", len(data), policy.MaxText)
	}
	if err := keysStandOnce(data); err != nil {
		return nil, err
	}
	var j jsonModel
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if err := d.Decode(&j); err != nil {
		return nil, err
	}
	if j.Schema != "1.1" && j.Schema != "1.2" {
		return nil, fmt.Errorf("schema_version: expected 1.1 or 1.2, found %q", j.Schema)
	}
	m := &Model{Conditions: slices.Sorted(maps.Keys(j.Conditions))}
	for _, t := range j.Types {
		made := Type{Name: t.Type}
		for _, name := range slices.Sorted(maps.Keys(t.Relations)) {
			r := Relation{Name: name}
			if t.Metadata != nil {
				for _, s := range t.Metadata.Relations[name].Types {
					subject := convert.Subject{Type: s.Type, Relation: s.Relation, Wildcard: s.Wildcard != nil}
					r.Types = append(r.Types, Restriction{subject, s.Condition})
				}
			}
			var err error
			if r.Rewrite, err = t.Relations[name].expr(0); err != nil {
				return nil, fmt.Errorf("type %s: relation %s: %w", t.Type, name, err)
			}
			made.Relations = append(made.Relations, r)
		}
		m.Types = append(m.Types, made)
	}
	return m, nil
}

// keysStandOnce is an error for a text that is no one value of JSON, or has an object with a key twice.
// Only in the names of a model's own parts do capitals tell keys apart: package json reads "Condition"
// as "condition".
func keysStandOnce(data []byte) error {
	if !json.Valid(data) {
		return json.Unmarshal(data, new(any)) // which says why
	}
	d := json.NewDecoder(bytes.NewReader(data))
	var keys []string // of all objects that are open, one behind the other
	var begins []int  // for each that is open, where its keys begin; -1: a list
	isKey := false    // whether the next string is one
	inObject := func() bool { return len(begins) > 0 && begins[len(begins)-1] >= 0 }
	for {
		token, err := d.Token()
		if err == io.EOF {
			return nil
		} else if err != nil {
			return err
		}
		if name, ok := token.(string); ok && isKey {
			keys, isKey = append(keys, name), false
			continue
		}
		switch token {
		case json.Delim('{'):
			begins = append(begins, len(keys))
		case json.Delim('['):
			begins = append(begins, -1)
		case json.Delim('}'):
			own := keys[begins[len(begins)-1]:]
			slices.SortFunc(own, func(a, b string) int { return cmp.Compare(strings.ToLower(a), strings.ToLower(b)) })
			for i := range len(own) - 1 {
				if own[i] == own[i+1] || strings.EqualFold(own[i], own[i+1]) && isField(own[i]) {
					return fmt.Errorf("the key %q stands twice in an object", own[i])
				}
			}
			keys = keys[:len(keys)-len(own)]
			fallthrough
		case json.Delim(']'):
			begins = begins[:len(begins)-1]
		}
		isKey = inObject()
	}
}

// isField tells whether package json may take a key for one of a model's.
func isField(key string) bool {
	return slices.ContainsFunc([]string{
		"id", "schema_version", "type_definitions", "conditions", "type", "relations", "metadata",
		"directly_related_user_types", "relation", "wildcard", "condition", "module", "source_info", "this",
		"computedUserset", "tupleToUserset", "tupleset", "union", "intersection", "difference", "base", "subtract",
		"child", "object",
	}, func(field string) bool { return strings.EqualFold(field, key) })
}

func (u *userset) expr(depth int) (convert.Expr, error) {
	switch {
	case u == nil:
		return convert.Expr{}, fmt.Errorf("a rewrite is missing")
	case depth == maxDepth:
		return convert.Expr{}, fmt.Errorf("rewrites are nested more than %d deep", maxDepth)
	case u.This != nil:
		return convert.Expr{Op: convert.Direct}, nil
	case u.Computed != nil:
		return convert.Expr{Op: convert.Name, Name: u.Computed.Relation}, nil
	case u.TupleToUserset != nil:
		return convert.Expr{Op: convert.Arrow, Via: u.TupleToUserset.Tupleset.Relation, Name: u.TupleToUserset.Computed.Relation}, nil
	case u.Union != nil:
		return operation(convert.Union, depth, u.Union.Child...)
	case u.Intersection != nil:
		return operation(convert.Intersection, depth, u.Intersection.Child...)
	case u.Difference != nil:
		return operation(convert.Difference, depth, u.Difference.Base, u.Difference.Subtract)
	}
	return convert.Expr{}, fmt.Errorf("expected this, computedUserset, tupleToUserset, union, intersection or difference")
}

func operation(op convert.Op, depth int, operands ...*userset) (convert.Expr, error) {
	e := convert.Expr{Op: op}
	for _, operand := range operands {
		made, err := operand.expr(depth + 1)
		if err != nil {
			return e, err
		}
		e.Operands = append(e.Operands, made)
	}
	switch {
	case len(e.Operands) == 0:
		return e, fmt.Errorf("an operation without operands")
	case len(e.Operands) > policy.MaxTerms:
		return e, fmt.Errorf("more than %d terms", policy.MaxTerms)
	case len(e.Operands) == 1:
		return e.Operands[0], nil
	}
	return e, nil
}
