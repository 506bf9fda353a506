import { useSyncExternalStore } from 'react';

const narrow = matchMedia('(width < 720px)');

/** Returns the height in pixels of a run in the list: a row, or on phones three lines. */
export const useRunRowHeight = (): number => useSyncExternalStore(subscribe, () => (narrow.matches ? 84 : 52));

function subscribe(listener: () => void): () => void {
  narrow.addEventListener('change', listener);
  return () => narrow.removeEventListener('change', listener);
}
