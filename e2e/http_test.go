package e2e

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"
)

// httpClient makes a connection for each request: nothing of one exchange can
// help or hinder the next.
var httpClient = &http.Client{
	Timeout:       30 * time.Second,
	Transport:     &http.Transport{DisableKeepAlives: true},
	CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
}

// answer is one HTTP response, read whole.
type answer struct {
	status int
	header http.Header
	body   []byte
}

// exchange sends one request. The header "Host" sets the Host of the request.
func exchange(ctx context.Context, method, url string, header map[string]string, body []byte) (answer, error) {
	req, err := http.NewRequestWithContext(ctx, method, url, bytes.NewReader(body))
	if err != nil {
		return answer{}, err
	}
	for name, value := range header {
		req.Header.Set(name, value)
	}
	if host := header["Host"]; host != "" {
		req.Host = host
	}
	res, err := httpClient.Do(req)
	if err != nil {
		return answer{}, err
	}
	defer func() { _ = res.Body.Close() }()
	read, err := io.ReadAll(res.Body)
	return answer{res.StatusCode, res.Header, read}, err
}

// mustExchange is [exchange] for a request that must be answered.
func mustExchange(t testing.TB, method, url string, header map[string]string, body []byte) answer {
	t.Helper()
	a, err := exchange(t.Context(), method, url, header, body)
	if err != nil {
		t.Fatalf("%s %s: expected an answer, got: %v", method, url, err)
	}
	return a
}

// rpcError is the error member of a JSON-RPC response.
type rpcError struct {
	Code    int             `json:"code"`
	Message string          `json:"message"`
	Data    json.RawMessage `json:"data"`
}

// response is a JSON-RPC response. Exactly one of Result and Error is there.
type response struct {
	Version string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id"`
	Result  json.RawMessage `json:"result"`
	Error   *rpcError       `json:"error"`
}

// rpc reads the answer as what every answer to a body must be: JSON, and a
// whole JSON-RPC response.
func (a answer) rpc() (response, error) {
	var r response
	if ct := a.header.Get("Content-Type"); ct != "application/json" {
		return r, fmt.Errorf("expected Content-Type application/json, got %q with HTTP %d and body %.200q", ct, a.status, a.body)
	}
	if err := json.Unmarshal(a.body, &r); err != nil {
		return r, fmt.Errorf("expected a JSON-RPC response, got HTTP %d with body %.200q: %v", a.status, a.body, err)
	}
	if r.Version != "2.0" || r.ID == nil || (r.Result == nil) == (r.Error == nil) {
		return r, fmt.Errorf("expected jsonrpc 2.0, an id, and one of result and error, got: %.300s", a.body)
	}
	return r, nil
}

// result reads the answer as a success into v.
func (a answer) result(v any) error {
	r, err := a.rpc()
	if err != nil {
		return err
	}
	if r.Error != nil || a.status != http.StatusOK {
		return fmt.Errorf("expected a result with HTTP 200, got HTTP %d: %s", a.status, a.body)
	}
	return json.Unmarshal(r.Result, v)
}

// wantError checks that an answer is a JSON-RPC error of one of the codes, and
// returns it.
func wantError(t testing.TB, a answer, status int, codes ...int) *rpcError {
	t.Helper()
	r, err := a.rpc()
	if err != nil {
		t.Fatal(err)
	}
	if r.Error == nil {
		t.Fatalf("expected error %v with HTTP %d, got HTTP %d: %s", codes, status, a.status, a.body)
	}
	for _, code := range codes {
		if r.Error.Code == code && a.status == status {
			return r.Error
		}
	}
	t.Fatalf("expected error %v with HTTP %d, got HTTP %d: %s", codes, status, a.status, a.body)
	return nil
}

// together runs f n times at once and returns what each brought, in order.
func together[T any](n int, f func(i int) (T, error)) ([]T, error) {
	out := make([]T, n)
	errs := make([]error, n)
	begin := make(chan struct{})
	var wg sync.WaitGroup
	for i := range n {
		wg.Go(func() {
			<-begin
			out[i], errs[i] = f(i)
		})
	}
	close(begin)
	wg.Wait()
	return out, errors.Join(errs...)
}

// newTrace makes a trace-id and the traceparent that carries it.
func newTrace() (id, traceparent string) {
	raw := make([]byte, 24)
	_, _ = rand.Read(raw) // never fails
	raw[0], raw[16] = 0x5a, 0x5a
	id = hex.EncodeToString(raw[:16])
	return id, strings.Join([]string{"00", id, hex.EncodeToString(raw[16:]), "01"}, "-")
}
