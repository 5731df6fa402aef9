package hospede

import (
	"bufio"
	"io"
	"iter"
	"strings"
)

// linhas yields the lines of a stream without their ends: \n, \r\n or \r, as
// server-sent events allow. The last one counts even when nothing ends it.
func linhas(r io.Reader) iter.Seq2[string, error] {
	return func(yield func(string, error) bool) {
		b := bufio.NewReader(r)
		for {
			raw, err := b.ReadString('\n')
			if err != nil && err != io.EOF {
				yield("", err)
				return
			}
			if raw != "" {
				for linha := range strings.SplitSeq(strings.TrimSuffix(strings.TrimSuffix(raw, "\n"), "\r"), "\r") {
					if !yield(linha, nil) {
						return
					}
				}
			}
			if err == io.EOF {
				yield("", nil) // ends an event that was not ended
				return
			}
		}
	}
}
