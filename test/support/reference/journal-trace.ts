import type {
  ActivationId,
  Event,
  JournalEntry,
  Message,
  MessageBody,
  MessageId,
  MessageRef,
  PendingEntry,
  Plan,
  Route,
  ScopeId,
} from '@millrace/core';
import { Draft, evolve, frameOf, inboxOf, inputOf, messageOf, nodeOf, rootScope, State, scopeOf } from '@millrace/core';
import type { Activation, Trace, TraceRoute, Unit } from './trace.ts';

/** The trace of a finished run, and which activations went into it, in its order. */
export interface JournalTrace {
  readonly trace: Omit<Trace, 'calls'>;
  readonly order: readonly ActivationId[];
}

/** Reads what a run did from its journal, by folding it again. */
export function traceOfJournal(
  plan: Plan,
  journal: readonly JournalEntry[],
  bodies: (id: MessageId) => MessageBody,
): JournalTrace {
  const reading: TraceState = {
    plan,
    state: new State(),
    message: (ref) => messageOf(ref, bodies(ref.id)),
    frames: new Map(),
    entered: new Map(),
    jobs: new Map(),
    works: new Map(),
    fanOuts: new Map(),
    finished: [],
    order: new Map(),
  };
  for (const { event, at } of journal) {
    before(reading, event);
    const draft = new Draft(reading.state);
    evolve({ plan, draft, at }, event);
    reading.state.apply(draft.writes());
    after(reading, event);
  }
  const last = journal.at(-1)?.event;
  const final = last?.type === 'run.finished' ? last.output : undefined;
  const error = last?.type === 'run.finished' ? last.error : undefined;
  return {
    order: [...reading.frames.keys()].flatMap((frame) => reading.order.get(frame) ?? []),
    trace: {
      activations: reading.finished,
      capped: reading.state.get('run')?.capped ?? [],
      ...(final === undefined ? {} : { final: reading.message(final) }),
      ...(error === undefined ? { waiting: waitingIn(reading) } : { error }),
    },
  };
}

interface TraceState {
  readonly plan: Plan;
  readonly state: State;
  readonly message: (ref: MessageRef) => Message;
  /** Graph and instance of every execution of a graph. */
  readonly frames: Map<ScopeId, { graph: string; instance: number }>;
  /** Number of entries into each graph. */
  readonly entered: Map<string, number>;
  /** Work that each activation belongs to, and its unit in a fan-out. */
  readonly jobs: Map<ActivationId, { work: Work; unit?: Job }>;
  /** The node that is executing in a scope. */
  readonly works: Map<string, Work>;
  readonly fanOuts: Map<ScopeId, { work: Work; units: Map<string, Job> }>;
  readonly finished: Activation[];
  /** By execution of a graph: those of calls that continued side by side are kept apart. */
  readonly order: Map<ScopeId, readonly ActivationId[]>;
}

/** One activation of a node in the making, or one unit of it. */
interface Job {
  readonly inputs: readonly Message[];
  outputs: readonly Message[];
  routes: readonly Route[];
  readonly activations: ActivationId[];
}

interface Work extends Job {
  readonly scope: ScopeId;
  readonly frame: ScopeId;
  readonly graph: string;
  readonly node: number;
  units?: Job[];
}

/** Takes note of what is gone once the event is folded. */
function before(reading: TraceState, event: Event): void {
  if (event.type !== 'fanout.left') return;
  const fanOut = reading.fanOuts.get(event.scope);
  if (fanOut === undefined || scopeOf(reading.state, event.scope).type === 'tree') return;
  const { work } = fanOut;
  const units = work.units ?? [];
  work.outputs = units.flatMap((unit) => unit.outputs);
  let outputs = 0;
  work.routes = units.flatMap((unit) => {
    const routes = unit.routes.map((route) => ({ ...route, output: route.output + outputs }));
    outputs += unit.outputs.length;
    return routes;
  });
  finish(reading, work);
}

function after(reading: TraceState, event: Event): void {
  switch (event.type) {
    case 'graph.entered': {
      const instance = (reading.entered.get(event.graph) ?? 0) + 1;
      reading.entered.set(event.graph, instance);
      reading.frames.set(event.scope, { graph: event.graph, instance });
      return;
    }
    case 'fanout.entered': {
      const work = reading.works.get(`${event.parent} ${event.node}`);
      if (work === undefined) return;
      work.units = [];
      reading.fanOuts.set(event.scope, { work, units: new Map() });
      return;
    }
    case 'activation.ready':
      return ready(reading, event);
    case 'activation.completed':
      return completed(reading, event);
    default:
  }
}

