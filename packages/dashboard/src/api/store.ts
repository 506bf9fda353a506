import { useSyncExternalStore } from 'react';

/** Value that the whole page shares and components follow. */
export interface Store<T> {
  get(): T;
  set(value: T): void;
  /** Calls back after each change. Returns a function that stops it. */
  subscribe(listener: () => void): () => void;
}

/** Makes a store. */
export function createStore<T>(initial: T): Store<T> {
  let value = initial;
  const listeners = new Set<() => void>();
  return {
    get: () => value,
    set(changed) {
      if (Object.is(value, changed)) return;
      value = changed;
      for (const listener of listeners) listener();
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}

/** Returns the value of a store, and renders again when it changes. */
export const useStore = <T>(store: Store<T>): T => useSyncExternalStore(store.subscribe, store.get);
