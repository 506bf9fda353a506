import type { FailureProjection } from '@millrace/core/projection';
import type { Box, Point } from '../layout/geometry.ts';
import type { EdgeView } from '../view/edge-view.ts';
import type { LoopView } from '../view/loop-view.ts';
import type { NodeView } from '../view/node-view.ts';
import type { GraphActions } from './graph-actions.ts';

/*
 * Parts of the picture of a graph: the content of each, and its position.
 */

/** Content of a node of the canvas. */
export interface NodeCardData extends CardData {
  readonly run: string;
  readonly actions: GraphActions;
  /** The keyboard enters the graph here. */
  readonly isEntry: boolean;
  readonly isChosen: boolean;
  /** Another iteration is selected, in which it did not run. */
  readonly isDimmed: boolean;
  /** The graph inside it is small enough to be opened in its place. */
  readonly canOpen: boolean;
  /** States of the nodes inside it, with spaces between them. */
  readonly inner: string | undefined;
  /** Time of a picture that does not change, for cards that show times; absent: it is live. */
  readonly asOf?: number | undefined;
  /** The error for which it has failed. */
  readonly failure?: FailureProjection | undefined;
  /** Words in the place of its state, for a graph that does not run. */
  readonly caption?: string;
}

/** Content of the frame of a loop on the canvas. */
export interface LoopFrameData {
  readonly loop: LoopView;
  readonly actions: GraphActions;
  /** The selected iteration; undefined: all of them. */
  readonly picked: number | undefined;
}

/** Content of an edge of the canvas. */
export interface GraphEdgeData {
  readonly edge: EdgeView;
  readonly path: string;
  readonly label: Point;
  readonly isDimmed: boolean;
}

/** State of any card in addition to its node: the graph inside the node is open in its place. */
export interface CardData {
  readonly isOpen: boolean;
}

/** A node of the canvas in its place, with the content of its card. */
export type CardPart<Data extends CardData> = Data & {
  readonly type: 'card';
  readonly id: string;
  readonly node: NodeView;
  readonly box: Box;
  /** Layer behind the edges; absent: it lies before them. */
  readonly layer: number | undefined;
};

/** The frame of a loop in its place. */
export interface FramePart extends LoopFrameData {
  readonly type: 'frame';
  readonly id: string;
  readonly box: Box;
  readonly layer: number;
}

/** An edge of the canvas along its path. */
export interface EdgePart extends GraphEdgeData {
  readonly id: string;
}
