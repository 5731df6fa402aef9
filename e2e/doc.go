// Package e2e tests the two processes as what they are: real binaries on real
// ports, spoken to over plain HTTP with raw JSON, and ended with the signals
// that an operating system sends, SIGKILL among them.
//
// It imports nothing of either process and none of their SDKs: what it knows
// of the two protocols is written out here, so that a mistake which both sides
// of the code share cannot hide. The tests run in parallel, each on processes
// of its own. Nothing waits by the clock: whoever waits polls for what it
// expects, or holds an answer back at the border between the two processes
// until the moment that it wants to test.
package e2e
