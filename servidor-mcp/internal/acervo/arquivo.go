package acervo

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"unicode/utf8"
)

// lerArquivo reads one file of the folder, whole, and sees that it is text in
// UTF-8. A byte order mark is refused and not removed: the policy is served
// byte for byte, and its readers expect the version at its very beginning.
func lerArquivo(fsys fs.FS, nome string) ([]byte, error) {
	dados, err := fs.ReadFile(fsys, nome)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, noArquivo(nome, &comCausa{causa: fs.ErrNotExist, mensagem: fmt.Sprintf(
			"arquivo nao encontrado; a pasta precisa de %s, %s e %s", arquivoSalas, arquivoReservas, arquivoPolitica)})
	}
	if err != nil {
		// The path is already in our text; what remains is the reason.
		if caminho, ok := errors.AsType[*fs.PathError](err); ok {
			err = caminho.Err
		}
		return nil, noArquivo(nome, fmt.Errorf("nao foi possivel ler (%w); confira se e um arquivo e as permissoes", err))
	}
	if err := conferirTexto(dados); err != nil {
		return nil, noArquivo(nome, err)
	}
	return dados, nil
}

func conferirTexto(dados []byte) error {
	if len(bytes.TrimSpace(dados)) == 0 {
		return errors.New("arquivo vazio; restaure o conteudo")
	}
	if bytes.HasPrefix(dados, []byte("\xef\xbb\xbf")) {
		return errors.New("comeca com a marca BOM; salve em UTF-8 sem BOM")
	}
	for i := 0; i < len(dados); {
		r, n := utf8.DecodeRune(dados[i:])
		if r == utf8.RuneError && n == 1 {
			return fmt.Errorf("%s: o byte 0x%02x nao e UTF-8; salve em UTF-8", lugar(dados, i), dados[i])
		}
		i += n
	}
	return nil
}

// lugar gives the line and the column of the byte at indice, both from 1; a
// column is a character.
func lugar(dados []byte, indice int) string {
	antes := dados[:min(indice, len(dados))]
	inicio := bytes.LastIndexByte(antes, '\n') + 1
	return fmt.Sprintf("linha %d, coluna %d",
		bytes.Count(antes, []byte("\n"))+1, utf8.RuneCount(antes[inicio:])+1)
}

// comCausa is an error with a text of its own that still is its cause.
type comCausa struct {
	causa    error
	mensagem string
}

func (e *comCausa) Error() string { return e.mensagem }
func (e *comCausa) Unwrap() error { return e.causa }
