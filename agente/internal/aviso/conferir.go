package aviso

import (
	"errors"
	"fmt"
	"net/netip"
	"net/url"
	"strconv"
	"strings"

	"hillvalley.example/ponte/agente/internal/tarefa"
)

// Bounds of what a client says in a config, in bytes.
const (
	MaxURL     = 2048
	MaxSegredo = 4096 // each of token, scheme and credentials
)

// ErrURL: the URL is not one that notifications go to.
var ErrURL = errors.New("invalid push notification URL")

// CampoError says which field of a config cannot be, and why. It is [ErrURL]
// when it is the URL.
type CampoError struct {
	// Campo is the field as the protocol spells it (A2A v1.0, 4.3.1): url,
	// token, authentication.scheme, authentication.credentials.
	Campo string
	// Motivo is for the client. It shows nothing of a secret.
	Motivo string
}

// Error returns the reason.
func (e *CampoError) Error() string { return e.Motivo }

// Is makes errors.Is find ErrURL.
func (e *CampoError) Is(err error) bool { return err == ErrURL && e.Campo == "url" }

// Conferir checks what a client says in a config, before it is stored: that the
// URL is one that notifications can go to, and the secrets are such that a header
// can carry them. Unless privados, an address that is not public is refused here
// when the URL spells it; when a name stands for it, at each delivery. The error
// is a [*CampoError].
func Conferir(a tarefa.Aviso, privados bool) error {
	if motivo := conferirURL(a.URL, privados); motivo != "" {
		return &CampoError{"url", motivo}
	}
	switch {
	case !valorDeCabecalho(a.Token):
		return &CampoError{"token", naoCabe}
	case a.Esquema == "" && a.Credenciais != "":
		return &CampoError{"authentication.scheme", "is missing"}
	case a.Esquema != "" && (!simbolo(a.Esquema) || len(a.Esquema) > MaxSegredo):
		return &CampoError{"authentication.scheme", "is not the name of an HTTP authentication scheme"}
	case !valorDeCabecalho(a.Credenciais):
		return &CampoError{"authentication.credentials", naoCabe}
	}
	return nil
}

var naoCabe = fmt.Sprintf("is no header value: at most %d bytes, no control characters, no spaces around it", MaxSegredo)

// conferirURL returns what is wrong with a URL, empty for nothing.
func conferirURL(s string, privados bool) string {
	if len(s) > MaxURL {
		return fmt.Sprintf("is too long: at most %d bytes", MaxURL)
	}
	u, err := url.Parse(s)
	switch {
	case s == "":
		return "is missing"
	case err != nil:
		return "is not a URL"
	case u.Scheme != "http" && u.Scheme != "https":
		return "must be an absolute http or https URL"
	case u.Hostname() == "":
		return "must have a host"
	case u.User != nil:
		return "must not have a user or a password: use authentication"
	case strings.Contains(s, "#"):
		return "must not have a fragment"
	}
	if porta := u.Port(); porta != "" || strings.HasSuffix(u.Host, ":") {
		if n, err := strconv.Atoi(porta); err != nil || n < 1 || n > 65535 {
			return "has no valid port"
		}
	}
	host := strings.ToLower(strings.TrimSuffix(u.Hostname(), "."))
	addr, err := netip.ParseAddr(host)
	ehEndereco := err == nil
	if !ehEndereco && (strings.Contains(host, ":") || acabaEmNumero(host)) {
		return "has a host that is neither a name nor an IP address"
	}
	if privados {
		return ""
	}
	if host == "localhost" || strings.HasSuffix(host, ".localhost") || ehEndereco && !publico(addr) {
		return "must not go to a private or local address"
	}
	return ""
}

// acabaEmNumero reports whether a host's last label is a number: then no name can
// be meant, only an address in one of the spellings that some resolvers take
// (127.1, 0x7f000001).
func acabaEmNumero(host string) bool {
	ultimo := host[strings.LastIndexByte(host, '.')+1:]
	if hex, ok := strings.CutPrefix(ultimo, "0x"); ok {
		return strings.Trim(hex, "0123456789abcdef") == ""
	}
	return strings.Trim(ultimo, "0123456789") == ""
}

// valorDeCabecalho reports whether s can be a header's value and come out of it
// the same (RFC 9110, 5.5). Empty is one.
func valorDeCabecalho(s string) bool {
	return len(s) <= MaxSegredo && s == strings.Trim(s, " \t") &&
		strings.IndexFunc(s, func(r rune) bool { return r < ' ' && r != '\t' || r == 0x7f }) < 0
}

// simbolo reports whether s is a token (RFC 9110, 5.6.2).
func simbolo(s string) bool {
	return s != "" && strings.IndexFunc(s, func(r rune) bool {
		return r <= ' ' || r >= 0x7f || strings.ContainsRune(`()<>@,;:\"/[]?={}`, r)
	}) < 0
}
