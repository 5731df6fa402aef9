package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/url"
	"time"
)

// limiteCorpo bounds what is read of one answer, in bytes.
const limiteCorpo = 4 << 20

var (
	errInterrompido = errors.New("execucao interrompida")
	errGrande       = fmt.Errorf("resposta com mais de %d MiB", limiteCorpo>>20)
)

// transporte makes single HTTP exchanges with a limit of time and of size.
type transporte struct {
	cliente *http.Client
	espera  time.Duration
}

// respostaHTTP is what came back, before anybody believes it.
type respostaHTTP struct {
	status int
	corpo  []byte
}

// trocar sends one request and reads the answer to its end. With sse it also
// understands text/event-stream, and corpo is then the data of the event that
// holds the JSON-RPC response. With an error, corpo is what had been read.
func (t *transporte) trocar(ctx context.Context, metodo, alvo string, cabecalhos map[string]string, corpo []byte, sse bool) (respostaHTTP, error) {
	limitado, cancel := context.WithTimeout(ctx, t.espera)
	defer cancel()
	req, err := http.NewRequestWithContext(limitado, metodo, alvo, bytes.NewReader(corpo))
	if err != nil {
		return respostaHTTP{}, fmt.Errorf("URL %s: %w", alvo, err)
	}
	for nome, valor := range cabecalhos {
		req.Header.Set(nome, valor)
	}
	res, err := t.cliente.Do(req)
	if err != nil {
		return respostaHTTP{}, t.explicar(ctx, limitado, err)
	}
	defer res.Body.Close()
	r := respostaHTTP{status: res.StatusCode}
	tipo, _, _ := mime.ParseMediaType(res.Header.Get("Content-Type"))
	if sse && tipo == "text/event-stream" {
		r.corpo, err = lerSSE(io.LimitReader(res.Body, limiteCorpo))
	} else if res.ContentLength > limiteCorpo {
		err = errGrande
	} else {
		r.corpo, err = lerTudo(res.Body)
	}
	if err != nil {
		return r, t.explicar(ctx, limitado, err)
	}
	return r, nil
}

func lerTudo(r io.Reader) ([]byte, error) {
	b, err := io.ReadAll(io.LimitReader(r, limiteCorpo+1))
	if err == nil && len(b) > limiteCorpo {
		err = errGrande
	}
	return b, err
}

// explicar says in one sentence why there was no answer.
func (t *transporte) explicar(ctx, limitado context.Context, err error) error {
	switch {
	case ctx.Err() != nil:
		return errInterrompido
	case limitado.Err() != nil:
		return fmt.Errorf("sem resposta completa em %s", t.espera)
	case errors.Is(err, errGrande), errors.Is(err, errSSE):
		return err
	}
	var ue *url.Error
	if errors.As(err, &ue) {
		return fmt.Errorf("sem resposta de %s: %w", ue.URL, ue.Err)
	}
	return fmt.Errorf("resposta cortada: %w", err)
}
