import type { RunEvent } from '@millrace/client';
import { apply } from '../../fold/fold.ts';
import type { LiveActivation, Picture } from '../../fold/picture.ts';
import { emptyPicture, placeOf } from '../../fold/picture.ts';

/** Activity in one turn of a loop. */
export interface TurnView {
  /** Places of the nodes that became due in it. */
  readonly nodes: ReadonlySet<string>;
  /** Places of the edges that passed something on in it. */
  readonly edges: ReadonlySet<string>;
}

interface Fields {
  readonly type: string;
  readonly scope?: string;
  readonly activation?: string;
}

/** Returns the events of a turn of the newest execution of a loop, by its key in `cycles` of a picture. */
export function turnViewOf(events: readonly RunEvent[], cycle: string, turn: number): TurnView {
  const picture = emptyPicture();
  let scope: string | undefined;
  let view = { nodes: new Set<string>(), edges: new Set<string>() };
  for (const entry of events) {
    const { type, scope: named = '', activation = '' } = entry.event as unknown as Fields; // the journal's own fields
    const before = picture.live.get(activation);
    apply(picture, entry);
    if (type === 'cycle.entered' && picture.scopes.get(named)?.cycle === cycle) {
      scope = named;
      view = { nodes: new Set(), edges: new Set() };
    }
    const one = before ?? picture.live.get(activation);
    const isInTurn =
      one !== undefined && picture.cycles.get(cycle)?.turn === turn && isWithin(picture, one.scope, scope);
    if (isInTurn) note(view, type, { one, routes: lastRoutes(picture, one) });
  }
  return view;
}

interface Noted {
  readonly nodes: Set<string>;
  readonly edges: Set<string>;
}

interface Happened {
  readonly one: LiveActivation;
  readonly routes: readonly string[];
}

function note({ nodes, edges }: Noted, type: string, { one, routes }: Happened): void {
  if (type === 'activation.ready') nodes.add(placeOf(one.graph, one.node));
  if (type === 'activation.completed') for (const edge of routes) edges.add(edge);
}

/** Returns the places of the edges that the last outputs of a node went over. */
const lastRoutes = ({ nodes }: Picture, { graph, node }: LiveActivation): readonly string[] =>
  nodes.get(placeOf(graph, node))?.routes?.map((edge) => placeOf(graph, edge)) ?? [];

function isWithin({ scopes }: Picture, scope: string, outer: string | undefined): boolean {
  for (let at: string | undefined = scope; at !== undefined && outer !== undefined; at = scopes.get(at)?.parent)
    if (at === outer) return true;
  return false;
}
