package envelope

import (
	"encoding/json"
	"errors"
	"fmt"
	"unicode/utf8"
)

// Member is one name and value of a JSON object. Both are parts of what they were
// split from, and keep it alive: clone what is to last longer.
type Member struct {
	Name  string
	Value json.RawMessage
}

var (
	errNotObject = errors.New("not an object")
	errNotArray  = errors.New("not an array")
	errNotJSON   = errors.New("not valid JSON")
)

// Members splits a JSON object into its members, in the order in which they
// stand, without decoding their values. Names are matched exactly. A name that
// stands twice is an error, because two readers of the same bytes could disagree on
// which of the two counts.
func Members(raw []byte) ([]Member, error) {
	if check(raw, maxNesting) != "" {
		return nil, errNotJSON
	}
	return Split(nil, raw)
}

// Split is [Members] for raw that is known to be valid JSON: a body that [Valid]
// has accepted, or a value that stood in one. It appends to members, which may be
// an array of the caller's. Of anything else it may return an error, or parts that
// are no JSON.
func Split(members []Member, raw []byte) ([]Member, error) {
	i := space(raw, 0)
	if i >= len(raw) || raw[i] != '{' {
		return members, errNotObject
	}
	// All names of a small object share one copy of its bytes.
	var text string
	if len(raw) <= maxShared {
		text = string(raw)
	}
	first := len(members)
	var seen map[string]bool
	for i = space(raw, i+1); i < len(raw) && raw[i] == '"'; i = space(raw, i+1) {
		end, escaped := stringEnd(raw, i)
		start := space(raw, space(raw, end)+1) // after the colon
		after := valueEnd(raw, start)
		if after >= len(raw) {
			return members, errNotJSON
		}
		var name string
		switch {
		case escaped, !utf8.Valid(raw[i:end]):
			var err error
			if name, err = decoded(raw[i:end]); err != nil {
				return members, err
			}
		case text != "":
			name = text[i+1 : end-1]
		default:
			name = string(raw[i+1 : end-1])
		}
		if len(members)-first == manyMembers {
			seen = make(map[string]bool, 2*manyMembers)
			for _, m := range members[first:] {
				seen[m.Name] = true
			}
		}
		if seen[name] || seen == nil && Find(members[first:], name) != nil {
			return members, fmt.Errorf("member %q stands twice", name)
		}
		if seen != nil {
			seen[name] = true
		}
		members = append(members, Member{name, raw[start:after:after]})
		if i = space(raw, after); i < len(raw) && raw[i] == '}' {
			return members, nil
		}
	}
	if i >= len(raw) || raw[i] != '}' {
		return members, errNotJSON
	}
	return members, nil
}

const (
	// maxShared bounds the copy that names share, in bytes.
	maxShared = 2 << 10
	// manyMembers is from how many on names are looked up in a map.
	manyMembers = 16
)

// Elements splits a JSON array into its elements, as [Split] does an object, and
// with the same demands on raw.
func Elements(elements []json.RawMessage, raw []byte) ([]json.RawMessage, error) {
	i := space(raw, 0)
	if i >= len(raw) || raw[i] != '[' {
		return elements, errNotArray
	}
	for i = space(raw, i+1); i < len(raw) && raw[i] != ']'; {
		end := valueEnd(raw, i)
		if end >= len(raw) || end == i {
			return elements, errNotJSON
		}
		elements = append(elements, raw[i:end:end])
		if i = space(raw, end); i < len(raw) && raw[i] == ',' {
			i = space(raw, i+1)
		}
	}
	if i >= len(raw) {
		return elements, errNotJSON
	}
	return elements, nil
}

// decoded is the text of a JSON string.
func decoded(raw []byte) (s string, err error) {
	err = json.Unmarshal(raw, &s)
	return s, err
}

// Find returns the value of a member, nil when there is none.
func Find(members []Member, name string) json.RawMessage {
	for i := range members {
		if members[i].Name == name {
			return members[i].Value
		}
	}
	return nil
}

// Object is [Members] for a reader to whom their order says nothing.
func Object(raw []byte) (map[string]json.RawMessage, error) {
	members, err := Members(raw)
	if err != nil {
		return nil, err
	}
	m := make(map[string]json.RawMessage, len(members))
	for _, member := range members {
		m[member.Name] = member.Value
	}
	return m, nil
}

// Encode writes members as a JSON object, in their order. Values must be valid
// JSON.
func Encode(members []Member) json.RawMessage {
	n := 2
	for _, m := range members {
		n += len(m.Name) + len(m.Value) + 4
	}
	b := append(make([]byte, 0, n), '{')
	for i, m := range members {
		if i > 0 {
			b = append(b, ',')
		}
		b = AppendString(b, m.Name)
		b = append(b, ':')
		b = append(b, m.Value...)
	}
	return append(b, '}')
}

// AppendString appends s as a JSON string, spelled as [Marshal] spells it.
func AppendString(b []byte, s string) []byte {
	if !plain(s) {
		encoded, _ := Marshal(s) // a string: cannot fail
		return append(b, encoded...)
	}
	b = append(b, '"')
	b = append(b, s...)
	return append(b, '"')
}

// plain reports whether text means the same between the quotes of a JSON string
// as outside of them: printable ASCII without quotes and backslashes.
func plain[T string | []byte | json.RawMessage](text T) bool {
	for i := range len(text) {
		if c := text[i]; c < ' ' || c > '~' || c == '"' || c == '\\' {
			return false
		}
	}
	return true
}

// space is the index of the first byte from i on that is no white space.
func space(raw []byte, i int) int {
	for i < len(raw) && (raw[i] == ' ' || raw[i] == '\n' || raw[i] == '\r' || raw[i] == '\t') {
		i++
	}
	return i
}

// stringEnd is the index after the string that begins at i, and whether it has
// escapes. Of one without an end it is past that of raw.
func stringEnd(raw []byte, i int) (end int, escaped bool) {
	for i++; i < len(raw) && raw[i] != '"'; i++ {
		if raw[i] == '\\' {
			escaped = true
			i++
		}
	}
	return i + 1, escaped
}

// valueEnd is the index after the value that begins at i. Of one without an end it
// is at or past that of raw.
func valueEnd(raw []byte, i int) int {
	if i >= len(raw) {
		return i
	}
	switch raw[i] {
	case '"':
		end, _ := stringEnd(raw, i)
		return end
	case '{', '[':
	default: // a number, true, false, null
		for i < len(raw) && raw[i] != ',' && raw[i] != '}' && raw[i] != ']' && raw[i] > ' ' {
			i++
		}
		return i
	}
	for deep := 0; i < len(raw); i++ {
		switch raw[i] {
		case '"':
			end, _ := stringEnd(raw, i)
			i = end - 1
		case '{', '[':
			deep++
		case '}', ']':
			if deep--; deep == 0 {
				return i + 1
			}
		}
	}
	return i
}
