import type { Applied, Change } from './fields.ts';
import { enterState, settle } from './live.ts';
import { releaseReserved } from './money.ts';
import type { NodeFacts, Picture, Scope, Wait } from './picture.ts';
import { factsOf, placeOf } from './picture.ts';
import { graphOf } from './scope-events.ts';

/** Changes by events of activations. */
export const activationEvents: Readonly<Record<string, Change>> = {
  'activation.ready': ready,
  'activation.started': (picture, { activation }) => enterState(picture, activation, 'working'),
  'activation.suspended': (picture, { activation, wait, at }) =>
    enterState(picture, activation, 'waiting', waitOf(wait, at)),
  'activation.postponed': (picture, { activation, until, at }) =>
    enterState(picture, activation, 'waiting', { type: 'time', since: at, until }),
  'activation.short': (picture, { activation, at }) =>
    enterState(picture, activation, 'waiting', { type: 'budget', since: at }),
  'activation.answered': wake,
  'activation.renewed': wake,
  'activation.funded': wake,
  'activation.admitted': wake,
  'activation.opened': (picture, { activation }) => void settle(picture, activation),
  'activation.dropped'(picture, { activation, inner }) {
    const one = settle(picture, activation);
    // A node whose activation is dropped is complete, without a result.
    if (one !== undefined && one.part !== 'exit' && inner !== true)
      factsOf(picture, placeOf(one.graph, one.node)).runs += 1;
  },
  'activation.failed'(picture, { activation, error }) {
    const one = picture.live.get(activation);
    if (one === undefined) return;
    picture.status = picture.status === 'stopping' ? 'stopping' : 'failing';
    if (one.part === 'exit') settle(picture, activation);
    else {
      factsOf(picture, placeOf(one.graph, one.node)).failure = error;
      releaseReserved(picture, one);
      enterState(picture, activation, 'failed');
    }
  },
  'activation.completed': complete,
};

function wake(picture: Picture, { activation }: Applied): void {
  enterState(picture, activation, 'ready');
}

function waitOf({ kind, prompt, event }: Applied['wait'], since: number): Wait {
  if (kind === 'budget') return { type: 'budget', since, asks: true, prompt };
  if (kind === 'human') return { type: 'person', since, prompt };
  const { name = '', until } = event ?? {};
  return { type: 'event', since, event: name, ...(until === undefined ? {} : { until }) };
}

function ready(picture: Picture, { activation, scope, node, part, unit }: Applied): void {
  const graph = graphOf(picture, scope);
  const facts = factsOf(picture, placeOf(graph, node));
  facts.live.ready += 1;
  facts.activations += 1;
  facts.newest = activation;
  if (part === 'unit' && facts.units !== undefined) facts.units.started += 1;
  picture.activations += 1;
  picture.scopes.get(scope)?.live.add(activation);
  const waitsFor = undefined;
  const reserved = new Map();
  picture.live.set(activation, { scope, graph, node, part, unit, state: 'ready', waitsFor, reserved });
}

function complete(picture: Picture, { activation, outputs, routes, state, text }: Applied): void {
  const done = settle(picture, activation);
  if (done === undefined) return;
  const facts = factsOf(picture, placeOf(done.graph, done.node));
  const passed = routes.flatMap(({ edge, dropped }) => (edge >= 0 && dropped !== true ? [edge] : []));
  facts.routes = [...new Set(passed)];
  if (text !== undefined) facts.said = text;
  for (const edge of passed) {
    const place = placeOf(done.graph, edge);
    picture.passes.set(place, (picture.passes.get(place) ?? 0) + 1);
  }
  if (state !== undefined) keepState(facts, state.write);
  const scope = picture.scopes.get(done.scope);
  if (done.unit === undefined || facts.units === undefined || !isFanOut(scope)) facts.runs += 1;
  else {
    facts.units.completed += 1;
    scope.outputs += outputs.length;
  }
}

const isFanOut = (scope: Scope | undefined): scope is Scope => scope?.kind === 'map' || scope?.kind === 'tree';

/** Keeps the state of a loop counter or a loop timer; states of other nodes are not shown. */
function keepState(facts: NodeFacts, write: unknown): void {
  if (typeof write === 'number') facts.counter = write;
  if (typeof write !== 'object' || write === null) return;
  const { startedAt, emitted } = write as { readonly startedAt?: unknown; readonly emitted?: unknown };
  if (typeof startedAt === 'number' && typeof emitted === 'boolean') facts.timer = { startedAt, emitted };
}
