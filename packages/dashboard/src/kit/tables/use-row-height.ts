import { useSyncExternalStore } from 'react';

/** The windows in which `tokens.css` makes targets large enough for a finger. */
const touch = matchMedia('(pointer: coarse), (width < 720px)');

/** Heights in pixels: the larger one of 32 and of `--target`, and `--small-target`. */
const heights = { normal: { pointer: 32, touch: 44 }, small: { pointer: 24, touch: 40 } } as const;

/** Returns the height in pixels of a row that people choose. */
export const useRowHeight = (size: keyof typeof heights = 'normal'): number =>
  useSyncExternalStore(subscribe, () => heights[size][touch.matches ? 'touch' : 'pointer']);

function subscribe(listener: () => void): () => void {
  touch.addEventListener('change', listener);
  return () => touch.removeEventListener('change', listener);
}
