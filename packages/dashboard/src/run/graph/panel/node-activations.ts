import type { RunEvent } from '@millrace/client';

/** An activation of a node, as far as its events describe it. */
export interface NodeActivation {
  readonly id: string;
  readonly unit: number | undefined;
  readonly part: string;
  readonly readyAt: number;
  readonly settledAt: number | undefined;
  readonly state: 'live' | 'completed' | 'failed' | 'dropped' | 'opened';
  /** Edges that its outputs went over; undefined before it has settled. */
  readonly routes: readonly number[] | undefined;
}

interface Fields {
  readonly type: string;
  readonly scope?: string;
  readonly parent?: string;
  readonly graph?: string;
  readonly node?: number;
  readonly activation?: string;
  readonly unit?: number;
  readonly part?: string;
  readonly routes?: readonly { readonly edge: number; readonly dropped?: true }[];
}

const settled = new Map<string, NodeActivation['state']>([
  ['activation.completed', 'completed'],
  ['activation.failed', 'failed'],
  ['activation.dropped', 'dropped'],
  ['activation.opened', 'opened'],
]);

/** Returns the activations of a node in their order, by the key of its graph and its index there. */
export function activationsOf(events: readonly RunEvent[], graph: string, index: number): readonly NodeActivation[] {
  const graphs = new Map<string, string>();
  const found = new Map<string, NodeActivation>();
  for (const { at, event } of events) {
    const fields = event as unknown as Fields; // the journal's own fields
    const { type, scope = '', activation = '' } = fields;
    if (type.endsWith('.entered')) noteScope(graphs, fields);
    const isReady = type === 'activation.ready' && fields.node === index && graphs.get(scope) === graph;
    if (isReady) found.set(activation, begin(fields, at));
    const state = settled.get(type);
    const before = state === undefined ? undefined : found.get(activation);
    if (state !== undefined && before !== undefined)
      found.set(activation, { ...before, state, settledAt: at, routes: routesOf(fields) });
  }
  return [...found.values()];
}

/** Notes the key of the graph that a scope belongs to. */
function noteScope(graphs: Map<string, string>, { type, scope = '', parent = '', graph = '' }: Fields): void {
  graphs.set(scope, type === 'graph.entered' ? graph : (graphs.get(parent) ?? ''));
}

const begin = ({ activation = '', unit, part = '' }: Fields, readyAt: number): NodeActivation => ({
  id: activation,
  unit,
  part,
  readyAt,
  settledAt: undefined,
  state: 'live',
  routes: undefined,
});

const routesOf = ({ routes }: Fields): readonly number[] | undefined =>
  routes?.flatMap(({ edge, dropped }) => (edge >= 0 && dropped !== true ? [edge] : []));
