package hospede

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"strings"

	"hillvalley.example/ponte/internal/envelope"
)

// maxResposta is the largest answer taken from a server, in bytes, and maxFundo
// how deep arrays and objects may nest in it.
const (
	maxResposta = 8 << 20
	maxFundo    = 1000
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
func semSignificado(code int) bool {
	return code >= -32019 && code <= -32000 || code == codigoSemSentido || code == codigoInacessivel
}

func semSentido(format string, args ...any) *envelope.Error {
	return &envelope.Error{Code: codigoSemSentido, Message: fmt.Sprintf(format, args...)}
}

// lerResposta finds the result of the request with an id in what a server sent:
// an object, valid as a whole. Otherwise it gives the server's error, or says why
// there is neither, in words of ours: nothing of the server's is repeated.
func lerResposta(res *http.Response, id json.RawMessage) (json.RawMessage, *envelope.Error) {
	corpo := http.MaxBytesReader(nil, res.Body, maxResposta)
	tipo := res.Header.Get("Content-Type")
	if tipo != "application/json" {
		tipo, _, _ = mime.ParseMediaType(tipo)
	}
	if tipo == "text/event-stream" && res.StatusCode/100 == 2 {
		return lerEventos(corpo, id)
	}
	// Room for what is announced, as far as that is likely, and to see its end.
	raw := bytes.NewBuffer(make([]byte, 0, min(max(res.ContentLength, 0), 64<<10)+bytes.MinRead))
	if _, err := raw.ReadFrom(corpo); err != nil {
		return nil, falhaDeLeitura(err)
	}
	if result, why, ok := respostaA(raw.Bytes(), id); ok {
		return result, why
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

// respostaA reads raw as the JSON-RPC answer to id; ok is false when it is none.
// An error answer may have no id (null or absent) where the server could not read
// it.
func respostaA(raw []byte, id json.RawMessage) (result json.RawMessage, why *envelope.Error, ok bool) {
	if envelope.Valid(raw, maxFundo) != nil {
		return nil, nil, false
	}
	var espaco [4]envelope.Member
	membros, err := envelope.Split(espaco[:0], raw)
	if err != nil || string(envelope.Find(membros, "jsonrpc")) != `"2.0"` {
		return nil, nil, false
	}
	dela := envelope.Find(membros, "id")
	mesmo := bytes.Equal(dela, id)
	result = envelope.Find(membros, "result")
	if e := envelope.Find(membros, "error"); e != nil && result == nil {
		why = &envelope.Error{}
		switch {
		case !mesmo && dela != nil && string(dela) != "null", json.Unmarshal(e, why) != nil:
			return nil, nil, false
		case semSignificado(why.Code):
			why = semSentido("an error code without a meaning")
		}
		return nil, why, true
	}
	return result, nil, mesmo && len(result) > 0 && result[0] == '{'
}

// lerEventos reads a stream of server-sent events until the answer to id.
// Notifications before it are passed over.
func lerEventos(corpo io.Reader, id json.RawMessage) (json.RawMessage, *envelope.Error) {
	var data []string
	for linha, err := range linhas(corpo) {
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
		if result, why, ok := respostaA([]byte(strings.Join(data, "\n")), id); ok {
			return result, why
		}
		data = data[:0]
	}
	return nil, &envelope.Error{Code: codigoInacessivel, Message: "the stream ended without an answer"}
}
