import { useReactFlow } from '@xyflow/react';
import { useCallback, useEffect, useRef } from 'react';
import { labelBox } from '../flow/edge-label.ts';
import type { EdgePart } from '../flow/parts.ts';
import type { Box } from '../layout/geometry.ts';

/** Smallest zoom at which everything of a node can be read, more or less. */
const readable = 0.65;
const margin = 24;

const stillness = matchMedia('(prefers-reduced-motion: reduce)');
const slowly = () => ({ duration: stillness.matches ? 0 : 250 });

/** Part that the picture shows. */
export interface Viewport {
  readonly zoomBy: (factor: number) => void;
  readonly fit: () => void;
  /** Moves as little as needed to have these boxes in view. */
  readonly show: (boxes: readonly Box[]) => void;
}

interface CanvasContent {
  readonly width: number;
  readonly height: number;
  /** All boxes of the picture. */
  readonly boxes: ReadonlyMap<string, Box>;
  readonly frames: readonly Box[];
  /** Their labels are part of the picture, too. */
  readonly edges: readonly EdgePart[];
  /** Boxes of executing nodes, or else those that are shown first. */
  readonly active: readonly Box[];
}

interface CanvasState extends CanvasContent {
  /** The user has moved the picture. */
  readonly isMoved: boolean;
}

/** Shows the whole picture if it is readable at that size, else the executing nodes; afterwards follows the commands of the user. */
export function useViewport({ isMoved, width, height, boxes, frames, edges, active }: CanvasState): Viewport {
  const { setViewport, getViewport, zoomTo } = useReactFlow();
  const placedFor = useRef('');
  useEffect(() => {
    // Until the user moves the picture, it fits its place, which a panel beside it may make smaller.
    const size = `${width} ${height} ${boxes.size}`;
    if (isMoved || placedFor.current === size || width === 0 || boxes.size === 0) return;
    placedFor.current = size;
    void setViewport(firstView({ width, height, boxes, frames, edges, active }));
  }, [isMoved, width, height, boxes, frames, edges, active, setViewport]);
  const show = useCallback(
    (shown: readonly Box[]) => {
      if (shown.length === 0 || width === 0) return;
      const { x, y, zoom } = getViewport();
      const around = boundsOf(shown);
      void setViewport(
        {
          x: x + nudge(around.x * zoom + x, around.width * zoom, width),
          y: y + nudge(around.y * zoom + y, around.height * zoom, height),
          zoom,
        },
        slowly(),
      );
    },
    [getViewport, setViewport, width, height],
  );
  return {
    show,
    zoomBy: (factor) => void zoomTo(getViewport().zoom * factor, slowly()),
    fit: () => void setViewport(wholeView({ width, height, boxes, frames, edges, active }), slowly()),
  };
}

/** Returns the distance that brings a range into view; of a range longer than the view, its beginning. */
function nudge(start: number, length: number, view: number): number {
  if (start < margin || length > view - 2 * margin) return margin - start;
  return Math.min(0, view - margin - (start + length));
}

interface View {
  readonly x: number;
  readonly y: number;
  readonly zoom: number;
}

function firstView(looked: CanvasContent): View {
  const { boxes, active } = looked;
  const whole = wholeView(looked);
  if (whole.zoom >= readable) return whole;
  return filled(
    looked,
    centred(looked, boundsOf(active.length > 0 ? active : [...boxes.values()].slice(0, 1)), readable),
  );
}

/** Returns a view moved so that no side of it is empty while there is more of the picture at the opposite side. */
function filled(looked: CanvasContent, { x, y, zoom }: View): View {
  const { width, height } = looked;
  const whole = boundsOf(everythingIn(looked));
  return {
    x: held(x, { start: whole.x * zoom, length: whole.width * zoom, view: width }),
    y: held(y, { start: whole.y * zoom, length: whole.height * zoom, view: height }),
    zoom,
  };
}

/** A range of the picture, and the length of the view of it. */
interface Range {
  readonly start: number;
  readonly length: number;
  readonly view: number;
}

/** Returns the place of a picture at which it fills its view, as near as possible to another place; a shorter picture is centred. */
function held(at: number, { start, length, view }: Range): number {
  if (length <= view - 2 * margin) return (view - length) / 2 - start;
  return Math.min(margin - start, Math.max(view - margin - start - length, at));
}

/** Returns the view that has everything in it. */
function wholeView(looked: CanvasContent): View {
  const { width, height } = looked;
  const whole = boundsOf(everythingIn(looked));
  const fits = Math.min((width - 2 * margin) / whole.width, (height - 2 * margin) / whole.height);
  return centred(looked, whole, Math.min(1, fits));
}

const everythingIn = ({ boxes, frames, edges }: CanvasContent): readonly Box[] => [
  ...boxes.values(),
  ...frames,
  ...edges.map(labelBox),
];

const centred = ({ width, height }: Pick<CanvasContent, 'width' | 'height'>, box: Box, zoom: number): View => ({
  x: width / 2 - (box.x + box.width / 2) * zoom,
  y: height / 2 - (box.y + box.height / 2) * zoom,
  zoom,
});

function boundsOf(boxes: readonly Box[]): Box {
  const x = Math.min(...boxes.map((box) => box.x));
  const y = Math.min(...boxes.map((box) => box.y));
  return {
    x,
    y,
    width: Math.max(1, Math.max(...boxes.map((box) => box.x + box.width)) - x),
    height: Math.max(1, Math.max(...boxes.map((box) => box.y + box.height)) - y),
  };
}
