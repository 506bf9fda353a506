import { useSyncExternalStore } from 'react';

const narrow = matchMedia('(width < 720px)');

/** Returns true on phones and other narrow windows. */
export const useIsNarrow = (): boolean => useSyncExternalStore(subscribe, () => narrow.matches);

function subscribe(listener: () => void): () => void {
  narrow.addEventListener('change', listener);
  return () => narrow.removeEventListener('change', listener);
}
