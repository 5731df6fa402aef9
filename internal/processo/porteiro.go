package processo

import (
	"fmt"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
)

// Porteiro refuses requests that a web page could have made a browser send
// (DNS rebinding, cross-site requests): an Origin that is not on the list, and,
// on a loopback connection, a Host that is neither loopback nor the configured
// public one. Both get 403. MCP 2026-07-28, Streamable HTTP, "Security &
// Endpoint".
type Porteiro struct {
	// Origens are the allowed values of the Origin header, exactly as browsers
	// send them ("https://app.example"). None by default: programs send no
	// Origin.
	Origens []string
	// HostPublico is the host (with port, if any) of the public URL when the
	// process stands behind a proxy on the same machine. Empty for none.
	HostPublico string
}

// NovoPorteiro checks the configured origins and the public base URL (either
// may be empty).
func NovoPorteiro(origens []string, urlPublica string) (Porteiro, error) {
	p := Porteiro{Origens: origens}
	for _, o := range origens {
		u, err := url.Parse(o)
		if err != nil || u.Scheme == "" || u.Host == "" || strings.TrimSuffix(o, "/") != u.Scheme+"://"+u.Host || strings.HasSuffix(o, "/") {
			return Porteiro{}, fmt.Errorf("origem invalida %q: use esquema://host, sem barra no fim, por exemplo https://app.example", o)
		}
	}
	if urlPublica != "" {
		u, err := url.Parse(urlPublica)
		if err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.Host == "" || u.RawQuery != "" || u.Fragment != "" || u.User != nil {
			return Porteiro{}, fmt.Errorf("url publica invalida %q: use uma url http ou https completa, por exemplo https://agentes.example/salas", urlPublica)
		}
		p.HostPublico = u.Host
	}
	return p, nil
}

// Admitir reports whether a request may pass, and why not. When an allowed
// Origin is present it sets the CORS headers that the browser needs on w.
func (p Porteiro) Admitir(w http.ResponseWriter, r *http.Request) error {
	if local, ok := r.Context().Value(http.LocalAddrContextKey).(net.Addr); ok && daqui(local) {
		if !isLoopback(r.Host) && (p.HostPublico == "" || !strings.EqualFold(r.Host, p.HostPublico)) {
			return fmt.Errorf("host %q not allowed", r.Host)
		}
	}
	origins := r.Header.Values("Origin")
	if len(origins) == 0 {
		return nil
	}
	if len(origins) != 1 || !slices.Contains(p.Origens, origins[0]) {
		return fmt.Errorf("origin %q not allowed", strings.Join(origins, ", "))
	}
	h := w.Header()
	h.Set("Access-Control-Allow-Origin", origins[0])
	h.Add("Vary", "Origin")
	return nil
}

// Previo answers a CORS preflight that [Porteiro.Admitir] let pass. It reports
// false when r is none.
func Previo(w http.ResponseWriter, r *http.Request) bool {
	if r.Method != http.MethodOptions || r.Header.Get("Origin") == "" || r.Header.Get("Access-Control-Request-Method") == "" {
		return false
	}
	h := w.Header()
	h.Set("Access-Control-Allow-Methods", "GET, HEAD, POST, DELETE")
	if asked := r.Header.Get("Access-Control-Request-Headers"); asked != "" {
		h.Set("Access-Control-Allow-Headers", asked)
	}
	h.Set("Access-Control-Max-Age", "600")
	w.WriteHeader(http.StatusNoContent)
	return true
}

// daqui reports whether a connection that arrived at this address came from this
// machine.
func daqui(local net.Addr) bool {
	if tcp, ok := local.(*net.TCPAddr); ok {
		return tcp.IP.IsLoopback()
	}
	return isLoopback(local.String())
}

// isLoopback reports whether a host, with or without port, is this machine's
// own: localhost, 127.0.0.0/8 or ::1.
func isLoopback(hostport string) bool {
	host := hostport
	if h, _, err := net.SplitHostPort(hostport); err == nil {
		host = h
	}
	host = strings.TrimSuffix(strings.Trim(host, "[]"), ".")
	if strings.EqualFold(host, "localhost") {
		return true
	}
	ip := net.ParseIP(host)
	return ip != nil && ip.IsLoopback()
}
