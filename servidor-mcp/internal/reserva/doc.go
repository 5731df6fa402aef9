// Package reserva is the domain of the MCP server: rooms, their agenda, the
// use policy and the refusals that follow from them. It is pure. It reads no
// file, writes no log, speaks no protocol and asks the host for nothing but
// the clock that says when a used key may be forgotten; no result depends on
// the host's time zone, on its locale or on the order of a map.
//
// # Glossary
//
//	sala          a meeting room: id, name, capacity, resources
//	recurso       what stands in a room: tv, quadro, camera
//	capacidade    how many people a room seats
//	periodo       a half-open interval of time, [inicio, fim)
//	inicio, fim   the two ends of a periodo, instants with an offset
//	responsavel   the person in whose name a room is booked
//	pedido        a wish to book: sala, periodo and responsavel, not yet granted
//	reserva       a pedido that was granted, with the id it received
//	agenda        all salas with all their reservas, and the politica
//	politica      the use policy: its version, its text, and the limits it sets
//	janela        the hours of one day within which the politica allows use
//	conflito      a reserva that overlaps a periodo in the same sala
//	alternativa   another sala, free in the periodo and at least as large
//	recusa        an answer of the domain that says no, worded for the user
//	chave         the identity of a choice that may book once, and only once
//	validade      the moment after which a chave may be forgotten
//
// The functions and types carry these words; everything that is mechanism
// and not domain is named in English.
package reserva
