package main

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"net/url"
	"strings"
)

// Checks 21 to 23: the Agent Card.

// cartaoValido demands what v1.0 requires of every card.
func cartaoValido(ctx context.Context, e *execucao) error {
	c, err := e.a2a.cartao(ctx)
	if err != nil {
		return err
	}
	for _, chave := range []string{"name", "description", "version"} {
		if _, err := c.texto(chave); err != nil {
			return err
		}
	}
	if _, err := c.objeto("capabilities"); err != nil {
		return err
	}
	for _, chave := range []string{"defaultInputModes", "defaultOutputModes"} {
		modos, err := c.textos(chave)
		if err != nil {
			return err
		}
		if len(modos) == 0 {
			return fmt.Errorf("%s: lista vazia", chave)
		}
	}
	if err := itensCom(c, "supportedInterfaces", "url", "protocolBinding", "protocolVersion"); err != nil {
		return err
	}
	return itensCom(c, "skills", "id", "name", "description")
}

// itensCom demands a list of at least one object, each with the given texts.
func itensCom(o objeto, chave string, campos ...string) error {
	itens, err := o.objetos(chave)
	if err != nil {
		return err
	}
	if len(itens) == 0 {
		return fmt.Errorf("%s: lista vazia", chave)
	}
	for i, item := range itens {
		for _, campo := range campos {
			if _, err := item.texto(campo); err != nil {
				return fmt.Errorf("%s[%d]: %w", chave, i, err)
			}
		}
	}
	return nil
}

func cartaoInterface(ctx context.Context, e *execucao) error {
	c, err := e.a2a.cartao(ctx)
	if err != nil {
		return err
	}
	interfaces, err := c.objetos("supportedInterfaces")
	if err != nil {
		return err
	}
	motivo := errors.New("nenhuma interface com protocolBinding JSONRPC")
	for _, i := range interfaces {
		if b, _ := i.texto("protocolBinding"); b != "JSONRPC" {
			continue
		}
		if motivo = e.a2a.interfaceValida(i); motivo == nil {
			return nil
		}
	}
	return motivo
}

// interfaceValida checks version and URL. The host may differ from the one the
// validator was given, as it does behind a proxy; but it must be one that a
// stranger can connect to, and the path must be the endpoint's.
func (c *clienteA2A) interfaceValida(i objeto) error {
	if v, err := i.texto("protocolVersion"); err != nil || v != "1.0" {
		return fmt.Errorf("esperada a protocolVersion 1.0, veio %s", trecho(i["protocolVersion"]))
	}
	bruta, err := i.texto("url")
	if err != nil {
		return err
	}
	u, err := url.Parse(bruta)
	if err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.Hostname() == "" {
		return fmt.Errorf("esperada uma URL http ou https absoluta, veio %q", bruta)
	}
	if ip, err := netip.ParseAddr(u.Hostname()); err == nil && ip.IsUnspecified() {
		return fmt.Errorf("a url %q nao e um endereco a que se possa conectar", bruta)
	}
	if !strings.HasSuffix(strings.TrimRight(u.Path, "/"), strings.TrimRight(c.caminho, "/")) {
		return fmt.Errorf("esperada a URL do endpoint %s, veio %q", c.caminho, bruta)
	}
	return nil
}

func cartaoSkill(ctx context.Context, e *execucao) error {
	c, err := e.a2a.cartao(ctx)
	if err != nil {
		return err
	}
	skills, err := c.objetos("skills")
	if err != nil {
		return err
	}
	for _, s := range skills {
		if id, _ := s.texto("id"); id != "reservar-sala" {
			continue
		}
		for _, chave := range []string{"name", "description"} {
			if _, err := s.texto(chave); err != nil {
				return fmt.Errorf("skill reservar-sala: %w", err)
			}
		}
		tags, err := s.textos("tags")
		if err != nil {
			return fmt.Errorf("skill reservar-sala: %w", err)
		}
		if len(tags) == 0 {
			return errors.New("skill reservar-sala: tags vazias")
		}
		return nil
	}
	return errors.New("nenhuma skill com id reservar-sala")
}
