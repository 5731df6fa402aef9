// The command agente is process 2: an MCP host inside, an A2A v1.0 server
// outside, and the bridge between them.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/url"
	"os"
	"time"

	"hillvalley.example/ponte/agente/internal/aviso"
	"hillvalley.example/ponte/agente/internal/banco"
	"hillvalley.example/ponte/agente/internal/hospede"
	"hillvalley.example/ponte/agente/internal/perfil"
	"hillvalley.example/ponte/agente/internal/ponte"
	"hillvalley.example/ponte/agente/internal/porta"
	"hillvalley.example/ponte/agente/internal/tarefa"
	"hillvalley.example/ponte/internal/processo"
)

func main() { os.Exit(processo.Principal("agente", run)) }

// validadePausa is how long a Task waits for an answer before it fails.
const validadePausa = 24 * time.Hour

func run(ctx context.Context, args []string, getenv func(string) string, stdout, stderr io.Writer) error {
	o := processo.NovasOpcoes("agente", getenv, stderr)
	addr := o.Texto("addr", "AGENTE_ADDR", "localhost:7300", "endereco em que escuta; porta 0 deixa o sistema escolher")
	mcp := o.Texto("mcp", "MCP_URL", "http://localhost:7301/mcp", "url do servidor MCP")
	publica := o.Texto("url", "AGENTE_URL", "", "url publica que o cartao mostra, quando atras de um proxy")
	onde := o.Texto("tarefas", "TAREFAS", memoria, "onde as Tasks vivem: memoria, sqlite:CAMINHO ou postgres://...")
	limite := o.Inteiro("limite", "AGENTE_LIMITE", 100_000, 1, "quantas Tasks ficam em memoria")
	bytes := o.Inteiro("max-memoria", "AGENTE_MAX_MEMORIA", 256, 1, "quantos MiB de Tasks ficam em memoria")
	espera := o.Duracao("espera", "AGENTE_ESPERA", 10*time.Second, 100*time.Millisecond, 10*time.Minute, "quanto espera pelo servidor MCP em cada troca")
	guarda := o.Duracao("guarda", "AGENTE_GUARDA", 30*24*time.Hour, time.Minute, 10*365*24*time.Hour, "por quanto tempo guarda uma Task terminada")
	arquivo := o.Texto("perfil", "PERFIL", "", "arquivo de perfil; sem ele, o perfil embutido")
	origens := o.Lista("origens", "AGENTE_ORIGENS", "valores de Origin aceitos, separados por virgula; nenhum por padrao")
	httpJSON := o.Logico("httpjson", "AGENTE_HTTPJSON", "serve tambem o binding HTTP+JSON, em /rest")
	enderecoGRPC := o.Texto("grpc", "AGENTE_GRPC", "", "endereco em que serve tambem o binding gRPC; nenhum por padrao")
	urlGRPC := o.Texto("grpc-url", "AGENTE_GRPC_URL", "", "host:porta do gRPC que o cartao mostra, quando atras de um proxy")
	avisosPrivados := o.Logico("avisos-privados", "AGENTE_AVISOS_PRIVADOS", "deixa push notifications irem a enderecos privados")
	cartaoV03 := o.Logico("cartao-v03", "AGENTE_CARTAO_V03", "da ao cartao tambem os campos em que clientes da v0.3 acham o endpoint")
	maxFluxos := o.Inteiro("max-fluxos", "AGENTE_MAX_FLUXOS", 256, 1, "streams abertos ao mesmo tempo")
	maxMensagem := o.Inteiro("max-mensagem", "AGENTE_MAX_MENSAGEM", 64<<10, 256, "maior mensagem aceita, em bytes de JSON")
	perfilador := o.Texto("pprof", "", "", "endereco de loopback em que serve perfis (net/http/pprof); nenhum por padrao")
	limites := o.Limites("AGENTE_")
	if err := o.Ler(args); err != nil {
		return err
	}

	if *urlGRPC != "" {
		if _, _, err := net.SplitHostPort(*urlGRPC); err != nil || *enderecoGRPC == "" {
			return fmt.Errorf("-grpc-url %q nao serve: use host:porta, junto com -grpc", *urlGRPC)
		}
	}
	perf, err := carregarPerfil(*arquivo)
	if err != nil {
		return err
	}
	porteiro, err := processo.NovoPorteiro(*origens, *publica)
	if err != nil {
		return err
	}
	if u, err := url.Parse(*mcp); err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.Host == "" {
		return fmt.Errorf("MCP_URL invalida %q: use uma url http ou https completa, por exemplo http://localhost:7301/mcp", *mcp)
	}
	log := processo.NovoLog(stderr)
	store, fechar, err := abrirStore(ctx, *onde, getenv("TAREFAS_CHAVE"), *limite, *bytes<<20, log)
	if err != nil {
		return err
	}
	defer fechar()
	servidor := hospede.Novo(hospede.Config{
		URL:    *mcp,
		Nome:   perf.Cliente.Nome,
		Versao: perf.Cliente.Versao,
		Agora:  time.Now,
	})
	defer servidor.Fechar()
	if err := processo.Perfilador(ctx, *perfilador, stderr); err != nil {
		return err
	}
	ls, err := processo.Escutar(ctx, *addr)
	if err != nil {
		return err
	}
	defer fecharTodas(ls)
	var lsGRPC []net.Listener
	if *enderecoGRPC != "" {
		if lsGRPC, err = processo.EscutarEm(ctx, "-grpc", *enderecoGRPC); err != nil {
			return err
		}
		defer fecharTodas(lsGRPC)
		if *urlGRPC == "" {
			*urlGRPC = hostDe(*enderecoGRPC, lsGRPC[0].Addr())
		}
	}
	// From here on there is work under way: whatever ends the process, also an error
	// below, ends it in the order of this stop, before the store is closed.
	ctx, falhar := context.WithCancelCause(ctx)
	parar := &parada{}
	defer parar.agora()
	defer falhar(nil)

	capacidades := capacidadesDe(perf.Cartao)
	var mudou func(taskID string)
	if capacidades.Avisos {
		entregador := aviso.Novo(aviso.Config{
			Avisos:   store,
			Corpo:    porta.CorpoDeAviso,
			Privados: *avisosPrivados,
			Agora:    time.Now,
			Log:      log,
		})
		mudou, parar.avisos = entregador.Acordar, entregador.Fechar
	}
	p := ponte.Nova(ponte.Config{
		Perfil:        perf,
		Servidor:      servidor,
		Store:         tarefa.NovaDifusao(store, mudou),
		Avisos:        store,
		Espera:        *espera,
		ValidadePausa: validadePausa,
		Guarda:        *guarda,
		Agora:         time.Now,
		Log:           log,
	})
	parar.ponte = p.Fechar
	base := *publica
	if base == "" {
		base = "http://" + hostDe(*addr, ls[0].Addr())
	}
	cfg := porta.Config{
		Ponte:           p,
		Cartao:          perf.Cartao.JSON,
		Base:            base,
		CartaoComAntigo: *cartaoV03,
		Capacidades:     capacidades,
		HTTPJSON:        *httpJSON,
		ConferirDestino: func(a tarefa.Aviso) error { return aviso.Conferir(a, *avisosPrivados) },
		MaxFluxos:       *maxFluxos,
		Porteiro:        porteiro,
		Limites:         *limites,
		MaxMensagem:     *maxMensagem,
		Encerrando:      ctx.Done(),
		Log:             log,
	}
	if lsGRPC != nil {
		cfg.GRPC = *urlGRPC
	}
	h, err := porta.Nova(cfg)
	if err != nil {
		return err
	}
	fmt.Fprintf(stdout, "agente ouvindo em http://%s\n", ls[0].Addr())
	if lsGRPC != nil {
		log.Info("gRPC", "addr", lsGRPC[0].Addr().String())
		parar.grpc = porta.EscutarGRPC(ctx, h.ServidorGRPC(), lsGRPC, falhar)
	}
	parar.quando(ctx)
	err = processo.Servir(ctx, ls, h, *limites, log, parar.esperar)
	if causa := context.Cause(ctx); causa != nil && !errors.Is(causa, context.Canceled) {
		err = errors.Join(causa, err)
	}
	return err
}

