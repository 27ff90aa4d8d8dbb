package policy

import (
	"slices"

	"go.yaml.in/yaml/v3"
)

// checker looks up every name that a policy mentions.
type checker struct {
	reader    *reader
	policy    *Policy
	defra     bool
	parsed    int // bytes of expressions
	resources map[string]*resourceNames
	nodes     []*node            // relations and permissions in the order of the text, then arrows
	holders   map[string][]*node // the relations and permissions of a name, in any resource
	arrows    map[arrow]*node
}

type resourceNames struct {
	nodes map[string]*node
}

type arrow struct {
	via  *node
	name string
}

// node is a relation, a permission, or an arrow. The edges lead to those it is computed from.
type node struct {
	at         *yaml.Node // of a permission: its expression
	text       string     // of a permission: its expression as it was written
	fields     map[string]*yaml.Node
	resource   *Resource
	relation   *Relation
	permission *Permission
	leads      map[string]bool // of a relation: the resources that objects can be of
	edges      []edge

	cycleState
}

type edge struct {
	to      *node
	negated bool // somewhere behind a minus
}

func (names *resourceNames) add(c *checker, name string, n *node) {
	if names.nodes[name] != nil { // two relations, or two permissions, of one name were told of before
		c.reader.refuse(n.at, "resource %s: %s is a relation and a permission", n.resource.Name, name)
		return
	}
	names.nodes[name] = n
	c.nodes = append(c.nodes, n)
	c.holders[name] = append(c.holders[name], n)
}

func (c *checker) check() {
	for _, n := range c.nodes[:len(c.nodes):len(c.nodes)] {
		if n.relation != nil {
			c.relationNames(n)
		} else {
			c.termNames(n)
			c.connect(n, n.permission.Expr, false)
		}
	}
	c.findCycles()
}

// itemAt returns where the i-th text of a list stands.
func (n *node) itemAt(field string, i int) *yaml.Node {
	if list := n.fields[field]; list != nil && i < len(list.Content) {
		return resolve(list.Content[i])
	}
	return n.at
}

func (c *checker) relationNames(n *node) {
	r, what := c.reader, "resource "+n.resource.Name+": relation "+n.relation.Name
	for i, t := range n.relation.Types {
		at := n.itemAt("types", i)
		switch target := c.resources[t.Resource]; {
		case t.Resource == c.policy.Actor && t.Relation == "":
		case t.Resource == c.policy.Actor:
			r.refuse(at, "%s: types: %s: actors have no relations", what, t)
		case target == nil:
			r.refuse(at, "%s: types: unknown resource %q", what, t.Resource)
		case t.Relation == "":
		case target.nodes[t.Relation] == nil:
			r.refuse(at, "%s: types: resource %s has no relation or permission %q", what, t.Resource, t.Relation)
		default:
			n.edges = append(n.edges, edge{target.nodes[t.Relation], false})
		}
	}
	if n.relation.Name == Owner && !slices.Contains(n.relation.Types, Type{Resource: c.policy.Actor}) {
		r.strict(n.at, "%s: types: expected %s, or nobody can own an object", what, c.policy.Actor)
	}
	for i, managed := range n.relation.Manages {
		if target := c.resources[n.resource.Name].nodes[managed]; target == nil || target.relation == nil {
			r.fail(n.itemAt("manages", i), "%s: manages: the resource has no relation %q", what, managed)
		}
	}
}

// termNames looks up the names of an expression in the order of its text.
func (c *checker) termNames(n *node) {
	r, what := c.reader, "resource "+n.resource.Name+": permission "+n.permission.Name
	names := c.resources[n.resource.Name].nodes
	terms(n.text, func(via, name string, at int) {
		switch {
		case via == "" && name != this && names[name] == nil:
			r.refuse(r.inside(n.at, at), "%s: the resource has no relation or permission %q", what, name)
		case via == "":
		case names[via] == nil:
			r.refuse(r.inside(n.at, at), "%s: the resource has no relation %q", what, via)
		case names[via].relation == nil:
			r.refuse(r.inside(n.at, at), "%s: %s->%s: %s is a permission: expected a relation", what, via, name, via)
		case len(c.arrow(names[via], name).edges) == 0:
			r.strict(r.inside(n.at, at), "%s: %s->%s: no resource that %s leads to has %q", what, via, name, via, name)
		}
	})
}

// arrow returns the node of an arrow over a relation to a name. Its edges lead to the relations and
// permissions of this name that the objects of the relation have.
func (c *checker) arrow(via *node, name string) *node {
	key := arrow{via, name}
	n := c.arrows[key]
	if n != nil {
		return n
	}
	if via.leads == nil {
		via.leads = map[string]bool{}
		for _, t := range via.relation.Types {
			via.leads[t.Resource] = via.leads[t.Resource] || t.Relation == ""
		}
	}
	n = &node{}
	for _, target := range c.holders[name] {
		if via.leads[target.resource.Name] {
			n.edges = append(n.edges, edge{target, false})
		}
	}
	c.arrows[key] = n
	c.nodes = append(c.nodes, n)
	return n
}

// connect notes what an expression is computed from.
func (c *checker) connect(n *node, e Expr, negated bool) {
	if target := c.leaf(n, e); target != nil {
		n.connect(target, negated)
	}
	for i, operand := range e.Operands {
		c.connect(n, operand, negated || e.Op == Difference && i > 0)
	}
}

// leaf returns the node that a name or an arrow stands for, or nil.
func (c *checker) leaf(n *node, e Expr) *node {
	names := c.resources[n.resource.Name].nodes
	switch e.Op {
	case Name:
		return names[e.Name]
	case Arrow:
		if via := names[e.Via]; via != nil && via.relation != nil {
			return c.arrow(via, e.Name)
		}
	}
	return nil
}

// connect adds an edge, one for all the times that n mentions a name.
func (n *node) connect(to *node, negated bool) {
	if to.mentionedBy != n {
		to.mentionedBy, to.mention = n, len(n.edges)
		n.edges = append(n.edges, edge{to, false})
	}
	e := &n.edges[to.mention]
	e.negated = e.negated || negated
}
