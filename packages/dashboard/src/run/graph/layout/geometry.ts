/** A point, in pixels. */
export interface Point {
  readonly x: number;
  readonly y: number;
}

/** A size, in pixels. */
export interface Size {
  readonly width: number;
  readonly height: number;
}

/** A rectangle, in pixels. */
export type Box = Point & Size;

/** Room around a graph inside a node, and the room of the node's own lines above it. */
export const insideMargin = { side: 16, top: 64, bottom: 16 } as const;

/** Room between a loop and its frame; the label of the frame is above. */
const frame = { side: 20, top: 40, bottom: 20 } as const;

/** Returns the frame around boxes. */
export function frameAround(boxes: readonly Box[]): Box {
  const left = Math.min(...boxes.map(({ x }) => x)) - frame.side;
  const top = Math.min(...boxes.map(({ y }) => y)) - frame.top;
  const right = Math.max(...boxes.map(({ x, width }) => x + width)) + frame.side;
  const bottom = Math.max(...boxes.map(({ y, height }) => y + height)) + frame.bottom;
  return { x: left, y: top, width: right - left, height: bottom - top };
}

/** Tests if two boxes have a point in common. */
export const overlap = (one: Box, other: Box): boolean =>
  one.x < other.x + other.width &&
  other.x < one.x + one.width &&
  one.y < other.y + other.height &&
  other.y < one.y + one.height;

/** Returns the place of the label of an edge: above a frame whose own label and buttons it would cover. */
export function aboveHeads({ x, y }: Point, frames: readonly Box[]): Point {
  const covered = frames.find((box) => overlap({ ...box, height: frame.top }, { x, y, width: 0, height: 0 }));
  return covered === undefined ? { x, y } : { x, y: covered.y - 10 };
}
