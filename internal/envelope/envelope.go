// Package envelope reads one JSON-RPC 2.0 request strictly, before anything
// of it is trusted, and writes answers around an id that is returned exactly
// as it came.
//
// Everything that reads JSON at a border uses it: both HTTP fronts, the MCP host
// for what a server sends, the profile. It knows JSON-RPC and nothing of MCP, A2A or the
// domain. encoding/json alone is not strict enough for a border: it replaces
// invalid UTF-8, matches member names whatever their case, lets the last of
// two equal members win, and turns large integers into floats. Nor is it fast
// enough for one: what is JSON is checked, and objects are taken apart, by code of
// this package, which fuzz targets hold to encoding/json's.
package envelope

import (
	"bytes"
	"encoding/json"
	"strings"
	"unicode/utf8"
)

// JSON-RPC 2.0 error codes, section 5.1.
const (
	CodeParse          = -32700
	CodeInvalidRequest = -32600
	CodeMethodNotFound = -32601
	CodeInvalidParams  = -32602
	CodeInternal       = -32603
)

// Error is a JSON-RPC error object. Data is optional and already encoded.
type Error struct {
	Code    int             `json:"code"`
	Message string          `json:"message"`
	Data    json.RawMessage `json:"data,omitempty"`
}

// Error returns the message.
func (e *Error) Error() string { return e.Message }

// Null is the id of an answer to a request whose id could not be read.
var Null = json.RawMessage("null")

// Request is a well-formed JSON-RPC request or notification.
type Request struct {
	// ID holds the bytes of the id as they were sent: a string, a number or
	// null. It is nil when the member is absent (a notification).
	ID json.RawMessage
	// Method is never empty.
	Method string
	// Params holds an object or an array, or is nil when absent. It is part of the
	// body.
	Params json.RawMessage
}

// Parse reads body as a single JSON-RPC 2.0 request, in which arrays and objects
// nest at most maxDepth deep.
//
// Errors are [*Error]: CodeParse when body is empty, not UTF-8, not JSON, has
// something after the value or nests deeper than maxDepth; CodeInvalidRequest
// when it is JSON but no request object (null, a batch, a wrong version, no
// method, an id of the wrong type); CodeInvalidParams when params are no
// structure. The request returned beside an error carries the id when it could
// be read, and [Null] otherwise, so that an error answer can name it.
func Parse(body []byte, maxDepth int) (Request, error) {
	unknown := Request{ID: Null}
	if err := Valid(body, maxDepth); err != nil {
		return unknown, err
	}
	var room [8]Member
	m, err := Split(room[:0], body)
	if err != nil {
		return unknown, invalid(err.Error())
	}

	// What is kept of a request for longer than its body is the id.
	req := Request{ID: bytes.Clone(Find(m, "id")), Params: Find(m, "params")}
	if req.ID != nil && !isID(req.ID) {
		return unknown, invalid("id must be a string, a number or null")
	}
	named := req
	if named.ID == nil {
		named.ID = Null
	}
	if string(Find(m, "jsonrpc")) != `"2.0"` {
		return named, invalid(`jsonrpc must be "2.0"`)
	}
	method := Find(m, "method")
	if method == nil {
		return named, invalid("method is missing")
	}
	if req.Method, _ = String(method); req.Method == "" {
		return named, invalid("method must be a non-empty string")
	}
	named.Method = req.Method
	if string(req.Params) == "null" {
		req.Params = nil
	}
	if req.Params != nil && req.Params[0] != '{' && req.Params[0] != '[' {
		return named, &Error{Code: CodeInvalidParams, Message: "Invalid params: must be an object or an array"}
	}
	return req, nil
}

// Valid reports whether body is one JSON value in UTF-8, in which arrays and
// objects nest at most maxDepth deep, and never deeper than 10 000. The error is an
// [*Error] with CodeParse.
func Valid(body []byte, maxDepth int) error {
	why := ""
	switch {
	case space(body, 0) == len(body):
		why = "empty body"
	case !utf8.Valid(body):
		why = "body is not UTF-8"
	default:
		why = check(body, min(maxDepth, maxNesting))
	}
	if why == "" {
		return nil
	}
	return &Error{Code: CodeParse, Message: "Parse error: " + why}
}

func invalid(why string) *Error {
	return &Error{Code: CodeInvalidRequest, Message: "Invalid request: " + why}
}

// String returns the value of a JSON string, and whether raw is one.
func String(raw json.RawMessage) (string, bool) {
	if len(raw) < 2 || raw[0] != '"' || raw[len(raw)-1] != '"' {
		return "", false
	}
	if inner := raw[1 : len(raw)-1]; plain(inner) {
		return string(inner), true
	}
	var s string
	if json.Unmarshal(raw, &s) != nil {
		return "", false
	}
	return s, true
}

// isID accepts what JSON-RPC 2.0, section 4, accepts: a string, a number, null.
func isID(raw json.RawMessage) bool {
	c := raw[0]
	return c == '"' || c == '-' || (c >= '0' && c <= '9') || string(raw) == "null"
}

// IsInteger reports whether an id is an integer as MCP wants it: no fraction
// and no exponent.
func IsInteger(id json.RawMessage) bool {
	return len(id) > 0 && id[0] != '"' && id[0] != 'n' && !bytes.ContainsAny(id, ".eE")
}

// Result encodes a success answer. result must be valid JSON.
func Result(id, result json.RawMessage) []byte { return answer(id, `,"result":`, result) }

// Failure encodes an error answer. A nil id is written as null.
func Failure(id json.RawMessage, e *Error) []byte {
	if id == nil {
		id = Null
	}
	body, err := Marshal(e)
	if err != nil { // only when Data is not JSON, which no caller builds
		body = []byte(`{"code":-32603,"message":"internal error"}`)
	}
	return answer(id, `,"error":`, body)
}

func answer(id json.RawMessage, member string, value json.RawMessage) []byte {
	const start = `{"jsonrpc":"2.0","id":`
	b := make([]byte, 0, len(start)+len(id)+len(member)+len(value)+1)
	b = append(b, start...)
	b = append(b, id...)
	b = append(b, member...)
	b = append(b, value...)
	return append(b, '}')
}

// Cut bounds text that came from outside to n bytes, at a character's edge.
func Cut(s string, n int) string {
	if len(s) <= n {
		return s
	}
	return strings.ToValidUTF8(s[:n], "") + "..."
}

// Marshal encodes v as compact JSON without escaping <, > and &, which are
// ordinary characters outside HTML.
func Marshal(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}
