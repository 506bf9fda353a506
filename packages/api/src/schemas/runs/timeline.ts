import type { Timeline as KnownTimeline } from '@millrace/runtime';
import { z } from 'zod';
import { ActivationId } from './activation.ts';

/** Query for a timeline. */
export const TimelineQuery = z.object({
  after: ActivationId.optional().describe('The activation before the first one; absent: from the first.'),
  limit: z.coerce
    .number<number | string>()
    .int()
    .min(1)
    .max(10_000)
    .default(10_000)
    .describe('Maximum number of activations of a page, up to 10,000; with heads or digests, up to 2,000.'),
  heads: z.enum(['true', 'false']).default('false').describe('Adds the first 40 characters of the last outputs.'),
  digests: z.enum(['true', 'false']).default('false').describe('Adds the digests of the outputs.'),
});

const states = ['ready', 'working', 'waiting', 'opened', 'completed', 'failed', 'dropped'] as const;
const column = z.array(z.int());

/** Activations of a run in columns. */
export const Timeline = z
  .object({
    firstAt: z.number().describe('Time of the first activation of the page, in milliseconds since 1970.'),
    nodes: z
      .array(z.object({ graph: z.string(), node: z.string() }))
      .describe('The nodes of the page: `graph` is empty for the root graph.'),
    states: z.array(z.enum(states)).describe('The states that activations have.'),
    id: column.describe('Numbers of the activations: 7 stands for `a7`.'),
    node: column.describe('Indices of `nodes`.'),
    state: column.describe('Indices of `states`.'),
    ready: column.describe('Milliseconds after `firstAt`.'),
    started: column.describe('Milliseconds after the activation was ready; -1: no worker has announced it.'),
    settled: column.describe('Milliseconds after the activation was ready; -1: it has not settled.'),
    unit: column.describe('Numbers of the units of fan-outs, from 0; -1: none. Empty when no activation has one.'),
    iteration: column.describe('Iterations of loops, from 1; -1: none. Empty when no activation has one.'),
    microUsd: column.describe('Millionths of a US dollar. Empty when nothing has cost anything.'),
    head: z.array(z.string()).describe('First characters of the last outputs. Empty without `heads=true`.'),
    digest: z
      .array(z.string())
      .describe(
        'Beginnings of the SHA-256 of all outputs of an activation, the same for equal outputs of all runs; empty text: no output. Empty without `digests=true`.',
      ),
    nextCursor: ActivationId.nullable().describe('`after` of the next page; null when there are no more at present.'),
  })
  .meta({ id: 'Timeline' });

/** A timeline as the API shows it. */
export function timelineOf({ nodes, entries, hasMore }: KnownTimeline): z.infer<typeof Timeline> {
  const firstAt = entries[0]?.readyAt ?? 0;
  const since = (at: number | undefined, start: number): number => (at === undefined ? -1 : at - start);
  const columnOf = (read: (entry: KnownTimeline['entries'][number]) => number): number[] => entries.map(read);
  return {
    firstAt,
    nodes: [...nodes],
    states: [...states],
    id: columnOf(({ id }) => Number(id.slice(1))),
    node: columnOf(({ node }) => node),
    state: columnOf(({ state }) => states.indexOf(state)),
    ready: columnOf(({ readyAt }) => readyAt - firstAt),
    started: columnOf(({ startedAt, readyAt }) => since(startedAt, readyAt)),
    settled: columnOf(({ settledAt, readyAt }) => since(settledAt, readyAt)),
    unit: unlessEmpty(
      columnOf(({ unit = -1 }) => unit),
      -1,
    ),
    iteration: unlessEmpty(
      columnOf(({ iteration = -1 }) => iteration),
      -1,
    ),
    microUsd: unlessEmpty(
      columnOf(({ usage }) => usage?.microUsd ?? 0),
      0,
    ),
    head: entries.some(({ head }) => head !== undefined) ? entries.map(({ head = '' }) => head) : [],
    digest: entries.some(({ digest }) => digest !== undefined)
      ? entries.map(({ digest = '' }) => digest.slice(0, digestLength))
      : [],
    nextCursor: hasMore ? (entries.at(-1)?.id ?? null) : null,
  };
}

/** Characters of a digest: enough to tell the outputs of two runs apart. */
const digestLength = 16;

const unlessEmpty = (values: number[], nothing: number): number[] =>
  values.every((value) => value === nothing) ? [] : values;
