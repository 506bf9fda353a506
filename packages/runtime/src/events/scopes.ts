import type { Event, Plan, RunId, ScopeId, ScopeRecord } from '@millrace/core';
import { rootScope } from '@millrace/core';
import type { OpenRun } from '../commit/cached-run.ts';
import { readJournal } from '../journal/read-journal.ts';
import type { JournalSearch } from '../journal/seek-journal.ts';
import { seekJournal } from '../journal/seek-journal.ts';

/** A scope as far as readers of events need it. */
export interface KnownScope {
  readonly type: 'graph' | 'cycle' | 'map' | 'tree';
  /** Key of its graph. */
  readonly graph: string;
  /** The enclosing scope of a cycle or a fan-out. */
  readonly parent?: ScopeId;
  /** Index of the node at which a cycle or a fan-out was entered. */
  readonly node?: number;
}

type ScopeEntry = Extract<Event, { type: 'graph.entered' | 'cycle.entered' | 'fanout.entered' }>;

const isEntered = (event: Event): event is ScopeEntry =>
  event.type === 'graph.entered' || event.type === 'cycle.entered' || event.type === 'fanout.entered';

/** Creates what reads a run: its journal, and its plan and state at some time. */
export interface RunReading extends JournalSearch {
  readonly run: RunId;
  readonly now: OpenRun;
}

/** Scopes of a run, including scopes that it has left and that its state no longer holds. */
export class Scopes {
  readonly #known = new Map<ScopeId, KnownScope>([[rootScope, { type: 'graph', graph: '' }]]);
  readonly #reading: RunReading;

  constructor(reading: RunReading) {
    this.#reading = reading;
  }

  get plan(): Plan {
    return this.#reading.now.plan;
  }

  /** Notes a scope that an event enters. */
  async note(event: Event): Promise<void> {
    if (isEntered(event)) this.#known.set(event.scope, await this.#scopeOf(event));
  }

  /** Forgets a scope that will not be named any more. */
  forget(scope: ScopeId): void {
    if (scope !== rootScope) this.#known.delete(scope);
  }

  async find(id: ScopeId): Promise<KnownScope> {
    const known = this.#known.get(id) ?? knownOf(this.#reading.now.state.get(`scope/${id}`));
    if (known !== undefined) return known;
    const found = await this.#scopeOf(await this.#entryOf(id));
    this.#known.set(id, found);
    return found;
  }

  async #scopeOf(event: ScopeEntry): Promise<KnownScope> {
    if (event.type === 'graph.entered') return { type: 'graph', graph: event.graph };
    const { parent } = event;
    const { graph } = await this.find(parent);
    return event.type === 'cycle.entered'
      ? { type: 'cycle', graph, parent, node: event.entry }
      : { type: event.kind, graph, parent, node: event.node };
  }

  /** Scopes are numbered as they are entered. */
  async #entryOf(scope: ScopeId): Promise<ScopeEntry> {
    const { store, run } = this.#reading;
    const place = await seekJournal(this.#reading, (event) => isEnteredLater(event, scope));
    for await (const { event } of readJournal(store, run, place)) {
      if (isEntered(event) && event.scope === scope) return event;
    }
    throw new Error(`run ${run} names scope ${scope}, which it never entered`);
  }
}

/** Returns whether a scope is entered after an event; undefined where the event does not tell. */
function isEnteredLater(event: Event, scope: ScopeId): boolean | undefined {
  if (isEntered(event)) return numberOf(event.scope) < numberOf(scope);
  // A scope in which an activation becomes ready has been entered, and so have all with smaller numbers.
  const isBefore = event.type === 'activation.ready' && numberOf(event.scope) >= numberOf(scope);
  return isBefore ? false : undefined;
}

const numberOf = (id: ScopeId): number => Number(id.slice(1));

function knownOf(record: ScopeRecord | undefined): KnownScope | undefined {
  if (record === undefined) return undefined;
  const { type, graph } = record;
  if (type === 'graph') return { type, graph };
  return { type, graph, parent: record.parent, node: type === 'cycle' ? record.entry : record.node };
}
