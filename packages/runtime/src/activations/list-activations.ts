import type { MessageRef, RunId } from '@millrace/core';
import type { Activation, ActivationState } from './activation-projection.ts';
import { activationOf } from './activation-projection.ts';
import type { ActivationSource } from './activation-source.ts';
import type { MessageHead } from './message-heads.ts';
import { readActivations } from './read-activations.ts';

/** Filter of activations, and the page that is wanted. */
export interface ActivationQuery {
  /** Number of the activation before the first one; 0: from the first. */
  readonly after: number;
  readonly limit: number;
  readonly node?: string;
  /** Key of a graph: empty for the root. */
  readonly graph?: string;
  readonly states?: readonly ActivationState[];
  readonly scope?: string;
  /** Number of characters of the last output of each activation; absent: outputs are not read. */
  readonly headChars?: number;
}

/** A page of activations. */
export interface ActivationPage {
  readonly activations: readonly Activation[];
  /** Number of activations that were read to find these. */
  readonly looked: number;
  /** Number of the activation after which the next page begins; absent when no activations follow at present. */
  readonly next?: number;
}

/** Maximum number of activations that one page reads to find those that match. */
const maxLooked = 2000;
const chunk = 500;

/** Lists activations in the order in which they became ready; undefined when there is no such run. */
export async function listActivations(
  source: ActivationSource,
  run: RunId,
  query: ActivationQuery,
): Promise<ActivationPage | undefined> {
  const page = await findActivations(source, run, query);
  if (page === undefined || query.headChars === undefined) return page;
  const outputs = page.activations.map(({ outputs: all }) => all.at(-1));
  const heads = await headsOf(source, run, { outputs, chars: query.headChars });
  return {
    ...page,
    activations: page.activations.map((activation, at) => {
      const lastOutput = heads[at];
      return lastOutput === undefined ? activation : { ...activation, lastOutput };
    }),
  };
}

/** Returns the beginnings of outputs, in their order; undefined where there is none. */
export async function headsOf(
  { runs }: ActivationSource,
  run: RunId,
  { outputs, chars }: { readonly outputs: readonly (MessageRef | undefined)[]; readonly chars: number },
): Promise<readonly (MessageHead | undefined)[]> {
  const refs = outputs.filter((output) => output !== undefined);
  const heads = new Map((await runs.heads(run, refs, chars)).map((head) => [head.id, head]));
  return outputs.map((output) => output && heads.get(output.id));
}

async function findActivations(
  source: ActivationSource,
  run: RunId,
  query: ActivationQuery,
): Promise<ActivationPage | undefined> {
  const found: Activation[] = [];
  const isFiltered = [query.node, query.graph, query.states, query.scope].some((filter) => filter !== undefined);
  // One more than is wanted shows if more follow.
  const limit = isFiltered ? chunk : query.limit + 1;
  let looked = 0;
  while (looked < maxLooked) {
    const read = await readActivations(source, run, { after: query.after + looked, limit });
    if (read === undefined) return undefined;
    for (const projection of read.projections) {
      if (found.length === query.limit) return { activations: found, looked, next: query.after + looked };
      looked += 1;
      const activation = activationOf(projection, read.now);
      if (matches(activation, query)) found.push(activation);
    }
    if (read.projections.length < limit) return { activations: found, looked };
  }
  return { activations: found, looked, next: query.after + looked };
}

const matches = (activation: Activation, { node, graph, states, scope }: ActivationQuery): boolean =>
  (node === undefined || activation.node === node) &&
  (graph === undefined || activation.graph === graph) &&
  (states === undefined || states.includes(activation.state)) &&
  (scope === undefined || activation.scope === scope);
