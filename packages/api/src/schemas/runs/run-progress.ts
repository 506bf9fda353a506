import { Amount } from '@millrace/core/schemas';
import type { RunGraphs } from '@millrace/runtime';
import { z } from 'zod';

const time = z.number().describe('Milliseconds since 1970.');
const count = z.int();
const id = z.string();

/** Reason why an activation waits. */
export const WaitsFor = z
  .discriminatedUnion('type', [
    z.object({ type: z.literal('person'), since: time }),
    z.object({
      type: z.literal('budget'),
      since: time,
      asks: z.literal(true).optional().describe('It asks a person for a larger budget.'),
    }),
    z.object({
      type: z.literal('event'),
      since: time,
      event: z.string().describe('Name of the signal.'),
      until: time.optional(),
    }),
    z.object({ type: z.literal('time'), since: time, until: time }),
  ])
  .meta({ id: 'WaitsFor' });

const OpenScope = z
  .discriminatedUnion('type', [
    z.object({
      id,
      type: z.literal('graph'),
      graph: z.string().describe('Key of the graph.'),
      parent: z.string().optional().describe('Scope of the node that called it; absent for the root graph.'),
      node: count.optional().describe('Number of that node.'),
    }),
    z.object({
      id,
      type: z.literal('cycle'),
      graph: z.string(),
      parent: z.string(),
      cycle: count.describe('Index in `cycles` of the graph.'),
      iteration: count.describe('Number of its iteration.'),
    }),
    z.object({
      id,
      type: z.enum(['map', 'tree']),
      graph: z.string(),
      parent: z.string(),
      node: count.describe('Number of the node that it belongs to.'),
      groupSize: count,
      outputs: count.describe('Number of outputs of the current layer of a tree.'),
    }),
  ])
  .meta({ id: 'OpenScope' });

const LiveActivation = z
  .object({
    id,
    scope: z.string(),
    graph: z.string(),
    node: count.describe('Number of its node; -1 for none.'),
    part: z.string(),
    unit: count.optional(),
    readyAt: time,
    startedAt: time.optional().describe('Time since which a worker executes it.'),
    state: z.enum(['ready', 'working', 'waiting', 'failed']),
    waitsFor: WaitsFor.optional(),
    reserved: z
      .array(z.object({ step: count, amount: Amount }))
      .optional()
      .describe('Amounts reserved for its calls in progress, in runs with a budget.'),
  })
  .meta({ id: 'LiveActivation' });

/** Activations and scopes in progress in a run. */
export const RunProgress = z
  .object({
    scopes: z.array(OpenScope).describe('Executions of graphs, cycles and fan-outs that are not over.'),
    activations: z.array(LiveActivation).describe('Activations that have not settled.'),
  })
  .meta({ id: 'RunProgress' });
/** RunProgress as responses have it. */
type RunProgress = z.output<typeof RunProgress>;

/** Returns the progress of a run as the API shows it. */
export const progressOf = ({ progress: { scopes, activations } }: RunGraphs): RunProgress => ({
  scopes: scopes.map((scope) => ({ ...scope })),
  activations: activations.map(({ reserved, ...one }) => ({
    ...one,
    ...(reserved === undefined ? {} : { reserved: reserved.map((each) => ({ ...each })) }),
  })),
});
