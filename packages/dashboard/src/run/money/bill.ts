import type { ModelUsage, Run, RunEvent, RunGraphs } from '@millrace/client';
import { addUsage, noModelUsage, tokensOf } from '@millrace/core/usage';

/** A graph of a bill with its nodes. */
export interface BillGraph {
  /** Empty for the root graph. */
  readonly key: string;
  readonly usage: ModelUsage;
  readonly nodes: readonly { readonly id: string; readonly usage: ModelUsage }[];
}

/** Returns the usage of nodes by graph, the most expensive first. Nodes are named by their paths. */
export function billOf(usageByNode: Readonly<Record<string, ModelUsage>>): readonly BillGraph[] {
  const graphs = new Map<string, { id: string; usage: ModelUsage }[]>();
  for (const [path, usage] of Object.entries(usageByNode)) {
    const at = path.lastIndexOf('/');
    const key = at < 0 ? '' : path.slice(0, at);
    graphs.set(key, [...(graphs.get(key) ?? []), { id: path.slice(at + 1), usage }]);
  }
  return [...graphs]
    .map(([key, nodes]) => ({ key, nodes: nodes.sort(byCost), usage: sumOf(nodes.map(({ usage }) => usage)) }))
    .sort((one, other) => Number(other.key === '') - Number(one.key === '') || byCost(one, other));
}

const byCost = (one: { readonly usage: ModelUsage }, other: { readonly usage: ModelUsage }): number =>
  (other.usage.microUsd ?? 0) - (one.usage.microUsd ?? 0) || other.usage.promptTokens - one.usage.promptTokens;

/** Returns the sum of usages; without any known price it has none. */
export const sumOf = (usages: readonly ModelUsage[]): ModelUsage =>
  usages.reduce<ModelUsage>((total, usage) => addUsage(total, usage), noModelUsage);

/** Returns the usage of the nodes of graphs from the server, by the paths of the nodes. */
export const usageOfGraphs = ({ graphs }: RunGraphs): Readonly<Record<string, ModelUsage>> =>
  Object.fromEntries(
    graphs.flatMap(({ key, nodes }) =>
      nodes.flatMap(({ id, usage }) => (usage === undefined ? [] : [[key === '' ? id : `${key}/${id}`, usage]])),
    ),
  );

/** Time over which the burn is measured, in milliseconds. */
const burnMs = 5 * 60_000;
/** Minimum duration for which a burn rate is shown. */
const shortestMs = 10_000;

/** The calls of the last minutes of a run, newest first, and the time since which they are complete. */
export interface LastCalls {
  readonly calls: readonly RunEvent[];
  /** Milliseconds since 1970. */
  readonly since: number;
}

/** Returns the recent spending of a run per minute, in tokens and millionths of a US dollar; undefined when it is too early to compute. */
export function burnOf({ calls, since }: LastCalls, now: number) {
  const begin = Math.max(since, now - burnMs);
  if (now - begin < shortestMs) return undefined;
  let [tokens, microUsd] = [0, 0];
  for (const { at, event } of calls) {
    if (at < begin) break;
    if (event.type !== 'step.completed' || event.usage === undefined) continue;
    tokens += tokensOf(event.usage);
    microUsd += event.usage.microUsd ?? 0;
  }
  const minutes = (now - begin) / 60_000;
  return { tokens: tokens / minutes, microUsd: microUsd / minutes };
}

/** Returns the time after which a budget ends at a rate, in milliseconds; undefined when it does not. */
export function timeLeft(
  { limit, spent }: NonNullable<Run['budget']>,
  burn: { readonly tokens: number; readonly microUsd: number },
): number | undefined {
  const left = (unit: 'tokens' | 'microUsd'): number => {
    const most = limit[unit];
    return most === undefined || burn[unit] <= 0 ? Number.POSITIVE_INFINITY : (most - spent[unit]) / burn[unit];
  };
  const minutes = Math.min(left('tokens'), left('microUsd'));
  return Number.isFinite(minutes) ? Math.max(0, minutes * 60_000) : undefined;
}
