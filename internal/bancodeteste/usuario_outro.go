//go:build !unix

package bancodeteste

import "os/exec"

// entregar and semPrivilegios have nothing to do: the server's programs give
// up their privileges themselves.
func entregar(string) error { return nil }

func semPrivilegios(*exec.Cmd) {}
