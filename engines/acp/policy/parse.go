package policy

import (
	"bytes"
	"cmp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// MaxNames is how many resources, relations and permissions a policy has at most, together.
const MaxNames = 4096

// Options tells how a policy is read.
type Options struct {
	// Lenient accepts what the published engine accepts although it cannot work: unknown fields, an
	// owner that nothing can be set on, names with any characters, arrows to a name that no target
	// has, permissions that only refer to each other; and the relation owner written in a list form.
	Lenient bool
}

// Parse reads a policy: YAML or JSON, the short form or the list form. In the list form, which the
// published engine reads since its version 0.6, resources, permissions and relations are lists of
// things with a name; every resource has a relation owner that is not written, and the owner has
// every permission. An error is a Problems with all that is wrong.
func Parse(text []byte, o Options) (*Policy, error) {
	root, problems := decode(text)
	if problems != nil {
		return nil, problems
	}
	r := &reader{lenient: o.Lenient}
	for _, line := range bytes.Split(bytes.TrimPrefix(text, bom), []byte("\n")) {
		r.text = append(r.text, string(line))
	}
	p := r.policy(root)
	if r.problems != nil {
		return nil, r.problems.sorted()
	}
	return p, nil
}

func (r *reader) policy(root *yaml.Node) *Policy {
	fields := r.known(r.mapping(root, "policy"), "policy", "name", "description", "meta", "actor", "spec", "resources")
	p := &Policy{Description: r.optional(fields["description"], "description")}
	if name, ok := r.required(root, fields["name"], "name"); ok {
		if p.Name = name; name == "" {
			r.fail(fields["name"], "name is required")
		}
	}
	for _, f := range r.mapping(fields["meta"], "meta") {
		if p.Meta == nil {
			p.Meta = map[string]string{}
		}
		p.Meta[f.name] = r.optional(f.value, "meta "+f.name)
	}
	actor := r.known(r.mapping(fields["actor"], "actor"), "actor", "name", "doc")
	p.Actor = cmp.Or(r.optional(actor["name"], "actor: name"), DefaultActor)
	r.resourceName(actor["name"], p.Actor)

	resources := fields["resources"]
	list := !isNull(resources) && resources.Kind == yaml.SequenceNode
	c := &checker{reader: r, policy: p, defra: r.defra(fields["spec"]),
		resources: map[string]*resourceNames{}, holders: map[string][]*node{}, arrows: map[arrow]*node{}}
	for _, t := range r.named(resources, list, "resource", "doc", "permissions", "relations") {
		if t.name == p.Actor {
			r.refuse(t.at, "resource %s has the name of the actors' resource", t.name)
		}
		p.Resources = append(p.Resources, c.resource(t, list))
	}
	slices.SortFunc(p.Resources, func(a, b *Resource) int { return strings.Compare(a.Name, b.Name) })
	if r.names > MaxNames {
		r.refuse(root, "the policy has %d names: expected at most %d", r.names, MaxNames)
	}
	c.check()
	return p
}

// defra tells whether the policy says that its resources hold documents.
func (r *reader) defra(spec *yaml.Node) bool {
	text := r.optional(spec, "spec")
	switch strings.ToLower(text) {
	case "", "none":
		return false
	case "defra":
		return true
	}
	r.fail(spec, "spec: unknown specification %q: expected defra or none", text)
	return false
}

func (c *checker) resource(t thing, list bool) *Resource {
	r := c.reader
	what := "resource " + t.name + ": "
	resource := &Resource{Name: t.name, Doc: r.optional(t.fields["doc"], what+"doc")}
	names := &resourceNames{nodes: map[string]*node{}}
	c.resources[t.name] = names

	for _, t := range r.named(t.fields["relations"], list, what+"relation", "doc", "types", "manages") {
		if list && t.name == Owner {
			r.strict(t.at, "%srelation owner is reserved: every resource has it, it is not written", what)
		}
		relation := c.relation(t, what+"relation "+t.name+": ")
		resource.Relations = append(resource.Relations, relation)
		names.add(c, relation.Name, &node{at: t.at, fields: t.fields, relation: relation, resource: resource})
	}
	if list && names.nodes[Owner] == nil {
		relation := &Relation{Name: Owner, Types: []Type{{Resource: c.policy.Actor}}}
		resource.Relations = append(resource.Relations, relation)
		names.add(c, Owner, &node{at: t.at, relation: relation, resource: resource})
	}
	if names.nodes[Owner] == nil {
		r.fail(t.at, "%sno relation owner", what)
	}
	slices.SortFunc(resource.Relations, func(a, b *Relation) int { return strings.Compare(a.Name, b.Name) })

	for _, t := range r.named(t.fields["permissions"], list, what+"permission", "doc", "expr") {
		what := what + "permission " + t.name + ": "
		if strings.HasPrefix(t.name, ManagementPrefix) {
			r.refuse(t.at, "%snames that begin with %s are reserved", what, ManagementPrefix)
		}
		permission := &Permission{Name: t.name, Doc: r.optional(t.fields["doc"], what+"doc")}
		n := &node{at: t.at, permission: permission, resource: resource}
		c.expression(n, t.fields["expr"], list, what)
		resource.Permissions = append(resource.Permissions, permission)
		names.add(c, permission.Name, n)
	}
	slices.SortFunc(resource.Permissions, func(a, b *Permission) int { return strings.Compare(a.Name, b.Name) })
	if c.defra {
		c.writersRead(resource, t.at)
	}
	for _, permission := range management(resource) {
		resource.Permissions = append(resource.Permissions, permission)
		if names.nodes[permission.Name] == nil { // else the name was refused
			names.add(c, permission.Name, &node{at: t.at, permission: permission, resource: resource})
		}
	}
	return resource
}

func (c *checker) relation(t thing, what string) *Relation {
	r := c.reader
	relation := &Relation{Name: t.name, Doc: r.optional(t.fields["doc"], what+"doc")}
	for _, item := range r.sequence(t.fields["types"], what+"types") {
		if text, ok := r.string(item, what+"types"); ok {
			resource, userset, _ := strings.Cut(text, "->")
			relation.Types = append(relation.Types, Type{strings.TrimSpace(resource), strings.TrimSpace(userset)})
		}
	}
	for _, item := range r.sequence(t.fields["manages"], what+"manages") {
		if text, ok := r.string(item, what+"manages"); ok {
			relation.Manages = append(relation.Manages, text)
		}
	}
	return relation
}

// expression reads that of a permission. One that has no meaning is a problem, and grants nothing.
func (c *checker) expression(n *node, at *yaml.Node, list bool, what string) {
	r, p := c.reader, n.permission
	p.Expr = Expr{Op: None}
	if list && isNull(at) {
		p.Text, p.Expr = Owner, Expr{Op: Name, Name: Owner}
		return
	}
	if isNull(at) {
		r.refuse(n.at, "%sexpr is required", what)
		return
	}
	text, ok := r.string(at, what+"expr")
	if !ok {
		return
	}
	before := c.parsed
	if c.parsed += len(text); c.parsed > MaxText {
		if before <= MaxText { // told once
			r.refuse(at, "%sexpressions have more than %d bytes, those behind aliases counted each time", what, MaxText)
		}
		return
	}
	expr, err := newParser(text).whole()
	if err != nil {
		r.refuse(r.inside(at, err.at), "%s%s", what, err.message)
		return
	}
	n.at, n.text = at, text
	if p.Text, p.Expr = text, expr; list && !grantsOwner(expr) {
		p.Text, p.Expr = Owner+" + ("+text+")", Expr{Op: Union, Operands: []Expr{{Op: Name, Name: Owner}, expr}}
	}
}

func grantsOwner(e Expr) bool {
	if e.Op == Union {
		return slices.ContainsFunc(e.Operands, grantsOwner)
	}
	return e.Op == Name && e.Name == Owner
}

// writersRead does what the specification defra asks for: the permissions read and write exist, and
// who may write may read.
func (c *checker) writersRead(resource *Resource, at *yaml.Node) {
	find := func(name string) *Permission {
		i := slices.IndexFunc(resource.Permissions, func(p *Permission) bool { return p.Name == name })
		if i < 0 {
			c.reader.refuse(at, "resource %s: no permission %s, which the specification defra needs", resource.Name, name)
			return nil
		}
		return resource.Permissions[i]
	}
	if read, write := find("read"), find("write"); read != nil && write != nil {
		read.Text += " + write"
		read.Expr = Expr{Op: Union, Operands: []Expr{read.Expr, {Op: Name, Name: "write"}}}
	}
}

// management makes the permissions to set and delete each relation: of the owner, and of those who
// have a relation that manages it.
func management(resource *Resource) []*Permission {
	managers := map[string][]Expr{}
	add := func(managed, manager string) {
		by := managers[managed]
		if len(by) == 0 || by[len(by)-1].Name != manager {
			managers[managed] = append(by, Expr{Op: Name, Name: manager})
		}
	}
	for _, relation := range resource.Relations {
		add(relation.Name, Owner)
	}
	for _, relation := range resource.Relations {
		for _, managed := range relation.Manages {
			if relation.Name != Owner {
				add(managed, relation.Name)
			}
		}
	}
	permissions := make([]*Permission, len(resource.Relations))
	for i, relation := range resource.Relations {
		by := managers[relation.Name]
		expr := by[0]
		if len(by) > 1 {
			expr = Expr{Op: Union, Operands: by}
		}
		permissions[i] = &Permission{Name: ManagementPrefix + relation.Name, Text: expr.String(), Expr: expr, Management: true}
	}
	return permissions
}
