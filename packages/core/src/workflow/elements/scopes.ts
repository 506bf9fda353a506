import { omitUndefined } from '../../model/omit-undefined.ts';
import { isMapping, toList } from '../document/mapping.ts';
import type { Path } from '../document/path.ts';
import { didYouMean, quotedList } from '../document/suggest.ts';
import type { NamedScope, Node } from '../document/workflow.ts';
import { NamedScopeSchema } from '../schema/termination-schemas.ts';
import type { LocatedValue, ReadContext } from './read-context.ts';
import { readFields } from './read-context.ts';
import { readTermination } from './termination.ts';

/** Reads the named scopes of a graph. */
export function readScopes(
  context: ReadContext,
  { value, path }: LocatedValue,
  nodes: readonly Node[],
): readonly NamedScope[] {
  const scopes = toList(value).flatMap((entry, index) => {
    const at = Array.isArray(value) ? [...path, index] : path;
    return readScope(context, { value: entry, path: at }, nodes) ?? [];
  });
  const before: LocatedScope[] = [];
  for (const scope of scopes) {
    for (const other of before) checkPair(context, other, scope);
    before.push(scope);
  }
  return scopes.map(({ scope }) => scope);
}

interface LocatedScope {
  readonly scope: NamedScope;
  readonly path: Path;
}

function readScope(context: ReadContext, located: LocatedValue, nodes: readonly Node[]): LocatedScope | undefined {
  const { path } = located;
  const { report } = context.document;
  const written = readFields(context, NamedScopeSchema, located);
  const known = nodes.map(({ id }) => id);
  const members = (written.nodes ?? []).filter((id, index) => {
    if (known.includes(id)) return true;
    const hint = didYouMean(id, known) ?? 'Name nodes of this graph.';
    report.add('E_SCOPE_NODE', { path: [...path, 'nodes', index], message: `Unknown node "${id}"`, hint });
    return false;
  });
  const termination = readTermination(
    context,
    { value: written.termination, path: [...path, 'termination'] },
    { nodes, members: new Set(members) },
  );
  if (written.id === undefined || members.length === 0) return undefined;
  if (!('termination' in written) && written.max_iterations === undefined && isMapping(located.value)) {
    const hint = 'Give it a "termination" or "max_iterations".';
    const message = `The scope "${written.id}" has neither a termination nor a limit of iterations`;
    report.add('W_SCOPE_IDLE', { path, message, hint });
  }
  return {
    path,
    scope: omitUndefined({
      id: written.id,
      nodes: [...new Set(members)],
      termination,
      maxIterations: written.max_iterations,
    }),
  };
}

function checkPair(context: ReadContext, before: LocatedScope, { scope, path }: LocatedScope): void {
  const { report } = context.document;
  if (before.scope.id === scope.id) {
    const message = `There are two scopes with the id "${scope.id}"`;
    report.add('E_SCOPE_DUPLICATE', { path: [...path, 'id'], message, hint: 'Give one of the two another id.' });
  }
  const shared = scope.nodes.filter((id) => before.scope.nodes.includes(id));
  const isNested = shared.length === Math.min(scope.nodes.length, before.scope.nodes.length);
  if (shared.length === 0 || (isNested && scope.nodes.length !== before.scope.nodes.length)) return;
  report.add('E_SCOPE_OVERLAP', {
    path: [...path, 'nodes'],
    message: `The scopes "${before.scope.id}" and "${scope.id}" share ${quotedList(shared)}, but neither contains the other`,
    hint: 'Let one of them contain the other, or keep them apart.',
  });
}

/** Returns the nodes that scopes lead to when they stop, with the nodes that they come from. */
export const exitsOf = (scopes: readonly NamedScope[]): readonly { from: readonly string[]; to: string }[] =>
  scopes.flatMap(({ nodes, termination }) => (termination?.exit_to ?? []).map((to) => ({ from: nodes, to })));
