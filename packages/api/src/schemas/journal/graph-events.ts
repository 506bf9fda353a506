import { z } from 'zod';
import {
  eventSchema,
  graph,
  inFlight,
  MessageReference,
  nodeIndex,
  nodePlace,
  StopReason,
  scope,
  text,
} from './parts.ts';

const parent = z.string().describe('Id of the enclosing scope.');
const preset = z.object({ node: nodeIndex, at: z.enum(['input', 'output']), messages: z.array(MessageReference) });
const conditionStates = z.record(
  z.string(),
  z.object({
    met: StopReason.shape.leaves,
    state: z.unknown().optional(),
    collected: StopReason.shape.leaves,
  }),
);
const name = z.string().describe('Name of the scope in the workflow; empty for the whole graph.');

/** Events of executions of graphs, cycles and fan-outs. */
export const graphEvents = [
  eventSchema('graph.entered', 'A graph is entered: the root graph, or a subgraph that a node calls.', {
    scope,
    graph,
    caller: z
      .object({ scope, node: nodeIndex, unit: z.int().optional() })
      .optional()
      .describe('The calling node; absent for the root graph.'),
    task: z.array(MessageReference).describe('Messages that the graph receives as its task.'),
    presets: z.array(preset),
    nodeId: z.string().optional().describe('Id of the calling node; absent for the root graph.'),
    nodeType: z.string().optional().describe('Type of the calling node.'),
    unit: z.int().optional().describe('Number of the unit that calls it, from 0.'),
    text: text('the task'),
  }),
  eventSchema('graph.left', 'The graph is left.', {
    scope,
    graph,
    stopped: z.literal(true).optional().describe('Everything inside it is removed.'),
    last: MessageReference.optional().describe('Its result.'),
    text: text('its result'),
  }),
  eventSchema(
    'graph.exiting',
    'No activation of a graph that is being stopped is executing any more; its exit nodes run next.',
    {
      scope,
      graph,
      messages: z.array(MessageReference),
      skipped: z.literal(true).optional().describe('The exit nodes are not executed.'),
    },
  ),
  eventSchema('items.skipped', 'Nothing has triggered these nodes.', {
    scope,
    graph,
    items: z.array(z.int()).describe('Indices of items of the graph: nodes, or whole cycles.'),
    nodeIds: z.array(z.string()).describe('Ids of the nodes in these items.'),
  }),
  eventSchema('cycle.entered', 'A loop begins. The node is where it is entered.', {
    scope,
    parent,
    item: z.int().describe('Position among its siblings.'),
    members: z.array(z.int()).describe('Indices of the nodes in the loop.'),
    entry: nodeIndex,
    limit: z.int().nullable().describe('Maximum number of iterations; null: none.'),
    level: z.int().optional(),
    ...nodePlace,
  }),
  eventSchema('cycle.iterated', 'The loop starts another iteration.', {
    scope,
    iteration: z.int().describe('Number of the iteration, from 1.'),
    roots: z.array(z.int()).describe('Indices of the nodes that are due whatever precedes them.'),
    ...nodePlace,
    turn: z.int().describe('The same as `iteration`.'),
  }),
  eventSchema('cycle.levelled', 'All nodes of a level of the loop have settled.', { scope, ...nodePlace }),
  eventSchema('cycle.left', 'The loop has ended.', {
    scope,
    reason: z.enum(['exit', 'ended', 'limit']).describe('`limit`: its iteration limit ended it.'),
    ...nodePlace,
  }),
  eventSchema('fanout.entered', 'A node begins to run once for each unit.', {
    scope,
    parent,
    node: nodeIndex,
    kind: z.enum(['map', 'tree']),
    statics: z.array(MessageReference).describe('Inputs that every unit gets.'),
    units: z.array(MessageReference),
    groupSize: z.int(),
    maxParallel: z.int(),
    ...nodePlace,
  }),
  eventSchema('fanout.layered', 'The results of a layer of a tree are the units of the next.', { scope, ...nodePlace }),
  eventSchema('fanout.left', 'All units have settled.', { scope, ...nodePlace }),
] as const;

/** Events of scopes that can stop. */
export const scopeEvents = [
  eventSchema('scope.entered', 'A node of a named scope is due.', { scope, name, graph }),
  eventSchema('scope.left', 'No activation of a named scope is executing or due any more.', { scope, name, graph }),
  eventSchema('scope.stopping', 'The termination is satisfied: nothing new is started in its scope.', {
    scope,
    name,
    stop: StopReason,
    inFlight,
    messages: z.array(MessageReference),
    node: nodeIndex.optional(),
    graph,
    nodeId: z.string().optional().describe('Id of the node whose output satisfied it.'),
    nodeType: z.string().optional().describe('Type of that node.'),
    text: text('the reason'),
  }),
  eventSchema('scope.stopped', 'No activation of a stopped scope is executing any more.', { scope, name, graph }),
  eventSchema('scope.dropped', 'A graph or fan-out of a stopped scope is dropped.', { scope, graph }),
  eventSchema('termination.moved', 'The states of conditions have changed.', {
    scope,
    name,
    cells: conditionStates.describe('States of conditions, by their path in the termination.'),
    graph,
  }),
  eventSchema('termination.reset', 'The termination starts again.', { scope, name, graph }),
] as const;
