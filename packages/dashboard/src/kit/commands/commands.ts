import { useEffect, useEffectEvent, useSyncExternalStore } from 'react';

/** Command that the palette offers while its screen is shown. */
export interface Command {
  readonly id: string;
  /** Verb and object, as in `Pause this run`. */
  readonly title: string;
  readonly act: () => void;
}

let offered: readonly (readonly Command[])[] = [];
const listeners = new Set<() => void>();

/** Offers commands in the palette while the component is mounted. */
export function useOfferedCommands(commands: readonly Command[]): void {
  const act = useEffectEvent((id: string) => commands.find((command) => command.id === id)?.act());
  const titles = JSON.stringify(commands.map(({ id, title }) => ({ id, title })));
  useEffect(() => {
    const named = JSON.parse(titles) as readonly Omit<Command, 'act'>[]; // as they are written above
    const offer = named.map((command) => ({ ...command, act: () => act(command.id) }));
    change([...offered, offer]);
    return () => change(offered.filter((others) => others !== offer));
  }, [titles]);
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
