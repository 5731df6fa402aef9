//go:build unix

package dupla

import (
	"os/exec"
	"syscall"
)

// separar puts the process into a group of its own: what is typed at the
// terminal does not reach it.
func separar(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }
