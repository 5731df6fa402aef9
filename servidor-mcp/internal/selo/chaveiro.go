// Package selo seals the requestState: what the server needs to take up a
// request again travels through the caller's hands, readable and changeable
// by nobody, and comes back in a new request (MCP 2026-07-28, Multi Round-Trip
// Requests, "Server Requirements").
//
// A sealed state is "v1." and the unpadded base64url of a 12-byte nonce and
// the AES-256-GCM ciphertext. The key comes from the secret by HKDF-SHA-256;
// the additional data bind the version, the method and the tool, so that a
// state presented to another tool does not open.
package selo

import (
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"hillvalley.example/ponte/internal/cofre"
)

// MaxSelado bounds the text that [Chaveiro.Abrir] looks at, in bytes. A state
// of ours is far shorter.
const MaxSelado = 64 << 10

const (
	versao = "v1."
	metodo = "tools/call"
	// info separates this use of the secret from any other (RFC 5869, 3.2).
	info = "hillvalley.example/ponte requestState v1 aes-256-gcm"
)

// ErrInvalido is the only thing that the outside learns of a state that does
// not open: altered, cut, of another version or tool, sealed with an unknown
// secret, or expired.
var ErrInvalido = errors.New("requestState invalid or expired")

// Chaveiro seals and opens states. It is safe for concurrent use.
type Chaveiro struct{ cofre *cofre.Cofre }

// NovoChaveiro reads secrets separated by commas, as REQUEST_STATE_SECRET
// gives them: the first seals, all of them open. To rotate, put the new secret
// first and keep the old one until the last state sealed with it has expired.
//
// The error says what is missing and how to make a secret. It never shows one.
func NovoChaveiro(segredos string) (*Chaveiro, error) {
	c, err := cofre.Novo(segredos, info, "REQUEST_STATE_SECRET")
	if err != nil {
		return nil, err
	}
	return &Chaveiro{c}, nil
}

// Estado is what travels sealed. It holds what rebuilds the request, and
// nothing that the user did not say or see.
type Estado struct {
	// Ferramenta is the tool that asked. The state opens for no other one.
	Ferramenta string `json:"f"`
	// Argumentos are the arguments of the first call, as they were sent.
	Argumentos json.RawMessage `json:"a"`
	// Ofertas are the values offered, in order.
	Ofertas []string `json:"o"`
	// Emissao and Validade are Unix times in milliseconds.
	Emissao  int64 `json:"i"`
	Validade int64 `json:"v"`
	// ID is this state's own; Raiz is the ID of the first state of the same
	// request, shared by the states that ask again. What a request may do only
	// once is counted by Raiz.
	ID   string `json:"n"`
	Raiz string `json:"r"`
}

// Expira returns the moment after which the state does not open any more.
func (e Estado) Expira() time.Time { return time.UnixMilli(e.Validade) }

// Novo makes the first state of a request, valid for ttl from agora.
func Novo(ferramenta string, argumentos json.RawMessage, ofertas []string, agora time.Time, ttl time.Duration) Estado {
	id := rand.Text()
	return Estado{
		Ferramenta: ferramenta,
		Argumentos: argumentos,
		Ofertas:    ofertas,
		Emissao:    agora.UnixMilli(),
		Validade:   agora.Add(ttl).UnixMilli(),
		ID:         id,
		Raiz:       id,
	}
}

// DeNovo makes the state that asks again, with fresh offers and a fresh
// validity, for the same request.
func (e Estado) DeNovo(ofertas []string, agora time.Time, ttl time.Duration) Estado {
	n := Novo(e.Ferramenta, e.Argumentos, ofertas, agora, ttl)
	n.Raiz = e.Raiz
	return n
}

var base64Estrito = base64.RawURLEncoding.Strict()

func aad(ferramenta string) []byte {
	return []byte(versao + "\x00" + metodo + "\x00" + ferramenta)
}

// Selar seals a state with the first key.
func (c *Chaveiro) Selar(e Estado) (string, error) {
	plain, err := json.Marshal(e)
	if err != nil {
		return "", fmt.Errorf("encoding requestState: %w", err)
	}
	selado := c.cofre.Selar(plain, aad(e.Ferramenta))
	texto := make([]byte, 0, len(versao)+base64.RawURLEncoding.EncodedLen(len(selado)))
	return string(base64.RawURLEncoding.AppendEncode(append(texto, versao...), selado)), nil
}

// Abrir opens a state for a tool. Any failure is [ErrInvalido].
func (c *Chaveiro) Abrir(texto, ferramenta string, agora time.Time) (Estado, error) {
	body, ok := strings.CutPrefix(texto, versao)
	if !ok || len(texto) > MaxSelado {
		return Estado{}, ErrInvalido
	}
	raw, err := base64Estrito.DecodeString(body)
	// The decoder skips line breaks; one state has exactly one spelling.
	if err != nil || strings.ContainsAny(body, "\r\n") {
		return Estado{}, ErrInvalido
	}
	plain, err := c.cofre.Abrir(raw, aad(ferramenta))
	if err != nil {
		return Estado{}, ErrInvalido
	}
	var e Estado
	if json.Unmarshal(plain, &e) != nil || e.Ferramenta != ferramenta || !agora.Before(e.Expira()) {
		return Estado{}, ErrInvalido
	}
	return e, nil
}
