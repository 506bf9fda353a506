import type { CSSProperties } from 'react';
import type { Box } from './geometry.ts';

/** Returns the style that puts an element of the canvas in its place. */
export const styleOf = ({ x, y, width, height }: Box): CSSProperties => ({
  transform: `translate(${x}px, ${y}px)`,
  width,
  height,
});
