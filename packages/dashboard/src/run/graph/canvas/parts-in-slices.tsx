import type { ReactNode } from 'react';
import { memo } from 'react';

interface PartsProps<Part> {
  /** Parts that have not changed keep their identity. */
  readonly parts: readonly Part[];
  /** Draws one part, with a key; always the same function. */
  readonly draw: (part: Part) => ReactNode;
}

/** Parts that are compared together: an update of some of 500 looks at 16 slices instead of 500 components. */
const perSlice = 32;

/** Many parts of a picture, of which an update changes few. */
export function PartsInSlices<Part>({ parts, draw }: PartsProps<Part>) {
  const slices = Array.from({ length: Math.ceil(parts.length / perSlice) }, (_, at) => at * perSlice);
  return slices.map((start) => (
    <Slice key={start} parts={parts.slice(start, start + perSlice)} draw={draw as (part: unknown) => ReactNode} />
  ));
}

const Slice = memo(
  ({ parts, draw }: PartsProps<unknown>) => parts.map(draw),
  (before, now) =>
    before.draw === now.draw &&
    before.parts.length === now.parts.length &&
    before.parts.every((part, at) => part === now.parts[at]),
);
