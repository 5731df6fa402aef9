package main

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"flag"
	"fmt"
)

// variavelSegredo is where the MCP server looks for the key of its seal.
const variavelSegredo = "REQUEST_STATE_SECRET"

// segredo prints a fresh secret and nothing else, so that a shell can take it:
// export REQUEST_STATE_SECRET=$(go run ./ponte segredo).
func segredo(_ context.Context, amb ambiente, args []string) error {
	if err := lerOpcoes(flag.NewFlagSet("segredo", flag.ContinueOnError), args, amb.stdout); err != nil {
		return err
	}
	_, err := fmt.Fprintln(amb.stdout, novoSegredo())
	return err
}

// novoSegredo is 32 random bytes in hexadecimal.
func novoSegredo() string {
	b := make([]byte, 32)
	_, _ = rand.Read(b) // never fails: crypto/rand ends the process first
	return hex.EncodeToString(b)
}
