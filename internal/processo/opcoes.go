package processo

import (
	"flag"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"
)

// Opcoes reads a process's configuration: a flag beats the environment, the
// environment beats the default. Errors name the field, the value and what
// would be right.
type Opcoes struct {
	fs     *flag.FlagSet
	getenv func(string) string
	out    io.Writer
	lidas  []*opcao
}

// NovasOpcoes starts the option set of the process called nome. stderr gets
// the help text.
func NovasOpcoes(nome string, getenv func(string) string, stderr io.Writer) *Opcoes {
	fs := flag.NewFlagSet(nome, flag.ContinueOnError)
	fs.SetOutput(io.Discard) // errors are printed once, by Principal
	return &Opcoes{fs: fs, getenv: getenv, out: stderr}
}

// env returns what the environment says for a variable, or the default.
// An empty variable counts as unset.
func (o *Opcoes) env(variavel, padrao string) string {
	if variavel == "" {
		return padrao
	}
	if v := o.getenv(variavel); v != "" {
		return v
	}
	return padrao
}

func ajuda(texto, variavel string) string {
	if variavel == "" {
		return texto
	}
	return texto + " (ou " + variavel + ")"
}

// Texto declares a string option.
func (o *Opcoes) Texto(nome, variavel, padrao, texto string) *string {
	return o.fs.String(nome, o.env(variavel, padrao), ajuda(texto, variavel))
}

// Inteiro declares an integer option of at least minimo.
func (o *Opcoes) Inteiro(nome, variavel string, padrao, minimo int, texto string) *int {
	v := new(int)
	o.inteiroEm(v, nome, variavel, padrao, minimo, texto)
	return v
}

func (o *Opcoes) inteiroEm(v *int, nome, variavel string, padrao, minimo int, texto string) {
	set := func(s string) error {
		var n int
		if _, err := fmt.Sscanf(s+"\n", "%d\n", &n); err != nil || n < minimo {
			return fmt.Errorf("%q nao serve: use um numero inteiro a partir de %d", s, minimo)
		}
		*v = n
		return nil
	}
	o.custom(nome, variavel, fmt.Sprint(padrao), texto, set)
}

// Duracao declares a duration option between minimo and maximo, both included.
func (o *Opcoes) Duracao(nome, variavel string, padrao, minimo, maximo time.Duration, texto string) *time.Duration {
	v := new(time.Duration)
	o.duracaoEm(v, nome, variavel, padrao, minimo, maximo, texto)
	return v
}

func (o *Opcoes) duracaoEm(v *time.Duration, nome, variavel string, padrao, minimo, maximo time.Duration, texto string) {
	set := func(s string) error {
		d, err := time.ParseDuration(s)
		if err != nil || d < minimo || d > maximo {
			return fmt.Errorf("%q nao serve: use uma duracao de %s a %s, por exemplo %s", s, minimo, maximo, padrao)
		}
		*v = d
		return nil
	}
	o.custom(nome, variavel, padrao.String(), texto, set)
}

// Logico declares a switch, off by default: the flag alone turns it on, the
// variable takes true or false.
func (o *Opcoes) Logico(nome, variavel, texto string) *bool {
	v := new(bool)
	o.declarar(nome, variavel, "false", texto, &opcao{variavel: variavel, logica: true, set: func(s string) error {
		b, err := strconv.ParseBool(s)
		if err != nil {
			return fmt.Errorf("%q nao serve: use true ou false", s)
		}
		*v = b
		return nil
	}})
	return v
}

// Lista declares an option of comma-separated values. Empty ones are dropped.
func (o *Opcoes) Lista(nome, variavel, texto string) *[]string {
	v := new([]string)
	set := func(s string) error {
		*v = nil
		for item := range strings.SplitSeq(s, ",") {
			if item = strings.TrimSpace(item); item != "" {
				*v = append(*v, item)
			}
		}
		return nil
	}
	o.custom(nome, variavel, "", texto, set)
	return v
}

// custom declares an option that is read by set: first from the environment
// or the default, then, when given, from the flag.
func (o *Opcoes) custom(nome, variavel, padrao, texto string, set func(string) error) {
	o.declarar(nome, variavel, padrao, texto, &opcao{variavel: variavel, set: set})
}

func (o *Opcoes) declarar(nome, variavel, padrao, texto string, v *opcao) {
	v.err = v.Set(o.env(variavel, padrao))
	o.lidas = append(o.lidas, v)
	o.fs.Var(v, nome, ajuda(texto, variavel))
}

type opcao struct {
	variavel, text string
	set            func(string) error
	logica         bool
	// err is what is wrong with the variable, as long as no flag beats it.
	err error
}

func (v *opcao) String() string { return v.text }

// IsBoolFlag lets package flag take a switch without a value.
func (v *opcao) IsBoolFlag() bool { return v.logica }

func (v *opcao) Set(s string) error {
	v.text, v.err = s, nil
	return v.set(s)
}

// Ler parses args. It returns [flag.ErrHelp] after printing the help, and an
// error for an unknown flag, a bad value or an argument too many.
func (o *Opcoes) Ler(args []string) error {
	switch err := o.fs.Parse(args); {
	case err == flag.ErrHelp:
		o.fs.SetOutput(o.out)
		fmt.Fprintf(o.out, "uso: %s [opcoes]\n", o.fs.Name())
		o.fs.PrintDefaults()
		return err
	case err != nil:
		return fmt.Errorf("opcao invalida: %w (veja -h)", err)
	case o.fs.NArg() > 0:
		return fmt.Errorf("argumento inesperado %q (veja -h)", o.fs.Arg(0))
	}
	for _, v := range o.lidas {
		if v.err != nil {
			return fmt.Errorf("%s: %w", v.variavel, v.err)
		}
	}
	return nil
}
