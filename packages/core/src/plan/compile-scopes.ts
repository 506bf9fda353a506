import type { Vocabulary } from '../definitions/define.ts';
import { omitUndefined } from '../model/omit-undefined.ts';
import type { Graph } from '../workflow/document/workflow.ts';
import type { PlanEdge, PlanScope } from './plan.ts';
import { compileTermination } from './termination.ts';

/** Returns the named scopes of a graph, inner ones before outer ones. */
export function planScopes(
  graph: Graph,
  { vocabulary, indexOf }: { readonly vocabulary: Vocabulary; readonly indexOf: (id: string) => number },
): readonly PlanScope[] {
  const scopes = [...(graph.scopes ?? [])].sort((a, b) => a.nodes.length - b.nodes.length);
  return scopes.map(({ id, nodes, termination, maxIterations }) => {
    const compiled = compileTermination([termination], { vocabulary, indexOf });
    return {
      id,
      members: new Set(nodes.map(indexOf)),
      ...omitUndefined({ termination: compiled }),
      ...(maxIterations === undefined ? {} : { maxIterations: maxIterations === 'unlimited' ? null : maxIterations }),
    };
  });
}

/**
 * Returns edges from every node of a scope to the nodes that come after it has stopped. The edges hold those nodes back
 * until the scope is settled, and trigger them.
 */
export function exitEdges(scopes: readonly PlanScope[], first: number): readonly PlanEdge[] {
  const pairs = scopes.flatMap(({ members, termination }) =>
    (termination?.exitTo ?? []).flatMap((to) => [...members].map((from) => ({ from, to }))),
  );
  const unique = new Map(pairs.map((pair) => [`${pair.from} ${pair.to}`, pair]));
  return [...unique.values()].map(
    ({ from, to }, at): PlanEdge => ({
      index: first + at,
      from,
      to,
      trigger: true,
      condition: null,
      carryData: true,
      keepMessage: false,
      clearContext: false,
      clearKeptContext: false,
      processor: null,
      dynamic: false,
      onError: false,
      exit: true,
    }),
  );
}
