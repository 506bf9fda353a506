import { addModelCall } from '../model/usage/usage.ts';
import { removeLive } from './project-budget.ts';
import type { Of, ProjectedEntry } from './projected-entry.ts';
import type {
  LiveProjection,
  LiveState,
  NodeProjection,
  ProjectedWait,
  RunProjection,
  ScopeProjection,
} from './run-projection.ts';
import { graphIn, nodeIn } from './run-projection.ts';

/** Applies an event of an activation. */
export function projectActivation(
  projection: RunProjection,
  { at, event }: Pick<ProjectedEntry, 'at' | 'event'>,
): void {
  switch (event.type) {
    case 'activation.ready':
      return ready(projection, event, at);
    case 'activation.started':
    case 'step.started':
      return change(projection, event.activation, { state: 'working', startedAt: at });
    case 'step.completed':
      return spend(projection, event);
    case 'activation.suspended':
      return change(projection, event.activation, { state: 'waiting', waitsFor: waitOf(event, at) });
    case 'activation.postponed':
      return change(projection, event.activation, {
        state: 'waiting',
        waitsFor: { type: 'time', since: at, until: event.until },
      });
    case 'activation.short':
      return change(projection, event.activation, { state: 'waiting', waitsFor: { type: 'budget', since: at } });
    case 'activation.answered':
    case 'activation.renewed':
    case 'activation.funded':
    case 'activation.admitted':
      return change(projection, event.activation, { state: 'ready' });
    case 'activation.failed':
      return fail(projection, event);
    case 'activation.opened':
      return void removeLive(projection, event.activation);
    case 'activation.dropped':
      return drop(projection, event);
    case 'activation.completed':
      return complete(projection, event);
    default:
      return;
  }
}

function ready(projection: RunProjection, event: Of<'activation.ready'>, at: number): void {
  const { activation, scope, node, part, unit, nodeId } = event;
  const graph = projection.scopes.get(scope)?.graph ?? '';
  projection.activations += 1;
  projection.live.set(activation, {
    scope,
    graph,
    node,
    part,
    ...(unit === undefined ? {} : { unit }),
    readyAt: at,
    state: 'ready',
  });
  // The count of votes of a graph belongs to no node.
  if (node < 0) return;
  const shown = nodeIn(projection, graph, node);
  shown.activations += 1;
  if (nodeId !== undefined) shown.id = nodeId;
  shown.last = activation;
  if (part === 'unit' && shown.units !== undefined) shown.units.started += 1;
}

interface Change {
  readonly state: LiveState;
  readonly startedAt?: number;
  readonly waitsFor?: ProjectedWait;
}

function change({ live }: RunProjection, activation: string, { state, startedAt, waitsFor }: Change): void {
  const one = live.get(activation);
  if (one === undefined) return;
  one.state = state;
  if (startedAt === undefined) delete one.startedAt;
  else one.startedAt ??= startedAt;
  if (waitsFor === undefined) delete one.waitsFor;
  else one.waitsFor = waitsFor;
}

/** Number of failed exit nodes of a run that are known. */
const mostExitFailures = 100;

function fail(projection: RunProjection, { activation, error, text }: Of<'activation.failed'>): void {
  const one = projection.live.get(activation);
  if (one === undefined) return;
  if (one.part === 'exit') {
    projection.exitFailures = [...projection.exitFailures, activation].slice(-mostExitFailures);
    return void removeLive(projection, activation);
  }
  change(projection, activation, { state: 'failed' });
  if (text !== undefined && one.node >= 0)
    nodeIn(projection, one.graph, one.node).failure = { code: error.code, message: text };
}

function waitOf({ wait: { kind, event }, text }: Of<'activation.suspended'>, since: number): ProjectedWait {
  const prompt = text === undefined ? {} : { prompt: text };
  if (kind === 'budget') return { type: 'budget', since, asks: true, ...prompt };
  if (kind !== 'event') return { type: 'person', since, ...prompt };
  const { name = '', until } = event ?? {};
  return { type: 'event', since, event: name, ...(until === undefined ? {} : { until }) };
}

function complete(projection: RunProjection, event: Of<'activation.completed'>): void {
  const { activation, routes, state, outputs, text } = event;
  const done = removeLive(projection, activation);
  if (done === undefined) return;
  if (done.node < 0) return;
  const shown = nodeIn(projection, done.graph, done.node);
  const { passed } = graphIn(projection, done.graph);
  const last: number[] = [];
  for (const { edge, dropped } of routes) {
    if (edge < 0 || dropped) continue;
    passed.set(edge, (passed.get(edge) ?? 0) + 1);
    if (!last.includes(edge)) last.push(edge);
  }
  shown.passed = last;
  if (text !== undefined) shown.outputText = text;
  if (state !== undefined) Object.assign(shown, loopStateOf(state.write));
  if (isUnit(projection, done)) countUnit(projection, done, outputs.length);
  else shown.runs += 1;
}

/** Returns whether an activation is, or closes, a unit of a fan-out. */
const isUnit = ({ scopes }: RunProjection, { scope, unit }: LiveProjection): boolean =>
  unit !== undefined && isFanOut(scopes.get(scope));

const isFanOut = (scope: ScopeProjection | undefined): boolean => scope?.type === 'map' || scope?.type === 'tree';

function countUnit(projection: RunProjection, { scope, graph, node }: LiveProjection, outputs: number): void {
  const { units } = nodeIn(projection, graph, node);
  if (units !== undefined) units.completed += 1;
  const fanOut = projection.scopes.get(scope);
  if (fanOut?.type === 'tree') fanOut.outputs += outputs;
}

/** Returns the state of a loop counter or a loop timer as it was written; states of other nodes are not shown. */
function loopStateOf(write: unknown): Pick<NodeProjection, 'counter' | 'timer'> {
  if (typeof write === 'number') return { counter: write };
  if (typeof write !== 'object' || write === null) return {};
  const { startedAt, emitted } = write as { startedAt?: unknown; emitted?: unknown };
  return typeof startedAt === 'number' && typeof emitted === 'boolean' ? { timer: { startedAt, emitted } } : {};
}

function drop(projection: RunProjection, { activation, inner }: Of<'activation.dropped'>): void {
  const dropped = removeLive(projection, activation);
  if (dropped === undefined) return;
  // The engine completes its node without a result, unless all that holds the node is dropped.
  if (dropped.part === 'exit' || inner || dropped.node < 0) return;
  nodeIn(projection, dropped.graph, dropped.node).runs += 1;
}

function spend(projection: RunProjection, { activation, usage }: Of<'step.completed'>): void {
  if (usage === undefined) return;
  projection.usage = addModelCall(projection.usage, usage);
  const one = projection.live.get(activation);
  if (one === undefined || one.node < 0) return;
  const shown = nodeIn(projection, one.graph, one.node);
  shown.usage = addModelCall(shown.usage, usage);
}
