import type { ActivationId, ActivationRecord, Event, EventNames, EventOf } from '@millrace/core';
import { iterationOf, omitUndefined } from '@millrace/core';
import { readJournal } from '../journal/read-journal.ts';
import { placeOfReady } from '../journal/seek-journal.ts';
import type { RunReading, Scopes } from './scopes.ts';

/*
 * An event names its activation by its id. The event with which the activation became ready tells its place; mostly it
 * has just been read. For an activation that became ready before the events that are read, the place is in the state of
 * the run as long as the activation is live. Otherwise its event is searched in the journal, with those that follow it.
 */

/** Node, graph, unit and iteration of an activation. */
type ActivationNames = EventNames<'activation.started'>;
/** Node at which something happened: its id and type, both empty for a count of votes, and the key of its graph. */
type NodeNames = EventNames<'cycle.entered'>;

/** Names of the activations of a run. */
export class ActivationIndex {
  readonly #known = new Map<ActivationId, ActivationNames>();
  readonly #reading: RunReading;
  readonly #scopes: Scopes;

  constructor(reading: RunReading, scopes: Scopes) {
    this.#reading = reading;
    this.#scopes = scopes;
  }

  /** Notes an activation that an event makes ready. */
  async note(event: Event): Promise<void> {
    if (event.type === 'activation.ready') this.#known.set(event.activation, await this.#placeIn(event));
  }

  /** Forgets an activation that has settled. */
  forget(activation: ActivationId): void {
    this.#known.delete(activation);
  }

  async find(id: ActivationId): Promise<ActivationNames> {
    const known = this.#known.get(id);
    if (known !== undefined) return known;
    const { state } = this.#reading.now;
    const record = state.get(`activation/${id}`);
    const iteration = record && iterationOf(state, record.scope);
    if (record !== undefined) return this.#placeIn({ ...omitUndefined({ iteration }), ...record });
    await this.#search(id);
    const found = this.#known.get(id);
    if (found === undefined) throw new Error(`run ${this.#reading.run} names activation ${id}, which was never ready`);
    return found;
  }

  /** Returns a node with its graph as events name it. */
  nodePlace(graph: string, index = -1): NodeNames {
    const node = this.#scopes.plan.graphs.get(graph)?.nodes[index];
    return { nodeId: node?.id ?? '', nodeType: node?.type ?? '', graph };
  }

  async #placeIn({
    scope,
    node,
    unit,
    iteration,
  }: Pick<ActivationRecord, 'scope' | 'node' | 'unit'> &
    Pick<EventOf<'activation.ready'>, 'iteration'>): Promise<ActivationNames> {
    const { graph } = await this.#scopes.find(scope);
    return {
      ...this.nodePlace(graph, node),
      ...(unit === undefined ? {} : { unit }),
      ...(iteration === undefined ? {} : { iteration }),
    };
  }

  /** Notes the activation, and those after it that became ready within the same page of the journal. */
  async #search(id: ActivationId): Promise<void> {
    const { store, run } = this.#reading;
    let rest = Number.POSITIVE_INFINITY;
    for await (const { event } of readJournal(store, run, await placeOfReady(this.#reading, id))) {
      if (event.type === 'activation.ready') await this.note(event);
      if ('activation' in event && event.activation === id) rest = Math.min(rest, furtherEvents);
      rest -= 1;
      if (rest < 0) return;
    }
  }
}

/** Number of events that are read after the one that was searched: activations of a page became ready close together. */
const furtherEvents = 500;
