import { useSyncExternalStore } from 'react';

const stored = 'millrace.letters';
const listeners = new Set<() => void>();

/** Returns true if single letters trigger shortcuts in this browser. Dictation and stray keys are reasons to switch them off. */
export const areLettersOn = (): boolean => localStorage.getItem(stored) !== 'off';

/** Switches shortcuts of single letters on or off in this browser. */
export function switchLetters(on: boolean): void {
  if (on) localStorage.removeItem(stored);
  else localStorage.setItem(stored, 'off');
  for (const listener of listeners) listener();
}

/** Returns true if single letters trigger shortcuts. */
export const useLetters = (): boolean => useSyncExternalStore(subscribe, areLettersOn);

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}
