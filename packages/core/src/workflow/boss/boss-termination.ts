import { isMapping } from '../document/mapping.ts';
import type { Graph, Termination } from '../document/workflow.ts';
import type { LocatedValue, ReadContext } from '../elements/read-context.ts';
import { readTermination } from '../elements/termination.ts';
import { section } from './sections.ts';

/**
 * Reads the termination of a boss. All nodes between the entry and the two ends of the boss form one named scope, so a
 * boss that is stopped still returns a result: the node `stopped` receives the reason and, after it, the result of the
 * latest round. The scope has the name of the boss, so that people can stop it by that name.
 */
export function readBossTermination(
  context: ReadContext,
  config: LocatedValue,
  { name, graph: { nodes, start, end } }: { readonly name: string; readonly graph: Graph },
): Pick<Graph, 'scopes'> {
  const located = section(config, 'termination');
  rejectExits(context, located);
  const members = nodes.map(({ id }) => id).filter((id) => !start.includes(id) && !end.includes(id));
  const termination = readTermination(context, located, { nodes, members: new Set(members) }) ?? manualTermination;
  const withExit = { ...termination, exit_to: ['stopped'], carry_last: 'result' };
  return { scopes: [{ id: name, nodes: members, termination: withExit }] };
}

/** A termination whose conditions are never satisfied: only people stop the boss. */
const manualTermination: Termination = { any_of: [], in_flight: 'drain', exit_to: [], carry_last: true };

/** Refuses options that say what follows a stopped boss: the reader sets them. */
function rejectExits(context: ReadContext, { value, path }: LocatedValue): void {
  if (!isMapping(value)) return;
  for (const key of ['exit_to', 'carry_last', 'message'].filter(
    (one) => value[one] !== undefined && value[one] !== null,
  )) {
    const message = `"${key}" has no effect on a boss: a stopped boss always returns its latest result`;
    context.document.report.add('E_TERM_OPTION', { path: [...path, key], message, hint: 'Remove it.' });
  }
}
