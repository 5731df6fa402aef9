//go:build unix

package hospede

import "syscall"

// fechada reports whether the other side has closed a connection, or reset it, and
// everything that it sent before has been read. It takes nothing from what is
// there, and does not wait.
func fechada(c syscall.RawConn) bool {
	sim := false
	err := c.Control(func(fd uintptr) {
		var b [1]byte
		n, _, err := syscall.Recvfrom(int(fd), b[:], syscall.MSG_PEEK) // Go's sockets do not block
		sim = n == 0 && err == nil || err == syscall.ECONNRESET
	})
	return sim && err == nil
}
