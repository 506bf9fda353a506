import { isMapping } from '../document/mapping.ts';
import type { Graph, Termination } from '../document/workflow.ts';
import type { LocatedValue, ReadContext } from '../elements/read-context.ts';
import { readTermination } from '../elements/termination.ts';
import { section } from './sections.ts';

/**
 * Reads when a call of a boss stops. Its work is one named scope, between how it begins and its two ends, so that a
 * stopped boss still says what it has come to: `stopped` is given the reason and, behind it, the latest round's result.
 * The scope is named as the boss is, so that people can stop that one.
 */
export function readBossTermination(
  context: ReadContext,
  config: LocatedValue,
  { name, graph: { nodes, start, end } }: { readonly name: string; readonly graph: Graph },
): Pick<Graph, 'scopes'> {
  const located = section(config, 'termination');
  refuseExits(context, located);
  const members = nodes.map(({ id }) => id).filter((id) => !start.includes(id) && !end.includes(id));
  const termination = readTermination(context, located, { nodes, members: new Set(members) }) ?? byPeopleAlone;
  const leading = { ...termination, exit_to: ['stopped'], carry_last: 'result' };
  return { scopes: [{ id: name, nodes: members, termination: leading }] };
}

/** No condition is ever met. */
const byPeopleAlone: Termination = { any_of: [], in_flight: 'drain', exit_to: [], carry_last: true };

/** Where a stopped boss goes on is not for the author to say. */
function refuseExits(context: ReadContext, { value, path }: LocatedValue): void {
  if (!isMapping(value)) return;
  for (const key of ['exit_to', 'carry_last', 'message'].filter(
    (one) => value[one] !== undefined && value[one] !== null,
  )) {
    const message = `"${key}" has no meaning for a boss: it always returns what it has come to`;
    context.document.report.add('E_TERM_OPTION', { path: [...path, key], message, hint: 'Remove it.' });
  }
}
