import type { KeyboardEvent, RefObject } from 'react';
import type { Box } from '../layout/geometry.ts';
import type { Viewport } from './use-viewport.ts';

interface CanvasKeysInput {
  readonly element: RefObject<HTMLElement | null>;
  readonly flow: Walkable;
  readonly viewport: Viewport;
  /** Place of the node that has the focus. */
  readonly focused: string | undefined;
  readonly showActive: () => void;
}

/** Returns the effects of keys in a picture: arrows follow edges, `+ - 0` zoom, `.` shows the executing nodes. */
export function canvasKeys({
  element,
  flow,
  viewport,
  focused,
  showActive,
}: CanvasKeysInput): (event: KeyboardEvent) => void {
  const focus = (place: string | undefined) => {
    const buttons = [...(element.current?.querySelectorAll<HTMLElement>('[data-place]') ?? [])];
    const button = buttons.find(({ dataset }) => dataset['place'] === place);
    const box = flow.boxes.get(place ?? '');
    if (button === undefined || box === undefined) return;
    viewport.show([box]);
    button.focus({ preventScroll: true });
  };
  const acts: Readonly<Record<string, () => void>> = {
    '+': () => viewport.zoomBy(1.25),
    '-': () => viewport.zoomBy(0.8),
    '0': viewport.fit,
    '.': showActive,
  };
  return (event) => {
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    const isArrow = event.key.startsWith('Arrow');
    const act = isArrow ? () => focus(walk(flow, focused ?? '', event.key)) : acts[event.key];
    if (act === undefined) return;
    event.preventDefault();
    act();
  };
}

/** Nodes and edges of a picture, by the keys of the nodes. */
interface Walkable {
  readonly boxes: ReadonlyMap<string, Box>;
  readonly edges: readonly { readonly edge: { readonly source: string; readonly target: string } }[];
}

/** Returns the node that an arrow key leads to: → a successor, ← a predecessor, ↑ ↓ a sibling in the same row. */
export function walk({ boxes, edges }: Walkable, from: string, key: string): string | undefined {
  if (key === 'ArrowRight')
    return nearest(
      boxes,
      from,
      edges.flatMap(({ edge: { source, target } }) => (source === from ? [target] : [])),
    );
  if (key === 'ArrowLeft')
    return nearest(
      boxes,
      from,
      edges.flatMap(({ edge: { source, target } }) => (target === from ? [source] : [])),
    );
  const own = boxes.get(from);
  if (own === undefined) return undefined;
  const step = key === 'ArrowDown' ? 1 : -1;
  const row = [...boxes].filter(([, box]) => box.y < own.y + own.height && own.y < box.y + box.height);
  row.sort(([, one], [, other]) => one.x - other.x);
  return row[row.findIndex(([place]) => place === from) + step]?.[0];
}

/** Returns the one of some nodes that is drawn nearest to another one, that one itself excluded. */
function nearest(boxes: Walkable['boxes'], from: string, places: readonly string[]): string | undefined {
  const own = boxes.get(from);
  if (own === undefined) return undefined;
  const distance = (place: string): number => {
    const box = boxes.get(place);
    return box === undefined ? Number.POSITIVE_INFINITY : Math.hypot(box.x - own.x, box.y - own.y);
  };
  return places.filter((place) => place !== from).sort((one, other) => distance(one) - distance(other))[0];
}
