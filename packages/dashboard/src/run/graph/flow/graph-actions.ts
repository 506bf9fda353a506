import type { NodeView } from '../view/node-view.ts';

/** Actions of a graph; always the same object, so that unchanged nodes are not drawn again. */
export interface GraphActions {
  /** Opens the panel of a node. */
  choose(node: Pick<NodeView, 'id' | 'key'>): void;
  /** Notes which node has the focus. */
  focus(place: string): void;
  /** Shows the graph inside a node instead of this one. */
  enter(key: string): void;
  /** Opens the graph inside a node in its place, or closes it. */
  toggle(key: string): void;
  /** Looks at one iteration of a loop; undefined: at all of them. */
  pick(loop: string, iteration: number | undefined): void;
}
