//go:build !unix

package dupla

import "os/exec"

// separar does nothing where there are no process groups.
func separar(*exec.Cmd) {}
