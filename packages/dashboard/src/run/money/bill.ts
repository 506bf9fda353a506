import type { Run, RunEvent } from '@millrace/client';

/** What calls of models have used. */
export interface Usage {
  readonly calls: number;
  readonly promptTokens: number;
  readonly cachedTokens?: number | undefined;
  readonly completionTokens: number;
  /** Absent: no price is known. */
  readonly microUsd?: number | undefined;
  /** Calls without a known price. */
  readonly unpriced?: number | undefined;
}

/** A graph of a bill with its nodes. */
export interface BillGraph {
  /** Empty for the root graph. */
  readonly key: string;
  readonly usage: Usage;
  readonly nodes: readonly { readonly id: string; readonly usage: Usage }[];
}

/** Returns the usage of nodes by graph, the most expensive first. Nodes are named by their paths. */
export function billOf(usageByNode: Run['usageByNode']): readonly BillGraph[] {
  const graphs = new Map<string, { id: string; usage: Usage }[]>();
  for (const [path, usage] of Object.entries(usageByNode)) {
    const at = path.lastIndexOf('/');
    const key = at < 0 ? '' : path.slice(0, at);
    graphs.set(key, [...(graphs.get(key) ?? []), { id: path.slice(at + 1), usage }]);
  }
  return [...graphs]
    .map(([key, nodes]) => ({ key, nodes: nodes.sort(byCost), usage: sumOf(nodes.map(({ usage }) => usage)) }))
    .sort((one, other) => Number(other.key === '') - Number(one.key === '') || byCost(one, other));
}

const byCost = (one: { readonly usage: Usage }, other: { readonly usage: Usage }): number =>
  (other.usage.microUsd ?? 0) - (one.usage.microUsd ?? 0) || other.usage.promptTokens - one.usage.promptTokens;

/** Returns the sum of usages; without any known price it has none. */
export function sumOf(usages: readonly Usage[]): Usage {
  const sum = (amount: (usage: Usage) => number | undefined): number =>
    usages.reduce((total, usage) => total + (amount(usage) ?? 0), 0);
  const isPriced = usages.some(({ microUsd }) => microUsd !== undefined);
  return {
    calls: sum(({ calls }) => calls),
    promptTokens: sum(({ promptTokens }) => promptTokens),
    cachedTokens: sum(({ cachedTokens }) => cachedTokens),
    completionTokens: sum(({ completionTokens }) => completionTokens),
    unpriced: sum(({ unpriced }) => unpriced),
    ...(isPriced ? { microUsd: sum(({ microUsd }) => microUsd) } : {}),
  };
}

const noUsage: Usage = { calls: 0, promptTokens: 0, completionTokens: 0 };

/** Returns the usage by node, named by its path, that events of calls tell of. */
export function usageOf(events: readonly RunEvent[]): Readonly<Record<string, Usage>> {
  const usages: Record<string, Usage> = {};
  for (const { event } of events) {
    if (event.type !== 'step.completed' || event.usage === undefined) continue;
    const { promptTokens, completionTokens, cachedTokens, microUsd } = event.usage;
    const path = event.graph === '' ? event.nodeId : `${event.graph}/${event.nodeId}`;
    const call: Usage = {
      calls: 1,
      promptTokens,
      completionTokens,
      cachedTokens,
      ...(microUsd === undefined ? { unpriced: 1 } : { microUsd }),
    };
    usages[path] = sumOf([usages[path] ?? noUsage, call]);
  }
  return usages;
}

/** The part of a bill that a fork has not caused itself. */
export interface Inherited {
  /** Id of the run that it was forked from. */
  readonly of: string;
  readonly usage: Usage;
}

/** Returns what the run that a fork continues had used before; undefined for runs that are no forks. */
export function inheritedOf(events: readonly RunEvent[]): Inherited | undefined {
  const at = events.findLastIndex(({ event }) => event.type === 'run.forked');
  const event = events[at]?.event;
  if (event?.type !== 'run.forked') return undefined;
  return { of: event.of, usage: sumOf(Object.values(usageOf(events.slice(0, at)))) };
}

/** Time over which the burn is measured, in milliseconds. */
const burnMs = 5 * 60_000;
/** Shortest time that a burn is told of. */
const shortestMs = 10_000;

/** Returns what a run has spent per minute lately, in tokens and millionths of a US dollar; undefined when it is too early to tell. */
export function burnOf(events: readonly RunEvent[], now: number) {
  const begin = Math.max(events[0]?.at ?? now, now - burnMs);
  if (now - begin < shortestMs) return undefined;
  let [tokens, microUsd] = [0, 0];
  for (let at = events.length - 1; at >= 0; at -= 1) {
    const one = events[at];
    if (one === undefined || one.at < begin) break;
    if (one.event.type !== 'step.completed' || one.event.usage === undefined) continue;
    tokens += one.event.usage.promptTokens + one.event.usage.completionTokens;
    microUsd += one.event.usage.microUsd ?? 0;
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
