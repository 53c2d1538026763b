package compiler

import (
	"math"
	"math/big"
	"strconv"
	"strings"

	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/literal"
	"cuelang.org/go/cue/parser"
	"cuelang.org/go/cue/token"
)

// reader makes nodes of literal syntax: what most policies consist of. Such
// text means what it says, so CUE need not evaluate it. A reader answers nil for
// anything else, and the caller asks CUE.
type reader struct {
	sources sources
}

// fieldOf reads one field declaration.
func (r reader) fieldOf(f *ast.Field) *node {
	name, ok := plainLabel(f)
	if !ok || f.Alias != nil {
		return nil
	}
	n := r.value(f.Value)
	if n == nil {
		return nil
	}
	n.name = name
	n.label = r.sources.span(f.Label)
	n.doc = docOf(f)
	return n
}

// plainLabel returns the name of a regular field with a name that stands in the
// text.
func plainLabel(f *ast.Field) (string, bool) {
	if f.Constraint != token.ILLEGAL || f.Value == nil {
		return "", false
	}
	switch l := f.Label.(type) {
	case *ast.Ident:
		if strings.HasPrefix(l.Name, "_") || strings.HasPrefix(l.Name, "#") {
			return "", false
		}
		return l.Name, true
	case *ast.BasicLit:
		if l.Kind != token.STRING {
			return "", false
		}
		return literalString(l)
	}
	return "", false
}

func literalString(e ast.Expr) (string, bool) {
	l, ok := e.(*ast.BasicLit)
	if !ok || l.Kind != token.STRING {
		return "", false
	}
	s, err := literal.Unquote(l.Value)
	return s, err == nil
}

func (r reader) value(e ast.Expr) *node {
	switch e := e.(type) {
	case *ast.BasicLit:
		return r.scalar(e, e, false)
	case *ast.Ident:
		if e.Name == unknown {
			return &node{kind: brokenNode, value: r.sources.span(e)}
		}
	case *ast.UnaryExpr:
		if l, ok := e.X.(*ast.BasicLit); ok && e.Op == token.SUB && (l.Kind == token.INT || l.Kind == token.FLOAT) {
			return r.scalar(l, e, true)
		}
	case *ast.ListLit:
		n := &node{kind: listNode, value: r.sources.span(e)}
		for i, x := range e.Elts {
			elem := r.value(x)
			if elem == nil {
				return nil
			}
			elem.name = strconv.Itoa(i)
			elem.label = elem.value
			n.elems = append(n.elems, elem)
		}
		return n
	case *ast.StructLit:
		n := &node{kind: structNode, value: r.sources.span(e)}
		for _, d := range e.Elts {
			switch d := d.(type) {
			case *ast.Field:
				f := r.fieldOf(d)
				if f == nil || !n.put(f) {
					return nil
				}
			case *ast.CommentGroup:
			case *ast.Attribute:
				if name, _ := d.Split(); name == "embed" {
					return nil
				}
			default:
				return nil
			}
		}
		return n
	}
	return nil
}

// put adds a field to a struct. A second declaration of a struct adds to the
// first; anything else that is declared twice is for CUE to judge.
func (n *node) put(f *node) bool {
	old := n.field(f.name)
	if old == nil {
		n.fields = append(n.fields, f)
		return true
	}
	if old.kind != structNode || f.kind != structNode {
		return false
	}
	return old.merge(f)
}

func (n *node) merge(m *node) bool {
	if n.doc == "" {
		n.doc = m.doc
	}
	for _, f := range m.fields {
		if !n.put(f) {
			return false
		}
	}
	return true
}

func (r reader) scalar(l *ast.BasicLit, whole ast.Expr, negative bool) *node {
	n := &node{value: r.sources.span(whole)}
	switch l.Kind {
	case token.STRING:
		s, err := literal.Unquote(l.Value)
		if err != nil {
			return nil
		}
		if strings.HasPrefix(strings.TrimLeft(l.Value, "#"), "'") {
			n.kind = bytesNode
			return n
		}
		n.kind, n.text = stringNode, s
	case token.INT, token.FLOAT:
		var info literal.NumInfo
		if literal.ParseNum(l.Value, &info) != nil {
			return nil
		}
		n.kind, n.text = numberNode, l.Value
		digits := info.String()
		if negative {
			n.text, digits = "-"+l.Value, "-"+digits
		}
		setNumber(n, digits, info.IsInt())
	case token.TRUE, token.FALSE:
		n.kind, n.truth = boolNode, l.Kind == token.TRUE
	case token.NULL:
		n.kind = nullNode
	default:
		return nil
	}
	return n
}

func setNumber(n *node, digits string, isInt bool) {
	if isInt {
		if i, ok := new(big.Int).SetString(digits, 0); ok && i.IsInt64() {
			n.integer, n.whole = i.Int64(), true
			n.number = float64(n.integer)
			return
		}
	}
	f, _, err := big.ParseFloat(digits, 0, 64, big.ToNearestEven)
	if err != nil {
		n.number = math.Inf(1)
		return
	}
	n.number, _ = f.Float64()
	if isInt && f.IsInt() && f.MantExp(nil) < 63 {
		n.integer, _ = f.Int64()
		n.whole = true
	}
}

// docOf returns the comment right above a field, without comment marks.
func docOf(f *ast.Field) string {
	for _, c := range ast.Comments(f) {
		if c.Doc && len(c.List) > 0 && c.Pos().Offset() < f.Label.Pos().Offset() {
			return commentText(c)
		}
	}
	return ""
}

func commentText(c *ast.CommentGroup) string {
	var lines []string
	for _, l := range c.List {
		s := strings.TrimSuffix(strings.TrimPrefix(l.Text, "//"), "\r")
		lines = append(lines, strings.TrimRight(strings.TrimPrefix(s, " "), " \t"))
	}
	return strings.Trim(strings.Join(lines, "\n"), "\n")
}

// text reads a literal, or answers nil.
func (r reader) text(s string) *node {
	e, err := parser.ParseExpr("", s)
	if err != nil {
		return nil
	}
	return r.value(e)
}
