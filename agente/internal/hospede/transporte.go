package hospede

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net"
	"net/http"
	"strings"
	"syscall"

	"hillvalley.example/ponte/internal/envelope"
)

// Codes of the answers that this side makes up for a request that got none. They
// stay on this side, and [respostaA] lets no server use them.
const (
	codigoSemSentido  = 1
	codigoInacessivel = 2
)

// semSignificado reports whether a code says nothing when it comes from a server:
// those of the range to which the specification gives no meaning (Overview,
// "Error Codes"), which the SDK uses for what happened on this side, and ours.
func semSignificado(code int64) bool {
	return code >= -32019 && code <= -32000 || code == codigoSemSentido || code == codigoInacessivel
}

// isolado is the HTTP transport under the SDK's. It reads each answer whole,
// within the time of its own call, and hands on one JSON-RPC answer with the id
// of its request, whatever came. The SDK gives up a connection with all its
// calls when one answer is not as it should be; here the calls of many Tasks
// share a connection, and none may end another's.
type isolado struct{ http.RoundTripper }

// RoundTrip implements [http.RoundTripper].
func (t isolado) RoundTrip(r *http.Request) (*http.Response, error) {
	id, nome, err := idDe(r)
	if err != nil {
		return nil, err
	}
	if nome != "" {
		r = r.Clone(r.Context()) // a transport does not change its request
		r.Header.Set("Mcp-Name", emCabecalho(nome))
	}
	res, err := t.RoundTripper.RoundTrip(r)
	if err != nil || id == nil {
		return res, err // the SDK takes no connection and no answer as it should
	}
	defer res.Body.Close()
	body, why := lerResposta(res, id)
	if why != nil {
		if ctxErr := r.Context().Err(); ctxErr != nil {
			return nil, ctxErr
		}
		body = envelope.Failure(id, why)
	}
	return &http.Response{
		Status: "200 OK", StatusCode: http.StatusOK,
		Proto: res.Proto, ProtoMajor: res.ProtoMajor, ProtoMinor: res.ProtoMinor,
		Header:        http.Header{"Content-Type": {"application/json"}},
		Body:          io.NopCloser(bytes.NewReader(body)),
		ContentLength: int64(len(body)),
		Request:       r,
	}, nil
}

// idDe returns the JSON-RPC id of a request, nil for a notification, and what it
// names: the tool that is called, the resource that is read.
func idDe(r *http.Request) (id json.RawMessage, nome string, err error) {
	if r.GetBody == nil {
		return nil, "", nil
	}
	body, err := r.GetBody()
	if err != nil {
		return nil, "", err
	}
	defer body.Close()
	var head struct {
		ID     json.RawMessage `json:"id"`
		Method string          `json:"method"`
		Params struct{ Name, URI string }
	}
	if err := json.NewDecoder(body).Decode(&head); err != nil {
		return nil, "", err
	}
	switch head.Method {
	case "tools/call":
		nome = head.Params.Name
	case "resources/read":
		nome = head.Params.URI
	}
	return head.ID, nome, nil
}

// emCabecalho spells a name as the value of a header: as it is, or in base64 when
// it has characters that a header would lose, or could be taken for base64 (MCP
// 2026-07-28, Streamable HTTP, "Value Encoding"). The SDK does so for parameters
// only.
func emCabecalho(nome string) string {
	const antes, depois = "=?base64?", "?="
	simples := strings.TrimSpace(nome) == nome && !strings.ContainsFunc(nome, func(r rune) bool { return r < ' ' || r > '~' })
	if simples && !(strings.HasPrefix(nome, antes) && strings.HasSuffix(nome, depois)) {
		return nome
	}
	return antes + base64.StdEncoding.EncodeToString([]byte(nome)) + depois
}

func semSentido(format string, args ...any) *envelope.Error {
	return &envelope.Error{Code: codigoSemSentido, Message: fmt.Sprintf(format, args...)}
}

// lerResposta finds the JSON-RPC answer to id in what a server sent. Otherwise
// it says why there is none, in words of ours: nothing of the server's is
// repeated.
func lerResposta(res *http.Response, id json.RawMessage) ([]byte, *envelope.Error) {
	body := http.MaxBytesReader(nil, res.Body, maxResposta)
	tipo, _, _ := mime.ParseMediaType(res.Header.Get("Content-Type"))
	if tipo == "text/event-stream" && res.StatusCode/100 == 2 {
		return lerEventos(body, id)
	}
	raw, err := io.ReadAll(body)
	if err != nil {
		return nil, falhaDeLeitura(err)
	}
	if answer, ok := respostaA(raw, id); ok {
		return answer, nil
	}
	switch {
	case res.StatusCode == http.StatusTooManyRequests, res.StatusCode >= 500:
		return nil, &envelope.Error{Code: codigoInacessivel, Message: fmt.Sprintf("HTTP status %d", res.StatusCode)}
	case res.StatusCode/100 != 2:
		return nil, semSentido("HTTP status %d without a JSON-RPC answer", res.StatusCode)
	}
	return nil, semSentido("no JSON-RPC answer to the request")
}

func falhaDeLeitura(err error) *envelope.Error {
	var large *http.MaxBytesError
	if errors.As(err, &large) {
		return semSentido("answer over %d bytes", large.Limit)
	}
	return &envelope.Error{Code: codigoInacessivel, Message: "the answer broke off"}
}

// respostaA checks that raw is a JSON-RPC answer to id. An error answer may have
// no id (null or absent) where the server could not read it.
func respostaA(raw []byte, id json.RawMessage) ([]byte, bool) {
	m, err := envelope.Object(raw)
	if err != nil || string(m["jsonrpc"]) != `"2.0"` {
		return nil, false
	}
	mesmo := bytes.Equal(m["id"], id)
	if e := m["error"]; e != nil && m["result"] == nil {
		var je envelope.Error
		switch {
		case !mesmo && m["id"] != nil && string(m["id"]) != "null", json.Unmarshal(e, &je) != nil:
			return nil, false
		case semSignificado(int64(je.Code)):
			return envelope.Failure(id, semSentido("an error code without a meaning")), true
		}
		return envelope.Failure(id, &je), true
	}
	result := m["result"]
	if !mesmo || len(result) == 0 || result[0] != '{' {
		return nil, false
	}
	return envelope.Result(id, result), true
}

// lerEventos reads a stream of server-sent events until the answer to id.
// Notifications before it are passed over.
func lerEventos(body io.Reader, id json.RawMessage) ([]byte, *envelope.Error) {
	var data []string
	for linha, err := range linhas(body) {
		if err != nil {
			return nil, falhaDeLeitura(err)
		}
		if valor, ok := strings.CutPrefix(linha, "data:"); ok {
			data = append(data, strings.TrimPrefix(valor, " "))
			continue
		}
		if linha != "" {
			continue // comments and other fields
		}
		if answer, ok := respostaA([]byte(strings.Join(data, "\n")), id); ok {
			return answer, nil
		}
		data = data[:0]
	}
	return nil, &envelope.Error{Code: codigoInacessivel, Message: "the stream ended without an answer"}
}

// explicar says for the log why there was no answer. What the server sent may
// hold a requestState, and is never part of it.
func explicar(ctx context.Context, err error) string {
	var op *net.OpError
	var errno syscall.Errno
	switch {
	case ctx.Err() != nil:
		return ctx.Err().Error()
	case errors.As(err, &errno):
		return errno.Error()
	case errors.As(err, &op):
		return op.Op + " failed"
	}
	return "no usable answer"
}
