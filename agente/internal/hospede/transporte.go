package hospede

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"

	"hillvalley.example/ponte/internal/envelope"
)

// isolado is the HTTP transport under the SDK's, for discovery and resources. It
// gives each request an id of the host's, reads the answer whole, within the time
// of its own request, and hands on one JSON-RPC answer with the SDK's id, whatever
// came. The SDK gives up a connection with all that is under way on it when one
// answer is not as it should be; here many Tasks share a connection, and none may
// end what another waits for.
type isolado struct {
	http.RoundTripper
	ids *numerador
}

// RoundTrip implements [http.RoundTripper].
func (t isolado) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.Body == nil {
		return t.RoundTripper.RoundTrip(r)
	}
	pedido, err := io.ReadAll(r.Body)
	r.Body.Close()
	if err != nil {
		return nil, err
	}
	membros, err := envelope.Members(pedido)
	if err != nil {
		return nil, err
	}
	if string(envelope.Find(membros, "method")) == `"notifications/cancelled"` {
		// Over HTTP a request is cancelled by its connection, which has closed.
		return respostaHTTP(r, http.StatusAccepted, nil), nil
	}
	doSDK := envelope.Find(membros, "id")
	id := t.ids.proximo()
	for i, m := range membros {
		if m.Name == "id" {
			membros[i].Value = id
		}
	}
	wire := r.Clone(r.Context()) // a transport does not change its request
	if uri := wire.Header.Get("Mcp-Name"); uri != "" {
		wire.Header.Set("Mcp-Name", emCabecalho(uri))
	}
	body := envelope.Encode(membros)
	wire.ContentLength = int64(len(body))
	wire.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(body)), nil }
	wire.Body, _ = wire.GetBody()
	res, err := t.RoundTripper.RoundTrip(wire)
	if err != nil || doSDK == nil {
		return res, err // the SDK deals rightly with a failed exchange, and with a notification's answer
	}
	defer res.Body.Close()
	result, why := lerResposta(res, id)
	if why != nil && r.Context().Err() != nil {
		return nil, r.Context().Err()
	}
	if why == nil && !tipoConhecido(result) {
		why = semSentido("a result of no known type")
	}
	if why != nil {
		return respostaHTTP(r, http.StatusOK, envelope.Failure(doSDK, why)), nil
	}
	return respostaHTTP(r, http.StatusOK, envelope.Result(doSDK, result)), nil
}

// tipoConhecido reports whether the SDK knows what a result is. It would take a
// resultType that it does not know for complete, and the specification wants it
// treated as invalid.
func tipoConhecido(result json.RawMessage) bool {
	membros, err := envelope.Split(nil, result)
	if err != nil {
		return false
	}
	tipo, ok := textoOpcional(envelope.Find(membros, "resultType"))
	return ok && (tipo == "" || tipo == "complete" || tipo == "input_required")
}

func respostaHTTP(r *http.Request, status int, body []byte) *http.Response {
	return &http.Response{
		StatusCode:    status,
		Header:        http.Header{"Content-Type": {"application/json"}},
		Body:          io.NopCloser(bytes.NewReader(body)),
		ContentLength: int64(len(body)),
		Request:       r,
	}
}
