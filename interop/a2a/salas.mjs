// Requests to the rooms' agent. Each takes a day of its own, so that checks do
// not stand in each other's way.
let dia = Date.parse('2027-01-01');

export function outroDia() {
  const d = new Date((dia += 24 * 3600 * 1000)).toISOString().slice(0, 10);
  return { inicio: `${d}T14:00:00-03:00`, fim: `${d}T15:00:00-03:00` };
}

export const reservar = ({ inicio, fim }, sala = 'sala-garagem', responsavel = 'Emmett Brown') =>
  `reservar sala=${sala} inicio=${inicio} fim=${fim} responsavel=${responsavel}`;

// The artifact's members, in their order.
export const campos = ['reserva', 'sala', 'inicio', 'fim', 'responsavel', 'politica'];

export const alternativas = 'alternativas: sala-fusca, sala-mirante';

export const extensao = 'https://hillvalley.example/a2a/ext/elicitation/v1';
