package envelope

import "fmt"

// maxNesting is how deep arrays and objects may nest to be read at all, as in
// encoding/json.
const maxNesting = 10_000

// check says what is wrong with b as one JSON value (RFC 8259) in which arrays and
// objects nest at most maxDepth deep; "" for nothing. With maxNesting it says the
// same as encoding/json's Valid, to which a fuzz target holds it, in a fifth of the
// time: every body and every answer passes it.
func check(b []byte, maxDepth int) string {
	const invalid = "invalid JSON"
	var room [maxRoom]byte
	open := room[:0] // what closes the arrays and objects around i
	i := space(b, 0)
value:
	for i < len(b) {
		switch b[i] {
		case '{', '[':
			end := b[i] + 2 // } and ] stand two after { and [
			if len(open) == maxDepth {
				return fmt.Sprintf("nested deeper than %d", maxDepth)
			}
			if i = space(b, i+1); i < len(b) && b[i] == end {
				i++
				break
			}
			if open = append(open, end); end == '}' {
				i = memberStart(b, i)
			}
			continue
		case '"':
			i = stringLiteral(b, i)
		case 't':
			i = word(b, i, "true")
		case 'f':
			i = word(b, i, "false")
		case 'n':
			i = word(b, i, "null")
		default:
			i = number(b, i)
		}
		for { // a value has ended before i
			switch i = space(b, i); {
			case len(open) == 0 && i == len(b):
				return ""
			case len(open) == 0 || i >= len(b):
				return invalid
			}
			end := open[len(open)-1]
			switch b[i] {
			case end:
				open = open[:len(open)-1]
				i++
			case ',':
				if i = space(b, i+1); end == '}' {
					i = memberStart(b, i)
				}
				continue value
			default:
				return invalid
			}
		}
	}
	return invalid
}

const (
	// maxRoom is how much nesting takes no memory of its own.
	maxRoom = 64
	// wrong is the index after what is not as it should be: that of no byte.
	wrong = int(^uint(0) >> 2)
)

// memberStart is the index of the value of the member whose name begins at i.
func memberStart(b []byte, i int) int {
	if i >= len(b) || b[i] != '"' {
		return wrong
	}
	if i = space(b, stringLiteral(b, i)); i >= len(b) || b[i] != ':' {
		return wrong
	}
	return space(b, i+1)
}

// stringLiteral is the index after the string that begins at i.
func stringLiteral(b []byte, i int) int {
	for i++; i < len(b); i++ {
		switch c := b[i]; {
		case c == '"':
			return i + 1
		case c < ' ':
			return wrong
		case c != '\\':
			continue
		}
		if i++; i >= len(b) {
			return wrong
		}
		switch b[i] {
		case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		case 'u':
			for end := i + 4; i < end; i++ {
				if i+1 >= len(b) || !isHex(b[i+1]) {
					return wrong
				}
			}
		default:
			return wrong
		}
	}
	return wrong
}

func isHex(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'a' && c <= 'f' || c >= 'A' && c <= 'F'
}

func word(b []byte, i int, w string) int {
	if len(b)-i < len(w) || string(b[i:i+len(w)]) != w {
		return wrong
	}
	return i + len(w)
}

// number is the index after the number that begins at i.
func number(b []byte, i int) int {
	if b[i] == '-' {
		i++
	}
	if i < len(b) && b[i] == '0' {
		i++
	} else {
		i = digits(b, i)
	}
	if i < len(b) && b[i] == '.' {
		i = digits(b, i+1)
	}
	if i < len(b) && (b[i] == 'e' || b[i] == 'E') {
		if i++; i < len(b) && (b[i] == '+' || b[i] == '-') {
			i++
		}
		i = digits(b, i)
	}
	return i
}

// digits is the index after the digits that begin at i, of which there must be
// one.
func digits(b []byte, i int) int {
	start := i
	for i < len(b) && b[i] >= '0' && b[i] <= '9' {
		i++
	}
	if i == start {
		return wrong
	}
	return i
}
