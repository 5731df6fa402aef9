//go:build unix

package bancodeteste

import (
	"fmt"
	"os"
	"os/exec"
	"os/user"
	"strconv"
	"syscall"
)

// servo is the unprivileged user that the server runs as, since it refuses to
// run as root: postgres, or else nobody. The second result is false when this
// process is not root: then the server runs as it does.
func servo() (uid, gid int, ok bool, err error) {
	if os.Getuid() != 0 {
		return 0, 0, false, nil
	}
	for _, nome := range []string{"postgres", "nobody"} {
		u, err := user.Lookup(nome)
		if err != nil {
			continue
		}
		uid, errU := strconv.Atoi(u.Uid)
		gid, errG := strconv.Atoi(u.Gid)
		if errU == nil && errG == nil && uid != 0 {
			return uid, gid, true, nil
		}
	}
	return 0, 0, false, fmt.Errorf("neither user postgres nor nobody exists, and PostgreSQL does not run as root")
}

// entregar gives a folder to the server's user.
func entregar(pasta string) error {
	uid, gid, ok, err := servo()
	if err != nil || !ok {
		return err
	}
	return os.Chown(pasta, uid, gid)
}

// semPrivilegios makes cmd run as the server's user.
func semPrivilegios(cmd *exec.Cmd) {
	if uid, gid, ok, _ := servo(); ok {
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}}
	}
}
