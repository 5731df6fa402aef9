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
	"github.com/a2aproject/a2a-go/v2/a2asrv"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/keepalive"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"

	"hillvalley.example/ponte/internal/processo"
	"hillvalley.example/ponte/internal/rastro"
)

// chamadasPorConexao bounds the calls at a time on one gRPC connection.
const chamadasPorConexao = 100

// ServidorGRPC makes the server of the gRPC binding (A2A v1.0, 10): the SDK's
// service over the same request handler, behind the checks of the other bindings
// but for Origin and Host: no web page makes a browser speak gRPC. It speaks
// without TLS, as the HTTP front does.
func (p *Porta) ServidorGRPC() *grpc.Server {
	s := grpc.NewServer(
		grpc.MaxRecvMsgSize(p.Limites.Corpo),
		grpc.MaxHeaderListSize(uint32(p.Limites.Cabecalho)),
		grpc.MaxConcurrentStreams(chamadasPorConexao),
		grpc.ConnectionTimeout(p.Limites.Leitura),
		grpc.KeepaliveParams(keepalive.ServerParameters{MaxConnectionIdle: p.Limites.Ociosa, Time: processo.Batida, Timeout: p.Limites.Escrita}),
		grpc.KeepaliveEnforcementPolicy(keepalive.EnforcementPolicy{MinTime: 5 * time.Second, PermitWithoutStream: true}),
		grpc.UnaryInterceptor(func(ctx context.Context, req any, info *grpc.UnaryServerInfo, h grpc.UnaryHandler) (res any, err error) {
			err = p.registrarGRPC(ctx, info.FullMethod, func(ctx context.Context) error {
				ctx, desocupar, err := p.admitirGRPC(ctx, req)
				defer desocupar()
				if err == nil {
					res, err = h(ctx, req)
				}
				return err
			})
			return res, err
		}),
		grpc.StreamInterceptor(func(srv any, ss grpc.ServerStream, info *grpc.StreamServerInfo, h grpc.StreamHandler) error {
			return p.registrarGRPC(ss.Context(), info.FullMethod, func(ctx context.Context) error {
				c := &correnteGRPC{ServerStream: ss, ctx: ctx, porta: p, desocupar: func() {}}
				defer func() { c.desocupar() }()
				return h(srv, c)
			})
		}),
	)
	a2agrpc.NewHandler(p.atendente).RegisterWith(s)
	return s
}

// registrarGRPC serves a call, and writes its log line.
func (p *Porta) registrarGRPC(ctx context.Context, method string, servir func(context.Context) error) error {
	start := time.Now()
	reg := &registro{method: method[strings.LastIndexByte(method, '/')+1:], outcome: "ok", binario: true}
	ctx = comRegistro(ctx, reg)
	md, _ := metadata.FromIncomingContext(ctx)
	if t, ok := lerRastro(md.Get("traceparent"), md.Get("tracestate"), md.Get("baggage")); ok {
		reg.traceparent = t.Traceparent()
		ctx = rastro.ComContexto(ctx, t)
	}
	reg.elicitacao = p.Capacidades.Elicitacao && requisitada(md.Get(a2a.SvcParamExtensions), URIElicitacao)

	var err error
	if e := conferirVersao(md.Get(a2a.SvcParamVersion)); e != nil {
		err = e
	} else if err = operacoes[reg.method].falta(p.Capacidades); err == nil {
		err = func() (err error) {
			defer p.salvar(ctx, &err)
			return servir(ctx)
		}()
	}
	err = emGRPC(ctx, err)
	switch {
	case ctx.Err() != nil:
		reg.outcome = desfechoCancelado
	case status.Code(err) == codes.Aborted: // the service's word for a send that failed
		reg.outcome = errNaoLe.Error()
	case err != nil && reg.outcome == "ok": // what the SDK's service could not send
		reg.outcome = "error " + status.Code(err).String()
	}
	reg.status = int(status.Code(err))
	p.anotar(ctx, reg, start)
	return err
}

// admitirGRPC gives a call a place, now that its message is there, and checks the
// message. The place is given back by desocupar, which is never nil.
func (p *Porta) admitirGRPC(ctx context.Context, req any) (comVaga context.Context, desocupar func(), err error) {
	ctx, desocupar, ok := p.vagas.Ocupar(ctx)
	if !ok {
		return ctx, desocupar, novoErro(errOcupado, ocupado)
	}
	return ctx, desocupar, p.conferirMensagemGRPC(req)
}

// emGRPC spells an error of a call: ours are what they are, and those that the
// SDK's service makes by itself, of parameters that it could not translate, get
// the details of ours.
func emGRPC(ctx context.Context, err error) error {
	_, doGRPC := status.FromError(err)
	var nosso *erro
	switch {
	case err == nil:
		return nil
	case errors.As(err, &nosso), !doGRPC:
		return recusar(ctx, err)
	case status.Code(err) == codes.InvalidArgument:
		return recusar(ctx, invalido([]violacao{{"request", limitar(status.Convert(err).Message())}}))
	}
	return err
}

// correnteGRPC is a call with a stream of answers, in our context.
type correnteGRPC struct {
	grpc.ServerStream
	ctx       context.Context
	porta     *Porta
	desocupar func()
}

func (c *correnteGRPC) Context() context.Context { return c.ctx }

// RecvMsg reads the one message of the call, within the time that a request may
// take to arrive, and admits the call: before that it has no place.
func (c *correnteGRPC) RecvMsg(m any) error {
	if err := ateFim(c.porta.Limites.Leitura, func() error { return c.ServerStream.RecvMsg(m) }, errNaoChega); err != nil {
		return err
	}
	var err error
	c.ctx, c.desocupar, err = c.porta.admitirGRPC(c.ctx, m)
	return err
}

// SendMsg sends one event. A caller that does not read is dropped.
func (c *correnteGRPC) SendMsg(m any) error {
	return ateFim(c.porta.Limites.Escrita, func() error { return c.ServerStream.SendMsg(m) }, errNaoLeGRPC)
}

var (
	errNaoChega  = status.Error(codes.DeadlineExceeded, "the message did not arrive in time")
	errNaoLeGRPC = status.Error(codes.Aborted, "the stream is not read")
)

// ateFim gives f the time d; past it the result is tarde. f then ends with its call,
// which whoever gets tarde ends.
func ateFim(d time.Duration, f func() error, tarde error) error {
	feito := make(chan error, 1)
	go func() { feito <- f() }()
	prazo := time.NewTimer(d)
	defer prazo.Stop()
	select {
	case err := <-feito:
		return err
	case <-prazo.C:
		return tarde
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
