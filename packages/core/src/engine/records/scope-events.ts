import { z } from 'zod';
import type { ScopeId } from '../../model/ids.ts';
import type { Recorded } from '../../model/recorded.ts';
import { activation, MessageReference, nodeIndex, scope, textAs } from '../../model/recorded.ts';
import { event, graphName, nodeNames, text } from './event-definition.ts';
import { ConditionStates, InFlight, StopReason } from './stop.ts';

const parent = textAs<ScopeId>(z.string()).describe('Id of the enclosing scope.');
const messages = z.array(MessageReference);
const name = z.string().describe('Name of the scope in the workflow; empty for the whole graph.');

const caller = z.object({ scope, node: nodeIndex, unit: z.int().optional() });
const preset = z.object({ node: nodeIndex, at: z.enum(['input', 'output']), messages });

/** The caller of a subgraph: the node, with the scope and the unit in which it was called. */
export type GraphCaller = Recorded<typeof caller>;

/** Messages that wait at a node (`input`), or count as its outputs (`output`), before the run starts. */
export type Preset = Recorded<typeof preset>;

/** Events of executions of graphs, cycles and fan-outs. */
export const graphEvents = [
  event(
    'graph.entered',
    'A graph is entered: the root graph, or a subgraph that a node calls.',
    {
      scope,
      graph: graphName.graph,
      caller: caller.optional().describe('The calling node; absent for the root graph.'),
      task: messages.describe('Messages that the graph receives as its task.'),
      presets: z.array(preset),
    },
    {
      nodeId: z.string().optional().describe('Id of the calling node; absent for the root graph.'),
      nodeType: z.string().optional().describe('Type of the calling node.'),
      unit: z.int().optional().describe('Number of the unit that calls it, from 0.'),
      text: text('the task'),
    },
  ),
  event(
    'graph.left',
    'The graph is left.',
    {
      scope,
      stopped: z.literal(true).optional().describe('Everything inside it is removed.'),
      last: MessageReference.optional().describe('Its result.'),
    },
    { ...graphName, text: text('its result') },
  ),
  event(
    'graph.exiting',
    'No activation of a graph that is being stopped is executing any more; its exit nodes run next.',
    { scope, messages, skipped: z.literal(true).optional().describe('The exit nodes are not executed.') },
    graphName,
  ),
  event(
    'items.skipped',
    'Nothing has triggered these nodes.',
    { scope, items: z.array(z.int()).describe('Indices of items of the graph: nodes, or whole cycles.') },
    { ...graphName, nodeIds: z.array(z.string()).describe('Ids of the nodes in these items.') },
  ),
  event(
    'cycle.entered',
    'A loop begins. The node is where it is entered.',
    {
      scope,
      parent,
      item: z.int().describe('Position among its siblings.'),
      members: z.array(z.int()).describe('Indices of the nodes in the loop.'),
      entry: nodeIndex,
      limit: z.int().nullable().describe('Maximum number of iterations; null: none.'),
      level: z.int().optional().describe('The level of the enclosing loop at which it is entered.'),
    },
    nodeNames,
  ),
  event(
    'cycle.iterated',
    'The loop starts another iteration.',
    {
      scope,
      iteration: z.int().describe('Number of the iteration, from 1.'),
      roots: z.array(z.int()).describe('Indices of the nodes that are due whatever precedes them.'),
    },
    nodeNames,
  ),
  event('cycle.advanced', 'All nodes of a level of the loop have settled.', { scope }, nodeNames),
  event(
    'cycle.left',
    'The loop has ended.',
    { scope, reason: z.enum(['exit', 'ended', 'limit']).describe('`limit`: its iteration limit ended it.') },
    nodeNames,
  ),
  event(
    'units.stored',
    'A part of the units of a large fan-out is stored; the fan-out begins after the last part.',
    {
      scope: scope.describe('Id of the fan-out that will begin.'),
      activation: activation.describe('The activation that splits its input.'),
      cut: z.string().describe('Hash of the input. Parts of another input are removed.'),
      units: messages,
    },
    nodeNames,
  ),
  event(
    'fanout.entered',
    'A node begins to run once for each unit.',
    {
      scope,
      parent,
      node: nodeIndex,
      kind: z.enum(['map', 'tree']),
      statics: messages.describe('Inputs that every unit gets.'),
      before: z.int().optional().describe('Number of units that were stored before this event; absent: none.'),
      units: messages.describe('The units, or the last part of them.'),
      groupSize: z.int(),
      maxParallel: z.int(),
    },
    nodeNames,
  ),
  event(
    'units.joined',
    'The results of a part of the units of a large fan-out are put in order; the fan-out ends after the last part.',
    { scope, units: z.int().describe('Number of units in this part.') },
    nodeNames,
  ),
  event('fanout.layered', 'The results of a layer of a tree are the units of the next.', { scope }, nodeNames),
  event('fanout.left', 'All units have settled.', { scope }, nodeNames),
] as const;

/** Events of scopes that can stop: frames, and named scopes in them. */
export const scopeEvents = [
  event('scope.entered', 'A node of a named scope is due.', { scope, name }, graphName),
  event('scope.left', 'No activation of a named scope is executing or due any more.', { scope, name }, graphName),
  event(
    'scope.stopping',
    'The termination is satisfied: nothing new is started in its scope.',
    {
      scope,
      name,
      stop: StopReason,
      inFlight: InFlight,
      messages: messages.describe('Messages for the nodes that come after a named scope.'),
      node: nodeIndex.optional(),
    },
    {
      ...graphName,
      nodeId: z.string().optional().describe('Id of the node whose output satisfied it.'),
      nodeType: z.string().optional().describe('Type of that node.'),
      text: text('the reason'),
    },
  ),
  event('scope.stopped', 'No activation of a stopped scope is executing any more.', { scope, name }, graphName),
  event('scope.dropped', 'A graph or fan-out of a stopped scope is dropped.', { scope }, graphName),
  event(
    'termination.moved',
    'The states of conditions have changed.',
    { scope, name, cells: ConditionStates.describe('States of conditions, by their path in the termination.') },
    graphName,
  ),
  event('termination.reset', 'The termination starts again.', { scope, name }, graphName),
] as const;
