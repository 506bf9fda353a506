import type { RunEvent } from '@millrace/client';
import type { LiveActivation, Picture, Scope } from './picture.ts';
import { emptyPicture, placeOf } from './picture.ts';

/** Returns the picture of a run after these events, the first ones of its journal. */
export function fold(events: Iterable<RunEvent>): Picture {
  const picture = emptyPicture();
  for (const { event } of events) apply[event.type]?.(picture, event as unknown as Fields); // the journal's own fields
  return picture;
}

/** Fields of the events that change the picture; each event has those that its function below reads. */
interface Fields {
  readonly activation: string;
  readonly scope: string;
  readonly graph: string;
  readonly node: number;
  readonly part: string;
  readonly unit?: number;
  readonly parent: string;
  readonly kind: 'map' | 'tree';
  readonly units: readonly unknown[];
  readonly groupSize: number;
  readonly iteration: number;
  readonly status: string;
  readonly caller?: { readonly scope: string };
  readonly routes: readonly { readonly edge: number; readonly dropped?: true }[];
  readonly usage?: { readonly microUsd?: number; readonly promptTokens: number; readonly completionTokens: number };
  readonly activations: readonly string[];
}

type Apply = (picture: Picture, event: Fields) => void;

const apply: Readonly<Record<string, Apply>> = {
  'run.paused': stands('paused'),
  'run.stopping': stands('stopping'),
  'run.failing': stands('failing'),
  'run.finished': (picture, { status }) => stands(status)(picture),
  'run.resumed': wakeAll,
  'run.forked': wakeAll,
  'graph.entered': (picture, { scope, graph, caller }) =>
    void picture.scopes.set(scope, { ...plain, kind: 'graph', graph, parent: caller?.scope }),
  'graph.left': (picture, { scope }) => leave(picture, scope),
  'cycle.entered': (picture, { scope, parent }) =>
    void picture.scopes.set(scope, { ...plain, kind: 'cycle', graph: graphOf(picture, parent), parent }),
  'cycle.iterated'({ scopes }, { scope, iteration }) {
    const cycle = scopes.get(scope);
    if (cycle !== undefined) cycle.turn = iteration;
  },
  'cycle.left': (picture, { scope }) => leave(picture, scope),
  'scope.dropped': (picture, { scope }) => leave(picture, scope),
  'fanout.entered': (picture, { scope, parent, kind, node, units }) =>
    void picture.scopes.set(scope, {
      ...plain,
      kind,
      graph: graphOf(picture, parent),
      parent,
      node,
      units: units.length,
    }),
  'fanout.left'(picture, { scope }) {
    const left = picture.scopes.get(scope);
    // The node of a map is complete with its last unit; a tree closes with an activation of its own.
    if (left?.kind === 'map' && left.node !== undefined) count(picture.runs, placeOf(left.graph, left.node));
    leave(picture, scope);
  },
  'activation.ready'(picture, { activation, scope, node, part }) {
    const graph = graphOf(picture, scope);
    const place = placeOf(graph, node);
    picture.activations += 1;
    picture.history.set(place, picture.history.get(place) ?? []);
    picture.history.get(place)?.push(activation);
    picture.live.set(activation, { scope, graph, node, part, state: 'ready' });
  },
  'activation.started': (picture, { activation }) => change(picture, activation, 'working'),
  'step.started': (picture, { activation }) => change(picture, activation, 'working'),
  'step.completed': spend,
  'activation.suspended': (picture, { activation }) => change(picture, activation, 'waiting'),
  'activation.answered': (picture, { activation }) => change(picture, activation, 'ready'),
  'activation.renewed': (picture, { activation }) => change(picture, activation, 'ready'),
  'activation.postponed': (picture, { activation }) => change(picture, activation, 'ready'),
  'activation.opened': ({ live }, { activation }) => void live.delete(activation),
  'activation.dropped': ({ live }, { activation }) => void live.delete(activation),
  'activation.failed'(picture, { activation }) {
    if (picture.live.get(activation)?.part === 'exit') picture.live.delete(activation);
    else change(picture, activation, 'failed');
  },
  'activation.completed': complete,
};

const plain = {
  parent: undefined,
  node: undefined,
  turn: 0,
  units: 0,
  settledUnits: 0,
} as const satisfies Partial<Scope>;

const graphOf = ({ scopes }: Picture, scope: string): string => scopes.get(scope)?.graph ?? '';

function stands(status: string): (picture: Picture) => void {
  return (picture) => {
    picture.status = status;
  };
}

function change({ live }: Picture, activation: string, state: LiveActivation['state']): void {
  const one = live.get(activation);
  if (one !== undefined) one.state = state;
}

/** Wakes activations that failed, and those that were working when the run ended. */
function wakeAll(picture: Picture): void {
  picture.status = 'running';
  for (const one of picture.live.values()) if (one.state === 'failed' || one.state === 'working') one.state = 'ready';
}

function complete(picture: Picture, { activation, routes }: Fields): void {
  const done = picture.live.get(activation);
  if (done === undefined) return;
  picture.live.delete(activation);
  for (const { edge, dropped } of routes)
    if (edge >= 0 && dropped !== true) count(picture.passes, placeOf(done.graph, edge));
  const scope = picture.scopes.get(done.scope);
  if (scope?.kind === 'map' || scope?.kind === 'tree') scope.settledUnits += 1;
  else count(picture.runs, placeOf(done.graph, done.node));
}

/** Ends a scope with everything inside it. */
function leave({ scopes, live }: Picture, left: string): void {
  scopes.delete(left);
  for (const [id, { scope }] of live) if (scope === left) live.delete(id);
  for (const [id, { parent }] of [...scopes]) if (parent === left) leave({ scopes, live } as Picture, id);
}

function spend(picture: Picture, { activation, usage }: Fields): void {
  if (usage === undefined) return;
  const { microUsd = 0, promptTokens, completionTokens } = usage;
  picture.totalMicroUsd += microUsd;
  picture.tokens += promptTokens + completionTokens;
  const one = picture.live.get(activation);
  if (one !== undefined) count(picture.microUsd, placeOf(one.graph, one.node), microUsd);
}

function count(counts: Map<string, number>, place: string, by = 1): void {
  counts.set(place, (counts.get(place) ?? 0) + by);
}
