import type { Event, EventOf, EventType, EventNames as Names, ScopeId } from '@millrace/core';
import { ActivationIndex } from './activation-index.ts';
import type { RunReading } from './scopes.ts';
import { Scopes } from './scopes.ts';

/** Names that the events of one run get, for events that are read in order. */
export class EventNames {
  readonly scopes: Scopes;
  readonly activations: ActivationIndex;
  /** Ids of nodes whose outputs are not shown to people who follow the run. */
  readonly discreet: ReadonlySet<string>;

  constructor(reading: RunReading) {
    this.scopes = new Scopes(reading);
    this.activations = new ActivationIndex(reading, this.scopes);
    const nodes = [...this.scopes.plan.graphs.values()].flatMap((graph) => graph.nodes);
    this.discreet = new Set(nodes.filter(({ logOutput }) => !logOutput).map(({ id }) => id));
  }

  /** Returns the names that an event gets. */
  async of(event: Event): Promise<Names> {
    await this.scopes.note(event);
    await this.activations.note(event);
    const place = await this.#placeOf(event);
    this.#forget(event);
    return place;
  }

  #placeOf(event: Event): Promise<Names> | Names {
    // The table pairs each type with the function of that very type.
    const find = places[event.type] as ((event: Event, names: EventNames) => Promise<Names>) | undefined;
    if (find !== undefined) return find(event, this);
    if ('activation' in event) return this.activations.find(event.activation);
    if (!('scope' in event)) return {};
    return /^(cycle|fanout)\./.test(event.type) ? nodeOfScope(event, this) : graphOf(event, this);
  }

  #forget(event: Event): void {
    if (event.type === 'activation.completed' || event.type === 'activation.dropped')
      this.activations.forget(event.activation);
    if (endsScope(event)) this.scopes.forget(event.scope);
  }
}

const endsScope = (event: Event): event is EventOf<'graph.left' | 'cycle.left' | 'fanout.left' | 'scope.dropped'> =>
  event.type === 'graph.left' ||
  event.type === 'cycle.left' ||
  event.type === 'fanout.left' ||
  event.type === 'scope.dropped';

type PlaceFinders = {
  readonly [T in EventType]?: (event: EventOf<T>, names: EventNames) => Promise<Names<T>> | Names<T>;
};

type InScope = { readonly scope: ScopeId };

const graphOf = async ({ scope }: InScope, { scopes }: EventNames) => ({
  graph: (await scopes.find(scope)).graph,
});

async function nodeOfScope({ scope }: InScope, { scopes, activations }: EventNames) {
  const { graph, node } = await scopes.find(scope);
  return activations.nodePlace(graph, node);
}

/** Names of events that have others than their activation, the node of their loop or fan-out, or the graph of their scope. */
const places: PlaceFinders = {
  'run.told': ({ node }, { activations }) => (node === undefined ? {} : nameOf(activations.nodePlace('', node))),
  async 'graph.entered'({ caller }, { scopes, activations }) {
    if (caller === undefined) return {};
    const { graph } = await scopes.find(caller.scope);
    const unit = caller.unit === undefined ? {} : { unit: caller.unit };
    return { ...nameOf(activations.nodePlace(graph, caller.node)), ...unit };
  },
  async 'items.skipped'({ scope, items }, { scopes, activations }) {
    const { graph } = await scopes.find(scope);
    const members = items.flatMap((item) => scopes.plan.graphs.get(graph)?.items[item]?.members ?? []);
    return { graph, nodeIds: members.map((node) => activations.nodePlace(graph, node).nodeId) };
  },
  'cycle.iterated': nodeOfScope,
  async 'scope.stopping'(event, names) {
    const { graph } = await graphOf(event, names);
    return { graph, ...(event.node === undefined ? {} : nameOf(names.activations.nodePlace(graph, event.node))) };
  },
};

const nameOf = ({ nodeId, nodeType }: { readonly nodeId: string; readonly nodeType: string }) => ({ nodeId, nodeType });
