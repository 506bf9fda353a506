import { useEffect, useSyncExternalStore } from 'react';

/** Command that the palette offers while its screen is shown. */
export interface Command {
  readonly id: string;
  /** Verb and object, as in `Pause this run`. */
  readonly title: string;
  readonly act: () => void;
}

let offered: readonly (readonly Command[])[] = [];
const listeners = new Set<() => void>();

/** Offers commands in the palette while the component is mounted. Pass the same array as long as nothing has changed. */
export function useOfferedCommands(commands: readonly Command[]): void {
  useEffect(() => {
    change([...offered, commands]);
    return () => change(offered.filter((others) => others !== commands));
  }, [commands]);
}

function change(now: typeof offered): void {
  offered = now;
  for (const listener of listeners) listener();
}

/** Returns the commands that the screen offers now. */
export const useCommands = (): readonly Command[] => useSyncExternalStore(subscribe, () => offered).flat();

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}
