import { isMapping, listOf } from '../document/mapping.ts';
import type { Path } from '../document/path.ts';
import { didYouMean, quotedList } from '../document/suggest.ts';
import type { NamedScope, Node } from '../document/workflow.ts';
import { WrittenScope } from '../schema/termination-schemas.ts';
import type { Placed, Reading } from './read-context.ts';
import { readFields } from './read-context.ts';
import { readTermination } from './termination.ts';

/** Reads the named scopes of a graph. */
export function readScopes(reading: Reading, { value, path }: Placed, nodes: readonly Node[]): readonly NamedScope[] {
  const scopes = listOf(value).flatMap((entry, index) => {
    const at = Array.isArray(value) ? [...path, index] : path;
    return readScope(reading, { value: entry, path: at }, nodes) ?? [];
  });
  const before: Located[] = [];
  for (const scope of scopes) {
    for (const other of before) checkPair(reading, other, scope);
    before.push(scope);
  }
  return scopes.map(({ scope }) => scope);
}

interface Located {
  readonly scope: NamedScope;
  readonly path: Path;
}

function readScope(reading: Reading, placed: Placed, nodes: readonly Node[]): Located | undefined {
  const { path } = placed;
  const { report } = reading.document;
  const written = readFields(reading, WrittenScope, placed);
  const known = nodes.map(({ id }) => id);
  const members = (written.nodes ?? []).filter((id, index) => {
    if (known.includes(id)) return true;
    const hint = didYouMean(id, known) ?? 'Name nodes of this graph.';
    report.add('E_SCOPE_NODE', { path: [...path, 'nodes', index], message: `Unknown node "${id}"`, hint });
    return false;
  });
  const termination = readTermination(
    reading,
    { value: written.termination, path: [...path, 'termination'] },
    { nodes, members: new Set(members) },
  );
  if (written.id === undefined || members.length === 0) return undefined;
  if (!('termination' in written) && written.max_iterations === undefined && isMapping(placed.value)) {
    const hint = 'Give it a "termination" or "max_iterations".';
    report.add('W_SCOPE_IDLE', { path, message: `The scope "${written.id}" says nothing about its nodes`, hint });
  }
  return {
    path,
    scope: {
      id: written.id,
      nodes: [...new Set(members)],
      ...(termination === undefined ? {} : { termination }),
      ...(written.max_iterations === undefined ? {} : { maxIterations: written.max_iterations }),
    },
  };
}

function checkPair(reading: Reading, before: Located, { scope, path }: Located): void {
  const { report } = reading.document;
  if (before.scope.id === scope.id) {
    const message = `There are two scopes with the id "${scope.id}"`;
    report.add('E_SCOPE_DUPLICATE', { path: [...path, 'id'], message, hint: 'Give one of the two another id.' });
  }
  const shared = scope.nodes.filter((id) => before.scope.nodes.includes(id));
  const nests = shared.length === Math.min(scope.nodes.length, before.scope.nodes.length);
  if (shared.length === 0 || (nests && scope.nodes.length !== before.scope.nodes.length)) return;
  report.add('E_SCOPE_OVERLAP', {
    path: [...path, 'nodes'],
    message: `The scopes "${before.scope.id}" and "${scope.id}" share ${quotedList(shared)}, but neither contains the other`,
    hint: 'Let one of them contain the other, or keep them apart.',
  });
}

/** Ids of the nodes to which scopes lead when they stop, with the nodes that they come from. */
export const exitsOf = (scopes: readonly NamedScope[]): readonly { from: readonly string[]; to: string }[] =>
  scopes.flatMap(({ nodes, termination }) => (termination?.exit_to ?? []).map((to) => ({ from: nodes, to })));
