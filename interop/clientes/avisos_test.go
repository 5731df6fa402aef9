package clientes

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/a2aproject/a2a-go/v2/a2a"
)

func avisos(ctx context.Context, t *testing.T, c *cliente) {
	type aviso struct {
		cabecalhos http.Header
		corpo      []byte
	}
	recebidos := make(chan aviso, 100)
	webhook := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		corpo, _ := io.ReadAll(r.Body)
		recebidos <- aviso{r.Header, corpo}
	}))
	defer webhook.Close()

	p := c.pausa(ctx, t, outroDia())
	feito, err := c.CreateTaskPushConfig(ctx, &a2a.PushConfig{
		TaskID: p.ID, URL: webhook.URL, Token: "senha-do-webhook",
		Auth: &a2a.PushAuthInfo{Scheme: "Bearer", Credentials: "credencial-do-webhook"},
	})
	if err != nil {
		t.Fatal(err)
	}
	if feito.ID == "" || feito.TaskID != p.ID || feito.URL != webhook.URL {
		t.Errorf("created %+v", feito)
	}
	lido, err := c.GetTaskPushConfig(ctx, &a2a.GetTaskPushConfigRequest{TaskID: p.ID, ID: feito.ID})
	if err != nil || lido.URL != webhook.URL {
		t.Errorf("read back %+v, %v", lido, err)
	}
	todos, err := c.ListTaskPushConfigs(ctx, &a2a.ListTaskPushConfigRequest{TaskID: p.ID})
	if err != nil || len(todos) != 1 || todos[0].ID != feito.ID {
		t.Errorf("listed %+v, %v", todos, err)
	}

	c.enviar(ctx, t, pedido("escolha=sala-mirante", p))
	for {
		select {
		case a := <-recebidos:
			if segredo.Match(a.corpo) {
				t.Errorf("the webhook is told %s", a.corpo)
			}
			if a.cabecalhos.Get("Authorization") != "Bearer credencial-do-webhook" || a.cabecalhos.Get("X-A2A-Notification-Token") != "senha-do-webhook" {
				t.Errorf("headers %v", a.cabecalhos)
			}
			var r a2a.StreamResponse
			if err := json.Unmarshal(a.corpo, &r); err != nil {
				t.Fatalf("%v in %s", err, a.corpo)
			}
			if r.TaskInfo().TaskID != p.ID {
				t.Errorf("told of Task %s, want %s", r.TaskInfo().TaskID, p.ID)
			}
			if !strings.HasSuffix(resumo(r.Event), string(a2a.TaskStateCompleted)) {
				continue
			}
		case <-ctx.Done():
			t.Fatal("the webhook was not told of the end")
		}
		break
	}

	if err := c.DeleteTaskPushConfig(ctx, &a2a.DeleteTaskPushConfigRequest{TaskID: p.ID, ID: feito.ID}); err != nil {
		t.Errorf("delete: %v", err)
	}
	if todos, err = c.ListTaskPushConfigs(ctx, &a2a.ListTaskPushConfigRequest{TaskID: p.ID}); err != nil || len(todos) != 0 {
		t.Errorf("listed after delete: %+v, %v", todos, err)
	}
}