func fecharTodas(ls []net.Listener) {
	for _, l := range ls {
		_ = l.Close() // a second time where it was served
	}
}

// capacidadesDe are what a card declares.
func capacidadesDe(c perfil.Cartao) porta.Capacidades {
	k := porta.Capacidades{Fluxo: c.Capabilities.Streaming, Avisos: c.Capabilities.PushNotifications}
	for _, e := range c.Capabilities.Extensions { // at most one, which the profile's check knows
		k.Elicitacao, k.Exigida = true, e.Required
	}
	return k
}

// memoria is the value of -tarefas for Tasks that live in this process only.
const memoria = "memoria"

// store is where Tasks live, and with them where to tell of their changes.
type store interface {
	tarefa.Store
	tarefa.Avisos
}

// abrirStore opens where the Tasks live, and says how to close it.
func abrirStore(ctx context.Context, onde, chave string, limite, bytes int, log *slog.Logger) (store, func(), error) {
	if onde == memoria {
		return tarefa.NovaMemoria(limite, bytes), func() {}, nil
	}
	b, err := banco.Abrir(ctx, onde, chave, log)
	if err != nil {
		return nil, nil, err
	}
	return b, func() {
		if err := b.Close(); err != nil {
			log.Error("closing the task store", "err", err)
		}
	}, nil
}

func carregarPerfil(arquivo string) (*perfil.Perfil, error) {
	if arquivo == "" {
		return perfil.Carregar(perfil.Padrao, "embutido")
	}
	raw, err := os.ReadFile(arquivo)
	if err != nil {
		return nil, fmt.Errorf("PERFIL: nao foi possivel ler %q: %w; indique um arquivo de perfil", arquivo, err)
	}
	return perfil.Carregar(raw, arquivo)
}

// hostDe is the host and port that the card shows when none is configured: the
// host as it was given, unless it stands for every address of the machine, and
// the port that was really bound.
func hostDe(addr string, bound net.Addr) string {
	host, _, _ := net.SplitHostPort(addr) // Escutar has accepted it
	if ip := net.ParseIP(host); host == "" || ip != nil && ip.IsUnspecified() {
		host = "localhost"
	}
	_, port, _ := net.SplitHostPort(bound.String())
	return net.JoinHostPort(host, port)
}
