package explain

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"

	"assay/acp/tuple"
)

// The JSON form writes nodes and relationships as texts:
//
//	{"revision":3,"actor":"ann","question":"doc:1#read","allowed":true,"steps":[
//	  {"holds":"doc:1#reader","by":["doc:1#reader@ann"]},
//	  {"holds":"doc:1#read"}]}
//
// A step of nodes that fail is {"fails":[{"node":"doc:1#read","by":[...]}, ...]}.
type jsonCertificate struct {
	Revision uint64     `json:"revision"`
	Actor    string     `json:"actor"`
	Question string     `json:"question"`
	Allowed  bool       `json:"allowed"`
	Steps    []jsonStep `json:"steps"`
}

type jsonStep struct {
	Holds string      `json:"holds,omitempty"`
	By    []string    `json:"by,omitempty"`
	Fails []jsonProof `json:"fails,omitempty"`
}

type jsonProof struct {
	Node string   `json:"node"`
	By   []string `json:"by,omitempty"`
}

// MarshalJSON writes the compact form.
func (c Certificate) MarshalJSON() ([]byte, error) {
	j := jsonCertificate{c.Revision, c.Actor, c.Question.String(), c.Allowed, []jsonStep{}}
	for _, s := range c.Steps {
		var step jsonStep
		for _, p := range s.Proofs {
			var by []string
			for _, f := range p.Facts {
				by = append(by, f.String())
			}
			if s.Holds {
				step.Holds, step.By = p.Node.String(), by
			} else {
				step.Fails = append(step.Fails, jsonProof{p.Node.String(), by})
			}
		}
		j.Steps = append(j.Steps, step)
	}
	return json.Marshal(j)
}

// UnmarshalJSON reads the compact form. It checks the form only: Verify tells whether it proves anything.
func (c *Certificate) UnmarshalJSON(data []byte) error {
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	var j jsonCertificate
	if err := d.Decode(&j); err != nil {
		return fmt.Errorf("certificate: %w", err)
	}
	if _, err := d.Token(); err != io.EOF {
		return fmt.Errorf("certificate: something follows at byte %d", d.InputOffset())
	}
	question, err := parseNode(j.Question)
	if err != nil {
		return fmt.Errorf("certificate: question: %w", err)
	}
	*c = Certificate{Revision: j.Revision, Actor: j.Actor, Question: question, Allowed: j.Allowed}
	for i, s := range j.Steps {
		step, err := s.step()
		if err != nil {
			return fmt.Errorf("certificate: step %d: %w", i+1, err)
		}
		c.Steps = append(c.Steps, step)
	}
	return nil
}

func (j jsonStep) step() (Step, error) {
	s := Step{Holds: j.Holds != ""}
	if s.Holds == (len(j.Fails) > 0) || !s.Holds && len(j.By) > 0 {
		return s, fmt.Errorf("expected either holds, with or without by, or fails")
	}
	proofs := j.Fails
	if s.Holds {
		proofs = []jsonProof{{j.Holds, j.By}}
	}
	for _, p := range proofs {
		node, err := parseNode(p.Node)
		if err != nil {
			return s, err
		}
		proof := Proof{Node: node}
		for _, text := range p.By {
			f, err := tuple.ParseRelationship(text)
			if err != nil {
				return s, err
			}
			proof.Facts = append(proof.Facts, f)
		}
		s.Proofs = append(s.Proofs, proof)
	}
	return s, nil
}

// parseNode reads resource:id#name, which is a relationship without its subject.
func parseNode(text string) (Node, error) {
	r, err := tuple.ParseRelationship(text + "@*")
	if err != nil || r.Subject.Kind != tuple.All {
		return Node{}, fmt.Errorf("%q is not resource:id#name", text)
	}
	return Node{r.Object, r.Relation}, nil
}
