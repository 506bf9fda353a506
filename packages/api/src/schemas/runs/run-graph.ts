import { ModelUsage } from '@millrace/core/schemas';
import type { RunGraphs as KnownGraphs } from '@millrace/runtime';
import { z } from 'zod';
import { EventId } from './event.ts';
import { BudgetState, RunStatus } from './run.ts';
import { RunProgress, WaitsFor } from './run-progress.ts';

const time = z.number().describe('Milliseconds since 1970.');
const count = z.int();

const GraphNode = z
  .object({
    id: z.string(),
    type: z.string(),
    line: count.optional().describe('Line of the node in the text that the run was started with, from 1.'),
    guard: z.literal(true).optional().describe('A loop counter or loop timer.'),
    waits: z.literal(true).optional().describe('A human node.'),
    discreet: z.literal(true).optional().describe('Its outputs are hidden.'),
    data: z.string().optional().describe('Fields of the data of its outputs, such as `{urgent: boolean}`.'),
    graph: z.string().optional().describe('The key of the graph inside it.'),
    status: z
      .enum(['idle', 'ready', 'working', 'waiting', 'failed', 'done'])
      .describe('Of several live activations, the status that most needs attention.'),
    runs: count.describe('Number of completions over all executions of its graph; a fan-out counts as one.'),
    live: count.describe('Number of its live activations.'),
    activations: count.describe('Number of all of its activations.'),
    last: z.string().optional().describe('The latest activation of it.'),
    waitsFor: WaitsFor.optional().describe('Of several activations that wait, the one that has waited longest.'),
    counter: z
      .object({ value: count, limit: count })
      .optional()
      .describe('Triggers that a loop counter has counted, in the execution of its graph that changed it last.'),
    timer: z
      .object({ startedAt: time.optional(), limitMs: z.number(), emitted: z.boolean() })
      .optional()
      .describe('A loop timer; nothing happens at its limit before it is triggered again.'),
    units: z
      .object({ total: count, completed: count, failed: count, live: count })
      .optional()
      .describe('Units of its fan-outs that are in progress, or else of the last one.'),
    usage: ModelUsage.optional().describe('Its calls of models; absent without any.'),
  })
  .meta({ id: 'GraphNode' });

const GraphEdge = z
  .object({
    index: count.describe('Number of the edge, as the journal has it.'),
    from: z.string(),
    to: z.string(),
    trigger: z.boolean(),
    carryData: z.boolean(),
    dynamic: z.boolean(),
    onError: z.boolean(),
    conditional: z.boolean(),
    condition: z.string().optional().describe('The condition in words; absent without one.'),
    passed: count.describe('Number of messages that it has passed on.'),
    missed: z.literal(true).optional().describe('It passed nothing on when its source completed last.'),
  })
  .meta({ id: 'GraphEdge' });

const GraphCycle = z
  .object({
    nodes: z.array(count).describe('Indices of `nodes`.'),
    iteration: count.describe('Number of its current or last iteration; 0 before its first one.'),
    limit: count.nullable().optional().describe('Maximum number of iterations; null for none.'),
    live: z.boolean(),
  })
  .meta({ id: 'GraphCycle' });

/** Query for the graphs of a run. */
export const RunGraphsQuery = z.object({
  at: EventId.optional().describe('Shows the run after this event; absent: now.'),
  progress: z.literal('true').optional().describe('Adds `progress`.'),
});

/** State of the graphs of a run. */
export const RunGraphs = z
  .object({
    event: z.string().describe('Id of the last event that the answer covers; `0` before the first.'),
    at: time.describe('Time of that event, in milliseconds since 1970.'),
    now: time.describe('Time of the answer by the clock of the server, in milliseconds since 1970.'),
    status: RunStatus,
    activations: count,
    usage: ModelUsage,
    budget: BudgetState.nullable().describe('null when the run had none.'),
    graphs: z.array(
      z
        .object({
          key: z.string().describe('Empty for the root graph; otherwise the path of the enclosing nodes.'),
          id: z.string(),
          logLevel: z.enum(['DEBUG', 'INFO', 'WARNING', 'ERROR', 'CRITICAL']),
          items: z
            .array(z.array(count))
            .describe('Items: indices of `nodes`. The journal refers to items and nodes by number.'),
          cycles: z.array(GraphCycle).describe('Loops of the graph.'),
          nodes: z.array(GraphNode),
          edges: z.array(GraphEdge),
        })
        .meta({ id: 'RunGraph' }),
    ),
    progress: RunProgress.optional().describe(
      'Scopes and activations in progress, if requested. With the rest of the response, they are the state to which a program applies the events after `event`.',
    ),
  })
  .meta({ id: 'RunGraphs' });
/** RunGraphs as responses have it. */
export type RunGraphs = z.output<typeof RunGraphs>;

/** Lines of nodes by `<node>`, or `<graph>/<node>`. */
type NodeLines = Readonly<Record<string, number>>;

/** Graphs as the API shows them, with the lines of their nodes. */
export const graphsOf = (
  { graphs, definition: _text, progress: _unasked, ...rest }: KnownGraphs,
  lines: NodeLines,
): RunGraphs => ({
  ...rest,
  graphs: graphs.map(({ nodes, edges, items, cycles, ...graph }) => ({
    ...graph,
    items: items.map((members) => [...members]),
    cycles: cycles.map((cycle) => ({ ...cycle, nodes: [...cycle.nodes] })),
    nodes: nodes.map((node) => ({ ...node, ...lineOf(lines, graph.key, node.id) })),
    edges: [...edges],
  })),
});

function lineOf(lines: NodeLines, graph: string, node: string): { line?: number } {
  const name = graph === '' ? node : `${graph}/${node}`;
  const line = Object.hasOwn(lines, name) ? lines[name] : undefined;
  return line === undefined ? {} : { line };
}
