package banco

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
)

// origem is the value of TAREFAS, for errors.
type origem struct{ url string }

// erro is a line for the user about this database.
func (o origem) erro(format string, args ...any) error {
	return fmt.Errorf("TAREFAS %q: "+format, append([]any{semSenha(o.url)}, args...)...)
}

// naoAbrem says that n sealed things of a kind do not open, and what would open them.
// genero is o or a, as the kind's noun wants it.
func (o origem) naoAbrem(n int, nome, genero string, temChave bool) error {
	if !temChave {
		return o.erro("guarda %d %s cifrad%s(s) e %s nao foi definida: defina-a com a chave que %ss cifrou", n, nome, genero, variavelChave, genero)
	}
	return o.erro("guarda %d %s que %s nao abre: acrescente a ela a chave que %ss cifrou, depois da nova e separada por virgula", n, nome, variavelChave, genero)
}

func (o origem) desconhecida() error {
	return fmt.Errorf("TAREFAS invalido %q: use memoria, sqlite:CAMINHO ou postgres://usuario:senha@host:5432/banco", semSenha(o.url))
}

// falha turns an error of an open database's into a line for the user.
func (o origem) falha(m motor, err error) error {
	var novo *esquemaNovoError
	if errors.As(err, &novo) {
		return o.erro("o esquema do banco e da versao %d e este agente conhece ate a %d; atualize o agente", novo.versao, novo.conhecida)
	}
	return o.erro("%s", m.explicar(err))
}

var (
	prefixoDeURL = regexp.MustCompile(`^[A-Za-z0-9+.-]*:(//)?`)
	// senhaComNome is a password as a parameter, of a URL or of libpq's other
	// notation; a name with an escape in it may be anything.
	senhaComNome = regexp.MustCompile(`(?i)((?:password|passwd|senha|[?&][^=&]*%[^=&]*)\s*=\s*)(?:'[^']*'|[^&\s]*)`)
)

// semSenha returns a database's URL without what may be a password in it. Of a
// malformed one it takes away too much rather than too little: all between the
// first colon and the last at sign.
func semSenha(url string) string {
	if strings.HasPrefix(url, "sqlite:") {
		return url
	}
	prefixo := prefixoDeURL.FindString(url)
	resto := url[len(prefixo):]
	if i := strings.LastIndexByte(resto, '@'); i >= 0 {
		usuario, _, temSenha := strings.Cut(resto[:i], ":")
		switch {
		case !strings.HasSuffix(prefixo, "//"):
			resto = "***" + resto[i:]
		case temSenha:
			resto = usuario + ":***" + resto[i:]
		}
	}
	return senhaComNome.ReplaceAllString(prefixo+resto, "$1***")
}

// umaLinha makes one line of an error of a driver's.
func umaLinha(err error) string { return strings.Join(strings.Fields(err.Error()), " ") }
