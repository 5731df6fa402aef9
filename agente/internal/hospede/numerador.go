package hospede

import (
	"crypto/rand"
	"encoding/binary"
	"encoding/json"
	"strconv"
	"sync/atomic"
)

// numerador gives out the JSON-RPC ids of all requests of a host. The SDK
// counts from 1 in every session, and a retry after a reconnection, or after a
// restart of the agent, could have the id of the call that it repeats (MCP
// 2026-07-28, MRTR: it must not).
type numerador struct{ n atomic.Int64 }

// maxID is far below where readers that take numbers for floats lose digits.
const maxID = 1 << 41

// novoNumerador starts at a random number, so that an agent that is started
// again does not count over the same ones.
func novoNumerador() *numerador {
	var b [8]byte
	_, _ = rand.Read(b[:]) // never fails: crypto/rand ends the process first
	n := &numerador{}
	n.n.Store(int64(binary.BigEndian.Uint64(b[:]) % (maxID / 2)))
	return n
}

func (n *numerador) proximo() json.RawMessage {
	return strconv.AppendInt(nil, n.n.Add(1), 10)
}
