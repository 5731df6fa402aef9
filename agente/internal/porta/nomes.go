package porta

import (
	"encoding/json"
	"fmt"
	"strings"
)

// emJSON is how JSON names the fields whose names have an underscore in the
// protocol buffers. A reader of ProtoJSON takes both.
var emJSON = map[string]string{
	"accepted_output_modes":         "acceptedOutputModes",
	"context_id":                    "contextId",
	"history_length":                "historyLength",
	"include_artifacts":             "includeArtifacts",
	"media_type":                    "mediaType",
	"message_id":                    "messageId",
	"page_size":                     "pageSize",
	"page_token":                    "pageToken",
	"reference_task_ids":            "referenceTaskIds",
	"return_immediately":            "returnImmediately",
	"status_timestamp_after":        "statusTimestampAfter",
	"task_id":                       "taskId",
	"task_push_notification_config": "taskPushNotificationConfig",
}

// livres are the fields that hold whatever their writer wants: the names in
// them are not the protocol's.
var livres = map[string]bool{"metadata": true, "data": true}

// emCamelCase spells the names of fields as JSON does, and changes no byte of
// anything else. A field that stands twice, in whatever spelling or case, is an
// error: two readers could disagree on which counts. raw must be valid JSON. It is
// read once, from one end to the other.
func emCamelCase(raw json.RawMessage) (json.RawMessage, error) {
	l := leitorDeNomes{raw: raw}
	if err := l.valor(false); err != nil {
		return nil, err
	}
	if l.saida == nil {
		return raw, nil
	}
	return append(l.saida, raw[l.copiado:]...), nil
}

type leitorDeNomes struct {
	raw json.RawMessage
	pos int
	// saida is what is written so far, up to copiado; nil as long as nothing had to
	// be changed.
	saida   []byte
	copiado int
}

// espaco passes over white space, and over a comma or a colon between values.
func (l *leitorDeNomes) espaco() {
	for l.pos < len(l.raw) && strings.IndexByte(" \t\r\n,:", l.raw[l.pos]) >= 0 {
		l.pos++
	}
}

// texto passes over a string and returns it with its quotes.
func (l *leitorDeNomes) texto() []byte {
	inicio := l.pos
	for l.pos++; l.raw[l.pos] != '"'; l.pos++ {
		if l.raw[l.pos] == '\\' {
			l.pos++
		}
	}
	l.pos++
	return l.raw[inicio:l.pos]
}

// valor reads a value. In one that is livre no name is the protocol's.
func (l *leitorDeNomes) valor(livre bool) error {
	l.espaco()
	switch l.raw[l.pos] {
	case '{':
		return l.objeto(livre)
	case '[':
		for l.pos++; ; {
			if l.espaco(); l.raw[l.pos] == ']' {
				l.pos++
				return nil
			}
			if err := l.valor(livre); err != nil {
				return err
			}
		}
	case '"':
		l.texto()
	default: // a number, true, false, null
		for l.pos < len(l.raw) && strings.IndexByte(" \t\r\n,:]}", l.raw[l.pos]) < 0 {
			l.pos++
		}
	}
	return nil
}

func (l *leitorDeNomes) objeto(livre bool) error {
	var vistos map[string]bool
	for l.pos++; ; {
		if l.espaco(); l.raw[l.pos] == '}' {
			l.pos++
			return nil
		}
		inicio := l.pos
		nome, err := nomeDe(l.texto())
		if err != nil {
			return err
		}
		if !livre {
			if j, ok := emJSON[nome]; ok {
				l.trocar(inicio, j)
				nome = j
			}
			chave := strings.ToLower(nome) // the decoder takes names in any case
			if vistos[chave] {
				return fmt.Errorf("member %q stands twice", nome)
			}
			if vistos == nil {
				vistos = make(map[string]bool, 8)
			}
			vistos[chave] = true
		}
		if err := l.valor(livre || livres[nome]); err != nil {
			return err
		}
	}
}

// nomeDe is the name that a string with its quotes spells.
func nomeDe(texto []byte) (string, error) {
	if nome := string(texto[1 : len(texto)-1]); !strings.Contains(nome, `\`) {
		return nome, nil
	}
	var nome string
	err := json.Unmarshal(texto, &nome)
	return nome, err
}

// trocar puts another name in the place of the one between inicio and pos.
func (l *leitorDeNomes) trocar(inicio int, nome string) {
	l.saida = append(l.saida, l.raw[l.copiado:inicio]...)
	l.saida = append(l.saida, '"')
	l.saida = append(l.saida, nome...)
	l.saida = append(l.saida, '"')
	l.copiado = l.pos
}
