// Package cofre seals bytes so that nobody without the secret can read or
// change them: AES-256-GCM from the standard library, a key for each use
// derived from the secret by HKDF-SHA-256, several secrets at once for
// rotation. What it seals, and in which text it travels, is its users' matter.
package cofre

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/rand"
	"crypto/sha256"
	"errors"
	"fmt"
	"strings"
)

// MinSegredo is the least number of bytes of a secret.
const MinSegredo = 32

// Remedio tells how to make a secret.
const Remedio = "gere um com: openssl rand -hex 32"

// ErrNaoAbre is all that is said of what does not open: altered, cut, bound to
// something else, or sealed with an unknown secret.
var ErrNaoAbre = errors.New("sealed bytes do not open")

// Cofre holds the keys of one use: the first seals, all of them open. It is
// safe for concurrent use.
type Cofre struct{ chaves []cipher.AEAD }

// Novo derives keys from secrets separated by commas. uso names what the keys
// are for: the same secret gives other keys for another use (RFC 5869, 3.2).
// variavel names, in errors, where the secrets came from; no error shows one.
func Novo(segredos, uso, variavel string) (*Cofre, error) {
	if strings.TrimSpace(segredos) == "" {
		return nil, fmt.Errorf("%s ausente: defina um segredo de pelo menos %d bytes; %s", variavel, MinSegredo, Remedio)
	}
	c := &Cofre{}
	for i, s := range strings.Split(segredos, ",") {
		s = strings.TrimSpace(s)
		if len(s) < MinSegredo {
			return nil, fmt.Errorf("%s: o segredo %d tem %d bytes e precisa de pelo menos %d; %s", variavel, i+1, len(s), MinSegredo, Remedio)
		}
		key, err := hkdf.Key(sha256.New, []byte(s), nil, uso, 32)
		if err != nil {
			return nil, err
		}
		block, err := aes.NewCipher(key)
		if err != nil {
			return nil, err
		}
		aead, err := cipher.NewGCM(block)
		if err != nil {
			return nil, err
		}
		c.chaves = append(c.chaves, aead)
	}
	return c, nil
}

// Selar seals plain with the first key, under a fresh random nonce. vinculo is
// authenticated with it: the bytes open only beside the same vinculo.
func (c *Cofre) Selar(plain, vinculo []byte) []byte {
	aead := c.chaves[0]
	sealed := make([]byte, aead.NonceSize(), aead.NonceSize()+len(plain)+aead.Overhead())
	_, _ = rand.Read(sealed) // never fails: crypto/rand ends the process first
	return aead.Seal(sealed, sealed, plain, vinculo)
}

// Abrir opens what Selar sealed. The error is [ErrNaoAbre].
func (c *Cofre) Abrir(sealed, vinculo []byte) ([]byte, error) {
	for _, aead := range c.chaves {
		if len(sealed) < aead.NonceSize()+aead.Overhead() {
			break
		}
		n := aead.NonceSize()
		if plain, err := aead.Open(nil, sealed[:n], sealed[n:], vinculo); err == nil {
			return plain, nil
		}
	}
	return nil, ErrNaoAbre
}
