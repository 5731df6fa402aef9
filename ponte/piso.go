package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strconv"
)

// The floor is what the two borders cost when nothing stands behind them: two
// processes of plain net/http that exchange bodies of the real sizes, and do
// nothing with them. They are this binary, under words that the help does not
// list.
const (
	nomePisoAgente   = "piso-agente"
	nomePisoServidor = "piso-mcp"
)

// corposDoPiso are the bodies of one real cycle, step by step.
type corposDoPiso struct {
	Etapas []corposDaEtapa
}

type corposDaEtapa struct {
	// PedidoMCP is what the agent sends to the server, RespostaMCP its answer,
	// RespostaA2A what the agent then answers. The caller's own request is the
	// generator's.
	PedidoMCP, RespostaMCP, RespostaA2A []byte
}

func lerCorposDoPiso(arquivo string) (corposDoPiso, error) {
	var c corposDoPiso
	raw, err := os.ReadFile(arquivo)
	if err == nil {
		err = json.Unmarshal(raw, &c)
	}
	if err == nil && len(c.Etapas) == 0 {
		err = errors.New("nenhuma etapa")
	}
	if err != nil {
		return c, fmt.Errorf("corpos do piso: %w", err)
	}
	return c, nil
}

// caminhoDoPiso is where a process of the floor serves a step.
func caminhoDoPiso(etapa int) string { return "/" + strconv.Itoa(etapa) }

// pisoServidor runs the floor of the server until a signal comes.
func pisoServidor(ctx context.Context, amb ambiente, args []string) error {
	fs := flag.NewFlagSet(nomePisoServidor, flag.ContinueOnError)
	arquivo := fs.String("corpos", "", "arquivo com os corpos")
	if err := lerOpcoes(fs, args, amb.stdout); err != nil {
		return err
	}
	corpos, err := lerCorposDoPiso(*arquivo)
	if err != nil {
		return err
	}
	return servirPiso(ctx, amb, nomePisoServidor, manipuladorDoServidor(corpos))
}

// pisoAgente runs the floor of the agent, which asks that of the server at
// every request.
func pisoAgente(ctx context.Context, amb ambiente, args []string) error {
	fs := flag.NewFlagSet(nomePisoAgente, flag.ContinueOnError)
	arquivo := fs.String("corpos", "", "arquivo com os corpos")
	mcp := fs.String("mcp", "", "URL do piso do servidor")
	if err := lerOpcoes(fs, args, amb.stdout); err != nil {
		return err
	}
	corpos, err := lerCorposDoPiso(*arquivo)
	if err != nil {
		return err
	}
	return servirPiso(ctx, amb, nomePisoAgente, manipuladorDoAgente(corpos, *mcp))
}

func servirPiso(ctx context.Context, amb ambiente, nome string, h http.Handler) error {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	fmt.Fprintf(amb.stdout, "%s ouvindo em http://%s\n", nome, l.Addr())
	srv := &http.Server{Handler: h}
	defer context.AfterFunc(ctx, func() { _ = srv.Close() })()
	if err := srv.Serve(l); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

// manipuladorDoServidor reads each request whole and answers it with the
// recorded bytes.
func manipuladorDoServidor(corpos corposDoPiso) http.Handler {
	respostas := make(map[string]func(http.ResponseWriter))
	for i, e := range corpos.Etapas {
		respostas[caminhoDoPiso(i)] = responderCom(e.RespostaMCP)
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		responder, ok := respostas[r.URL.Path]
		if _, err := io.Copy(io.Discard, r.Body); err != nil || !ok {
			http.NotFound(w, r)
			return
		}
		responder(w)
	})
}

// manipuladorDoAgente does, besides, one exchange with the floor of the server
// for each request, over a pool of connections that are kept alive.
func manipuladorDoAgente(corpos corposDoPiso, mcp string) http.Handler {
	const conexoesParadas = 4096 // never a reason to open a new one
	cliente := &http.Client{Transport: &http.Transport{MaxIdleConns: conexoesParadas, MaxIdleConnsPerHost: conexoesParadas}}
	type passagem struct {
		corposDaEtapa
		url       string
		responder func(http.ResponseWriter)
	}
	passagens := make(map[string]passagem)
	for i, e := range corpos.Etapas {
		passagens[caminhoDoPiso(i)] = passagem{e, mcp + caminhoDoPiso(i), responderCom(e.RespostaA2A)}
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		p, ok := passagens[r.URL.Path]
		if _, err := io.Copy(io.Discard, r.Body); err != nil || !ok {
			http.NotFound(w, r)
			return
		}
		res, err := cliente.Post(p.url, "application/json", bytes.NewReader(p.PedidoMCP))
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadGateway)
			return
		}
		defer res.Body.Close()
		if _, err := io.Copy(io.Discard, res.Body); err != nil || res.StatusCode != http.StatusOK {
			http.Error(w, fmt.Sprintf("HTTP %d, %v", res.StatusCode, err), http.StatusBadGateway)
			return
		}
		p.responder(w)
	})
}

func responderCom(corpo []byte) func(http.ResponseWriter) {
	tamanho := strconv.Itoa(len(corpo))
	return func(w http.ResponseWriter) {
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Content-Length", tamanho)
		_, _ = w.Write(corpo)
	}
}
