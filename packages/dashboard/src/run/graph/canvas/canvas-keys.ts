import type { KeyboardEvent, RefObject } from 'react';
import type { Viewport } from './use-viewport.ts';
import type { Walkable } from './walk.ts';
import { walk } from './walk.ts';

interface Keyed {
  readonly element: RefObject<HTMLElement | null>;
  readonly flow: Walkable;
  readonly viewport: Viewport;
  /** Place of the node that has the focus. */
  readonly focused: string | undefined;
  readonly showActive: () => void;
}

/** Returns the effects of keys in a picture: arrows follow edges, `+ - 0` zoom, `.` shows the executing nodes. */
export function canvasKeys({ element, flow, viewport, focused, showActive }: Keyed): (event: KeyboardEvent) => void {
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
