//go:build race

package e2e

// raceEnabled: the processes are built with the race detector too, and a race
// that it reports on their stderr fails the test.
const raceEnabled = true
