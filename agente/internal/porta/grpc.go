package porta

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strings"
	"time"

	"github.com/a2aproject/a2a-go/v2/a2a"
	a2agrpc "github.com/a2aproject/a2a-go/v2/a2agrpc/v1"
	a2apb "github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"github.com/a2aproject/a2a-go/v2/a2asrv"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/keepalive"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"

	"hillvalley.example/ponte/internal/processo"
	"hillvalley.example/ponte/internal/rastro"
)

// fluxosPorConexao bounds the calls at a time on one gRPC connection.
const fluxosPorConexao = 100

// ServidorGRPC makes the server of the gRPC binding (A2A v1.0, 10): the SDK's
// service over the same request handler, behind the same checks as the other
// bindings. It speaks without TLS, as the HTTP front does.
func (p *Porta) ServidorGRPC() *grpc.Server {
	s := grpc.NewServer(
		grpc.MaxRecvMsgSize(p.Limites.Corpo),
		grpc.MaxHeaderListSize(uint32(p.Limites.Cabecalho)),
		grpc.MaxConcurrentStreams(fluxosPorConexao),
		grpc.ConnectionTimeout(p.Limites.Leitura),
		grpc.KeepaliveParams(keepalive.ServerParameters{MaxConnectionIdle: p.Limites.Ociosa, Time: processo.Batida, Timeout: p.Limites.Escrita}),
		grpc.KeepaliveEnforcementPolicy(keepalive.EnforcementPolicy{MinTime: 5 * time.Second, PermitWithoutStream: true}),
		grpc.UnaryInterceptor(func(ctx context.Context, req any, info *grpc.UnaryServerInfo, h grpc.UnaryHandler) (res any, err error) {
			err = p.registrarGRPC(ctx, info.FullMethod, req, func(ctx context.Context) error {
				res, err = h(ctx, req)
				return err
			})
			return res, err
		}),
		grpc.StreamInterceptor(func(srv any, ss grpc.ServerStream, info *grpc.StreamServerInfo, h grpc.StreamHandler) error {
			// The message is not there yet: its checks follow when it is read.
			return p.registrarGRPC(ss.Context(), info.FullMethod, nil, func(ctx context.Context) error {
				return h(srv, &correnteGRPC{ss, ctx, p})
			})
		}),
	)
	a2agrpc.NewHandler(p.atendente).RegisterWith(s)
	return s
}

// registrarGRPC serves a call within the limits, and writes its log line.
func (p *Porta) registrarGRPC(ctx context.Context, method string, req any, servir func(context.Context) error) (err error) {
	start := time.Now()
	reg := &registro{method: method[strings.LastIndexByte(method, '/')+1:], outcome: "ok", binario: true}
	ctx = comRegistro(ctx, reg)
	md, _ := metadata.FromIncomingContext(ctx)
	if t, ok := lerRastro(md.Get("traceparent"), md.Get("tracestate"), md.Get("baggage")); ok {
		reg.traceparent = t.Traceparent()
		ctx = rastro.ComContexto(ctx, t)
	}
	reg.elicitacao = p.Capacidades.Elicitacao && requisitada(md.Get(a2a.SvcParamExtensions), URIElicitacao)

	ctx, desocupar, ok := p.vagas.Ocupar(ctx)
	defer desocupar()
	if !ok {
		err = recusar(ctx, novoErro(errOcupado, ocupado))
	} else if e := conferirVersao(md.Get(a2a.SvcParamVersion)); e != nil {
		err = recusar(ctx, e)
	} else if err = p.conferirMensagemGRPC(req); err != nil {
		err = recusar(ctx, err)
	} else {
		err = func() (err error) {
			defer p.salvar(ctx, &err)
			return servir(ctx)
		}()
	}
	if ctx.Err() != nil {
		reg.outcome = desfechoCancelado
	}
	err = emGRPC(ctx, err)
	reg.status = int(status.Code(err))
	if err != nil && reg.outcome == "ok" { // what the SDK's service could not send
		reg.outcome = "error " + status.Code(err).String()
	}
	p.anotar(ctx, reg, start)
	return err
}

// emGRPC gives the errors that the SDK's service makes by itself the details of
// ours: parameters that it could not translate.
func emGRPC(ctx context.Context, err error) error {
	var nosso *erro
	switch {
	case err == nil || errors.As(err, &nosso):
		return err
	case status.Code(err) == codes.InvalidArgument:
		return recusar(ctx, invalido([]violacao{{"request", limitar(status.Convert(err).Message())}}))
	}
	return err
}

// conferirMensagemGRPC applies to a message the bound that the other bindings
// have.
func (p *Porta) conferirMensagemGRPC(req any) error {
	if m, ok := req.(*a2apb.SendMessageRequest); ok {
		return p.conferirTamanho(proto.Size(m))
	}
	return nil
}

// correnteGRPC is a call with a stream of answers, in our context.
type correnteGRPC struct {
	grpc.ServerStream
	ctx   context.Context
	porta *Porta
}

func (c *correnteGRPC) Context() context.Context { return c.ctx }

// RecvMsg reads the one message of the call and checks it.
func (c *correnteGRPC) RecvMsg(m any) error {
	if err := c.ServerStream.RecvMsg(m); err != nil {
		return err
	}
	if err := c.porta.conferirMensagemGRPC(m); err != nil {
		return recusar(c.ctx, err)
	}
	return nil
}

// SendMsg sends one event. A caller that does not read is dropped: the call ends,
// which also ends the write that waits for it.
func (c *correnteGRPC) SendMsg(m any) error {
	feito := make(chan error, 1)
	go func() { feito <- c.ServerStream.SendMsg(m) }()
	prazo := time.NewTimer(c.porta.Limites.Escrita)
	defer prazo.Stop()
	select {
	case err := <-feito:
		return err
	case <-prazo.C:
		return status.Error(codes.Aborted, "the stream is not read")
	}
}

// EscutarGRPC serves until ctx ends, then waits for calls in flight, at most
// [processo.Drenagem]. terminou is closed when nothing is served any more.
func EscutarGRPC(ctx context.Context, s *grpc.Server, ls []net.Listener, falhou func(error)) (terminou <-chan struct{}) {
	for _, l := range ls {
		go func() {
			if err := s.Serve(l); err != nil {
				falhou(fmt.Errorf("gRPC: %w", err))
			}
		}()
	}
	fim := make(chan struct{})
	go func() {
		defer close(fim)
		<-ctx.Done()
		forcar := time.AfterFunc(processo.Drenagem, s.Stop)
		defer forcar.Stop()
		s.GracefulStop()
	}()
	return fim
}

// ativar tells the SDK that the extension is active, for the trailer that says
// so. Other bindings have a header.
func ativar(ctx context.Context) {
	if call, ok := a2asrv.CallContextFrom(ctx); ok {
		call.Extensions().Activate(&a2a.AgentExtension{URI: URIElicitacao})
	}
}
