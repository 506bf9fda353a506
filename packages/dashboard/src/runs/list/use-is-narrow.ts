import { useSyncExternalStore } from 'react';

const query = matchMedia('(width < 720px)');

/** Returns true if the window is as narrow as that of a phone. */
export const useIsNarrow = (): boolean => useSyncExternalStore(subscribe, () => query.matches);

function subscribe(listener: () => void): () => void {
  query.addEventListener('change', listener);
  return () => query.removeEventListener('change', listener);
}
