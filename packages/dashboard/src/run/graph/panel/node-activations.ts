import type { RunEvent } from '@millrace/client';

/** An activation of a node, as far as its events describe it. */
export interface NodeActivation {
  readonly id: string;
  readonly unit: number | undefined;
  readonly part: string;
  readonly readyAt: number;
  readonly settledAt: number | undefined;
  readonly state: 'live' | 'completed' | 'failed' | 'dropped' | 'opened';
  /** Id of the message that is its unit in a fan-out; undefined where the events do not tell it. */
  readonly input?: string | undefined;
  /** Edges that its outputs went over; undefined before it has settled. */
  readonly routes: readonly number[] | undefined;
}

/** Returns the activations of a node in their order, by the key of its graph and its index there. */
export function activationsOf(events: readonly RunEvent[], graph: string, index: number): readonly NodeActivation[] {
  const found = new Map<string, NodeActivation>();
  const units = new Map<string, readonly string[]>();
  for (const { at, event } of events) {
    switch (event.type) {
      case 'units.stored':
      case 'fanout.entered':
      case 'fanout.layered':
        noteUnits(units, event);
        break;
      case 'activation.ready':
        if (event.node === index && event.graph === graph)
          found.set(event.activation, {
            id: event.activation,
            unit: event.unit,
            input: units.get(event.scope)?.[event.unit ?? -1],
            part: event.part,
            readyAt: at,
            settledAt: undefined,
            state: 'live',
            routes: undefined,
          });
        break;
      case 'activation.completed':
      case 'activation.failed':
      case 'activation.dropped':
      case 'activation.opened': {
        const before = found.get(event.activation);
        if (before === undefined) break;
        found.set(event.activation, {
          ...before,
          state: states[event.type],
          settledAt: at,
          routes: event.type === 'activation.completed' ? routesOf(event.routes) : undefined,
        });
      }
    }
  }
  return [...found.values()];
}

type UnitsEvent = Extract<RunEvent['event'], { readonly type: 'units.stored' | 'fanout.entered' | 'fanout.layered' }>;

/** Notes the messages that are the units of a fan-out, by its scope. */
function noteUnits(units: Map<string, readonly string[]>, event: UnitsEvent): void {
  // The units of the next layer of a tree are results of this one.
  if (event.type === 'fanout.layered') units.delete(event.scope);
  else units.set(event.scope, [...(units.get(event.scope) ?? []), ...event.units.map(({ id }) => id)]);
}

const states = {
  'activation.completed': 'completed',
  'activation.failed': 'failed',
  'activation.dropped': 'dropped',
  'activation.opened': 'opened',
} as const;

type Routes = Extract<RunEvent['event'], { readonly type: 'activation.completed' }>['routes'];

const routesOf = (routes: Routes): readonly number[] =>
  routes.flatMap(({ edge, dropped }) => (edge >= 0 && dropped !== true ? [edge] : []));

/** Returns the place of an activation; without one, that of the first unit that failed, or else of the last activation. */
export function chosenIn(activations: readonly NodeActivation[], id: string | undefined): number {
  const at = activations.findIndex((one) => one.id === id);
  if (at >= 0) return at;
  const failed = activations.findIndex(({ state, unit }) => state === 'failed' && unit !== undefined);
  return failed < 0 ? activations.length - 1 : failed;
}
