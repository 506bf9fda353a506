import type { ActivationId, MessageId, ScopeId } from '../model/ids.ts';
import type { MessageRef } from '../model/message.ts';
import type { Failure, StateWrite, Wait } from '../model/outcome.ts';
import type { Usage } from '../model/host.ts';

/**
 * What happened in a run. The journal is the list of these; the state is their fold (evolve.ts). Events carry ids,
 * never bodies: a body is stored once, before or with the event that first names it.
 */
export type Event =
  | { readonly type: 'run.started'; readonly plan: string; readonly task: readonly MessageRef[]; readonly presets: readonly Preset[] }
  /** A graph is entered: the root (`scope` s0) or one call of a subgraph. */
  | { readonly type: 'graph.entered'; readonly scope: ScopeId; readonly graph: string; readonly caller?: ActivationId; readonly task: readonly MessageRef[]; readonly presets: readonly Preset[] }
  | { readonly type: 'graph.left'; readonly scope: ScopeId }
  | { readonly type: 'cycle.entered'; readonly scope: ScopeId; readonly parent: ScopeId; readonly item: number; readonly members: readonly number[]; readonly entry: number; readonly limit: number | null }
  /** A sweep over the cycle starts; `roots` are the nodes that are due whatever precedes them. */
  | { readonly type: 'cycle.iterated'; readonly scope: ScopeId; readonly iteration: number; readonly roots: readonly number[] }
  /** All members of the level have settled: their deliveries count from here on. */
  | { readonly type: 'cycle.levelled'; readonly scope: ScopeId; readonly level: number }
  | { readonly type: 'cycle.left'; readonly scope: ScopeId; readonly reason: 'exit' | 'ended' | 'limit' }
  /** Items of the acyclic part that nothing triggered. */
  | { readonly type: 'items.skipped'; readonly scope: ScopeId; readonly items: readonly number[] }
  | { readonly type: 'fanout.entered'; readonly scope: ScopeId; readonly activation: ActivationId; readonly kind: 'map' | 'tree'; readonly statics: readonly MessageRef[]; readonly units: readonly MessageRef[]; readonly groupSize: number; readonly maxParallel: number }
  /** Tree: the results of one layer are the units of the next. */
  | { readonly type: 'fanout.layered'; readonly scope: ScopeId; readonly layer: number; readonly units: readonly MessageRef[] }
  | { readonly type: 'fanout.left'; readonly scope: ScopeId }
  | { readonly type: 'activation.ready'; readonly activation: ActivationId; readonly scope: ScopeId; readonly node: number; readonly part: Part; readonly token: string; readonly unit?: number }
  /** A worker took it; only told for work that takes long enough to be seen. */
  | { readonly type: 'activation.started'; readonly activation: ActivationId; readonly attempt: number; readonly worker: string }
  | { readonly type: 'activation.suspended'; readonly activation: ActivationId; readonly wait: Wait }
  | { readonly type: 'activation.answered'; readonly activation: ActivationId; readonly answer: MessageRef; readonly token: string }
  | { readonly type: 'activation.completed'; readonly activation: ActivationId; readonly outputs: readonly MessageRef[]; readonly routes: readonly Route[]; readonly state?: StateWrite; readonly usage?: Usage; readonly warnings?: readonly string[] }
  /** The node opened a graph or a fan-out instead of producing something itself. */
  | { readonly type: 'activation.opened'; readonly activation: ActivationId }
  | { readonly type: 'activation.failed'; readonly activation: ActivationId; readonly error: Failure }
  | { readonly type: 'step.started'; readonly activation: ActivationId; readonly step: number; readonly name: string; readonly request: string; readonly counts?: Readonly<Record<string, number>> }
  | { readonly type: 'step.completed'; readonly activation: ActivationId; readonly step: number; readonly result: MessageId; readonly usage?: Usage }
  | { readonly type: 'run.finished'; readonly status: FinalStatus; readonly output?: MessageRef; readonly error?: Failure & { readonly activation?: ActivationId; readonly node?: string } };

export type EventType = Event['type'];

/** How a run can end. */
export type FinalStatus = 'completed' | 'failed' | 'cancelled' | 'terminated';

/** What a node is made to do: all of its work, only opening what is inside it, one unit of it, or only closing it. */
export type Part = 'whole' | 'open' | 'unit' | 'close';

/** Messages that wait at (`input`) or count as produced by (`output`) a node before the run starts. */
export interface Preset {
  readonly node: number;
  readonly at: 'input' | 'output';
  readonly messages: readonly MessageRef[];
}

/** What one output message did on one outgoing edge whose condition held. */
export interface Route {
  readonly edge: number;
  /** Index of the output. */
  readonly output: number;
  /** The processor dropped the message: queues are cleared as the edge says, nothing else happens. */
  readonly dropped?: true;
  /** The message as delivered; absent on an edge that carries no data. */
  readonly message?: MessageRef;
}

/** An event with its place in the journal. */
export interface JournalEntry {
  /** `<version>-<n>`: the commit, and the event's number in it from 0. */
  readonly id: string;
  /** Milliseconds since 1970 by Redis' clock. */
  readonly at: number;
  readonly event: Event;
}
