package tuple

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// The text form of a relationship is
//
//	relationship = object "#" word "@" subject
//	object       = word ":" word
//	subject      = "*"                     every actor
//	             | "did:" rest             an actor
//	             | word                    an actor
//	             | object                  an object
//	             | object "#" word         a userset
//
// A word is either a Go string literal in double quotes, which holds any bytes, or one or more
// characters other than space, control characters and # @ " \ . A bare word before a colon ends at
// that colon; behind it a colon is an ordinary character. So an actor whose id has a colon and does
// not begin with did: is quoted: doc:1#reader@"user:ann".

const didPrefix = "did:"

// ParseRelationship reads object#relation@subject.
func ParseRelationship(text string) (Relationship, error) {
	s := scanner{text: text}
	r := Relationship{Object: s.object(), Relation: s.after('#')}
	s.expect('@')
	r.Subject = s.subject()
	if err := s.finish(); err != nil {
		return Relationship{}, fmt.Errorf("relationship %q: %w", text, err)
	}
	return r, nil
}

// ParseObject reads resource:id.
func ParseObject(text string) (Object, error) {
	s := scanner{text: text}
	o := s.object()
	if err := s.finish(); err != nil {
		return Object{}, fmt.Errorf("object %q: %w", text, err)
	}
	return o, nil
}

// ParseSubject reads the part of a relationship that stands behind the @.
func ParseSubject(text string) (Subject, error) {
	s := scanner{text: text}
	subject := s.subject()
	if err := s.finish(); err != nil {
		return Subject{}, fmt.Errorf("subject %q: %w", text, err)
	}
	return subject, nil
}

// scanner reads a text from left to right and keeps the first error.
type scanner struct {
	text string
	at   int
	err  error
}

func (s *scanner) fail(want string) {
	if s.err != nil {
		return
	}
	found := "the end"
	if s.at < len(s.text) {
		r, _ := utf8.DecodeRuneInString(s.text[s.at:])
		found = strconv.QuoteRune(r)
	}
	s.err = fmt.Errorf("at byte %d: expected %s, found %s", s.at, want, found)
	s.at = len(s.text)
}

func (s *scanner) next(b byte) bool { return s.at < len(s.text) && s.text[s.at] == b }

func (s *scanner) expect(b byte) {
	if !s.next(b) {
		s.fail(strconv.Quote(string(b)))
		return
	}
	s.at++
}

func (s *scanner) finish() error {
	if s.at < len(s.text) {
		s.fail("the end")
	}
	return s.err
}

func (s *scanner) object() Object {
	resource := s.word(true)
	return Object{Resource: resource, ID: s.after(':')}
}

func (s *scanner) after(mark byte) string {
	s.expect(mark)
	return s.word(false)
}

func (s *scanner) subject() Subject {
	rest := s.text[s.at:]
	if rest == "*" {
		s.at = len(s.text)
		return Subject{Kind: All}
	}
	if strings.HasPrefix(rest, didPrefix) {
		return Subject{Kind: Actor, Object: Object{ID: s.word(false)}}
	}
	word := s.word(true)
	if !s.next(':') {
		return Subject{Kind: Actor, Object: Object{ID: word}}
	}
	subject := Subject{Kind: Entity, Object: Object{Resource: word, ID: s.after(':')}}
	if s.next('#') {
		subject.Kind, subject.Relation = Userset, s.after('#')
	}
	return subject
}

// word reads one word; a bare one ends at a colon if told so.
func (s *scanner) word(colonEnds bool) string {
	rest := s.text[s.at:]
	if s.next('"') {
		quoted, err := strconv.QuotedPrefix(rest)
		if err != nil {
			s.fail("a string literal in double quotes")
			return ""
		}
		s.at += len(quoted)
		word, _ := strconv.Unquote(quoted)
		return word
	}
	end := len(rest)
	for i, r := range rest {
		if !bare(r, rest[i:]) || colonEnds && r == ':' {
			end = i
			break
		}
	}
	if end == 0 {
		s.fail("a name")
		return ""
	}
	s.at += end
	return rest[:end]
}

// bare tells whether r, the first character of rest, can stand in a word without quotes.
func bare(r rune, rest string) bool {
	if r == utf8.RuneError {
		_, size := utf8.DecodeRuneInString(rest)
		return size > 1
	}
	return !strings.ContainsRune("#@\"\\", r) && unicode.IsGraphic(r) && !unicode.IsSpace(r)
}

// String gives the text form, which ParseRelationship reads back.
func (r Relationship) String() string {
	return r.Object.String() + "#" + word(r.Relation, false) + "@" + r.Subject.String()
}

// String gives resource:id.
func (o Object) String() string { return word(o.Resource, true) + ":" + word(o.ID, false) }

// String gives the part of a relationship that stands behind the @.
func (s Subject) String() string {
	switch s.Kind {
	case All:
		return "*"
	case Actor:
		if s.Object.ID == "*" {
			return `"*"`
		}
		return word(s.Object.ID, !strings.HasPrefix(s.Object.ID, didPrefix))
	}
	object := s.Object.String()
	if s.Object.Resource == "did" {
		object = `"did":` + word(s.Object.ID, false)
	}
	if s.Kind == Userset {
		return object + "#" + word(s.Relation, false)
	}
	return object
}

// word writes a word, in quotes where it has to be.
func word(text string, colonEnds bool) string {
	if text == "" {
		return `""`
	}
	for i, r := range text {
		if !bare(r, text[i:]) || colonEnds && r == ':' {
			return strconv.Quote(text)
		}
	}
	return text
}