function ready(reading: TraceState, event: Extract<Event, { type: 'activation.ready' }>): void {
  const { activation, scope, node, part } = event;
  // A count of votes belongs to no node.
  if (node < 0) return;
  const inputs = inputOf(reading.plan, reading.state, activation).map(reading.message);
  const job: Job = { inputs, outputs: [], routes: [], activations: [activation] };
  const fanOut = reading.fanOuts.get(scope);
  if (fanOut !== undefined) {
    const unit = part === 'close' ? fanOut.units.get(`${event.unit}`) : job;
    if (unit === undefined) return;
    if (unit === job) {
      fanOut.units.set(`${event.unit}`, unit);
      fanOut.work.units?.push(unit);
    } else unit.activations.push(activation);
    reading.jobs.set(activation, { work: fanOut.work, unit });
    return;
  }
  if (part === 'close') {
    const work = reading.works.get(`${scope} ${node}`);
    work?.activations.push(activation);
    if (work !== undefined) reading.jobs.set(activation, { work });
    return;
  }
  const place = scopeOf(reading.state, scope);
  const work: Work = { ...job, scope, node, frame: frameOf(place, scope), graph: place.graph };
  reading.works.set(`${scope} ${node}`, work);
  reading.jobs.set(activation, { work });
}

function completed(reading: TraceState, event: Extract<Event, { type: 'activation.completed' }>): void {
  const job = reading.jobs.get(event.activation);
  if (job === undefined) return;
  const made = job.unit ?? job.work;
  made.outputs = event.outputs.map(reading.message);
  made.routes = event.routes;
  if (job.unit === undefined) finish(reading, job.work);
}

function finish(reading: TraceState, work: Work): void {
  const graph = reading.plan.graphs.get(work.graph);
  if (graph === undefined) throw new Error(`no graph "${work.graph}"`);
  reading.works.delete(`${work.scope} ${work.node}`);
  const { inputs, outputs } = work;
  const units = work.units?.map((unit): Unit => ({ inputs: unit.inputs, outputs: unit.outputs }));
  const ids = [...work.activations, ...(work.units ?? []).flatMap((unit) => unit.activations)];
  reading.order.set(work.frame, [...(reading.order.get(work.frame) ?? []), ...ids]);
  reading.finished.push({
    graph: work.graph,
    instance: reading.frames.get(work.frame)?.instance ?? 0,
    node: nodeOf(graph, work.node).id,
    inputs,
    outputs,
    routes: graph.voting ? [] : routesOf(reading, work),
    ...(units === undefined ? {} : { units }),
  });
}

/** Every output on every outgoing edge, whether its condition held or not. */
function routesOf(reading: TraceState, work: Work): TraceRoute[] {
  const graph = reading.plan.graphs.get(work.graph);
  const edges = (graph?.nodes[work.node]?.out ?? []).flatMap((index) => graph?.edges[index] ?? []);
  return work.outputs.flatMap((_, output) =>
    edges.map((edge): TraceRoute => {
      const route = work.routes.find((one) => one.edge === edge.index && one.output === output);
      return {
        to: graph?.nodes[edge.to]?.id ?? '',
        output,
        met: route !== undefined,
        ...(route?.message === undefined ? {} : { delivered: reading.message(route.message) }),
      };
    }),
  );
}

/** Returns the messages left at the nodes of the root graph: those of the inboxes, then the pending deliveries. */
function waitingIn({ plan, state, message }: TraceState): Readonly<Record<string, readonly Message[]>> {
  const graph = plan.graphs.get('');
  const left = (graph?.nodes ?? []).map(({ id }): readonly [string, readonly Message[]] => {
    let waiting: readonly MessageRef[] = inboxOf(state, rootScope, id);
    for (const entry of [...state.list(`pending/s0/s0/${id}`)].sort((a, b) => a.from - b.from)) {
      waiting = receive(waiting, entry, graph?.edges[entry.edge]);
    }
    return [id, waiting.map(message)];
  });
  return Object.fromEntries(left.filter(([, messages]) => messages.length > 0));
}

function receive(
  waiting: readonly MessageRef[],
  { message }: PendingEntry,
  edge: { clearContext: boolean; clearKeptContext: boolean } | undefined,
): readonly MessageRef[] {
  const left = waiting.filter(({ keep }) => !(keep ? edge?.clearKeptContext : edge?.clearContext));
  return message === undefined ? left : [...left, message];
}
