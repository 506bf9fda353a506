import type { RunId } from '@millrace/core';
import { omitUndefined } from '@millrace/core';
import { digestOf } from '../blobs/digest.ts';
import type { Activation, ActivationState } from './activation-projection.ts';
import { activationOf } from './activation-projection.ts';
import type { ActivationSource } from './activation-source.ts';
import { headsOf } from './list-activations.ts';
import type { ActivationRange } from './read-activations.ts';
import { readActivations } from './read-activations.ts';

/** Node of a timeline: its graph by key, and its id. */
export interface TimelineNode {
  readonly graph: string;
  readonly node: string;
}

/** One activation of a timeline. */
export interface TimelineEntry
  extends Pick<Activation, 'id' | 'state' | 'readyAt' | 'startedAt' | 'settledAt' | 'unit' | 'iteration' | 'usage'> {
  /** Index of its node. */
  readonly node: number;
  readonly state: ActivationState;
  /** First characters of its last output, if they are wanted. */
  readonly head?: string;
  /** Digest of its outputs, if digests are wanted; absent without outputs. */
  readonly digest?: string;
}

/** Activations of a run without their calls and messages. */
export interface Timeline {
  readonly nodes: readonly TimelineNode[];
  readonly entries: readonly TimelineEntry[];
  /** More activations follow. */
  readonly hasMore: boolean;
}

/** Part of a timeline. */
export interface TimelineRange extends ActivationRange {
  /** Number of characters of the last output of each activation; absent: outputs are not read. */
  readonly headChars?: number;
  /** Computes the digest of the outputs of each activation, for which they are read. */
  readonly withDigests?: boolean;
}

/** Reads a timeline of activations in the order in which they became ready; undefined when there is no such run. */
export async function readTimeline(
  source: ActivationSource,
  run: RunId,
  { after, limit, headChars, withDigests }: TimelineRange,
): Promise<Timeline | undefined> {
  // One more than is wanted shows if more follow.
  const read = await readActivations(source, run, { after, limit: limit + 1 });
  if (read === undefined) return undefined;
  const nodes: TimelineNode[] = [];
  const indices = new Map<string, number>();
  const indexOf = ({ graph, node }: TimelineNode): number => {
    const place = `${graph.length} ${graph}${node}`;
    const known = indices.get(place);
    if (known !== undefined) return known;
    indices.set(place, nodes.length);
    return nodes.push({ graph, node }) - 1;
  };
  const activations = read.projections.slice(0, limit).map((projection) => activationOf(projection, read.now));
  const outputs = activations.map(({ outputs: all }) => all.at(-1));
  const heads = headChars === undefined ? [] : await headsOf(source, run, { outputs, chars: headChars });
  const digests = withDigests ? await digestsOf(source, run, activations) : [];
  const entries = activations.map(({ graph, node, ...activation }, at): TimelineEntry => {
    const texts = omitUndefined({ head: heads[at]?.text, digest: digests[at] });
    return { ...activation, node: indexOf({ graph, node }), ...texts };
  });
  return { nodes, entries, hasMore: read.projections.length > limit };
}

/** Returns one digest for all outputs of each activation, the same for equal outputs of all runs; undefined without outputs. */
async function digestsOf(
  { runs }: ActivationSource,
  run: RunId,
  activations: readonly Pick<Activation, 'outputs'>[],
): Promise<readonly (string | undefined)[]> {
  const refs = activations.flatMap(({ outputs }) => outputs);
  const digests = new Map((await runs.heads(run, refs, 0)).map(({ id, digest }) => [id, digest]));
  return activations.map(({ outputs }) => {
    const [first, ...others] = outputs.map(({ id }) => digests.get(id) ?? '');
    return others.length === 0 ? first : digestOf(Buffer.from([first, ...others].join('\n')));
  });
}
