import { useEffect, useEffectEvent, useSyncExternalStore } from 'react';

interface Listener {
  readonly keys: readonly string[];
  readonly act: (keys: string) => void;
}

/** Listeners of the screen; the last one has priority. */
const listeners: Listener[] = [];

/** Gives a shortcut its effect while the component is mounted and `isOn`; the component mounted last wins. */
export function useShortcut(name: ShortcutName, act: (keys: string) => void, isOn = true): void {
  const latest = useEffectEvent(act);
  useEffect(() => {
    if (!isOn) return;
    const listener = { keys: shortcuts[name].keys, act: (keys: string) => latest(keys) };
    listeners.push(listener);
    return () => void listeners.splice(listeners.indexOf(listener), 1);
  }, [name, isOn]);
}

/** Triggers shortcuts by the keys that are pressed anywhere on the page. Returns a function that stops it. */
export function listenToKeys(): () => void {
  const pressed = createPressedKeys();
  const onKeyDown = (event: KeyboardEvent) => {
    // An editor has handled the key.
    if (event.isComposing || event.defaultPrevented) return;
    const modified = event.metaKey || event.ctrlKey;
    if (!modified && isTaken(event)) return;
    for (const name of pressed.press(event)) {
      const listener = listeners.findLast(({ keys }) => keys.includes(name));
      if (listener === undefined) continue;
      event.preventDefault();
      listener.act(name);
      return;
    }
  };
  window.addEventListener('keydown', onKeyDown);
  return () => window.removeEventListener('keydown', onKeyDown);
}

/** Tests if a key without modifiers belongs to a field, an open dialog or menu, or has no effect because letters are off. */
function isTaken({ key, target, defaultPrevented }: KeyboardEvent): boolean {
  if (defaultPrevented) return true;
  if (key.length === 1 && !areLettersOn()) return true;
  if (!(target instanceof Element)) return false;
  return (
    target.closest(
      'input:not([type="checkbox"], [type="range"]), textarea, select, [contenteditable], [role="dialog"], [role="menu"], [role="listbox"]',
    ) !== null
  );
}

/** Time in which the second key of a sequence follows the first, in milliseconds. */
const sequenceMs = 1_200;

/** Key that was pressed, as a `KeyboardEvent` has it. */
export type KeyPress = Pick<KeyboardEvent, 'key' | 'metaKey' | 'ctrlKey' | 'altKey' | 'timeStamp'>;

/** Pressed keys in the notation of shortcuts: a single key, and a key with the one before it. */
interface PressedKeys {
  /** Returns `g` and, shortly after a `g`, `g r` for an `r`. */
  press(event: KeyPress): readonly string[];
}

/** Follows the keys that are pressed. */
export function createPressedKeys(): PressedKeys {
  let before: { readonly name: string; readonly at: number } | undefined;
  return {
    press(event) {
      const name = nameOf(event);
      const sequence =
        before !== undefined && event.timeStamp - before.at < sequenceMs ? [`${before.name} ${name}`] : [];
      before = sequence.length > 0 ? undefined : { name, at: event.timeStamp };
      return [...sequence, name];
    },
  };
}

function nameOf({ key, metaKey, ctrlKey, altKey }: KeyPress): string {
  const written = key.length === 1 && (metaKey || ctrlKey) ? key.toLowerCase() : key;
  return `${metaKey || ctrlKey ? 'mod+' : ''}${altKey ? 'alt+' : ''}${written}`;
}

/** Keyboard shortcut: the keys that trigger it, and the sentence that the sheet of shortcuts prints. */
export interface Shortcut {
  /** Keys as events name them. `mod` is ⌘ or Ctrl; keys with a space between them follow each other. */
  readonly keys: readonly string[];
  readonly group: 'Everywhere' | 'Lists' | 'Inbox' | 'Runs' | 'A run';
  readonly does: string;
}

/** All keyboard shortcuts. A screen gives them their effect with `useShortcut`; the sheet prints this table. */
export const shortcuts = {
  palette: { keys: ['mod+k'], group: 'Everywhere', does: 'Go to a screen, find a run, act on it' },
  sheet: { keys: ['?'], group: 'Everywhere', does: 'Show the keyboard shortcuts' },
  goToRuns: { keys: ['g r'], group: 'Everywhere', does: 'Go to the runs' },
  goToInbox: { keys: ['g i'], group: 'Everywhere', does: 'Go to the inbox' },
  goToWorkflows: { keys: ['g w'], group: 'Everywhere', does: 'Go to the workflows' },
  goToBatches: { keys: ['g b'], group: 'Everywhere', does: 'Go to the batches' },
  goToSchedules: { keys: ['g t'], group: 'Everywhere', does: 'Go to the schedules' },
  goToWebhooks: { keys: ['g h'], group: 'Everywhere', does: 'Go to the webhooks' },
  goToUsage: { keys: ['g u'], group: 'Everywhere', does: 'Go to the usage' },
  goToOperations: { keys: ['g o'], group: 'Everywhere', does: 'Go to the operations' },
  goToSettings: { keys: ['g s'], group: 'Everywhere', does: 'Go to the settings' },
  copyLink: { keys: ['y'], group: 'Everywhere', does: 'Copy the address of what is shown' },
  still: { keys: ['l'], group: 'Everywhere', does: 'Hold updates, or follow live again' },
  filter: { keys: ['/'], group: 'Lists', does: 'Write a filter' },
  next: { keys: ['j'], group: 'Lists', does: 'Move to the next row' },
  previous: { keys: ['k'], group: 'Lists', does: 'Move to the previous row' },
  select: { keys: ['x'], group: 'Runs', does: 'Select the run' },
  selectRange: { keys: ['X'], group: 'Runs', does: 'Select all runs from the last selected one' },
  pause: { keys: ['P'], group: 'A run', does: 'Pause or resume the run' },
  cancel: { keys: ['c'], group: 'A run', does: 'Cancel the run' },
  replay: { keys: ['r'], group: 'A run', does: 'Replay the run' },
  fork: { keys: ['f'], group: 'A run', does: 'Fork the run at the activation that is shown' },
  compare: { keys: ['d'], group: 'A run', does: 'Compare the run with the one that it comes from' },
  tab: { keys: ['1', '2', '3', '4', '5', '6', '7', '8'], group: 'A run', does: 'Show a tab of the run' },
  claim: { keys: ['c'], group: 'Inbox', does: 'Claim the question' },
  answer: { keys: ['a'], group: 'Inbox', does: 'Write the answer, here and in a run that asks' },
  table: { keys: ['t'], group: 'A run', does: 'Show the graph as a table, or as a picture' },
  nextActivation: { keys: ['n'], group: 'A run', does: 'Show the next activation of the node' },
  previousActivation: { keys: ['p'], group: 'A run', does: 'Show the previous activation of the node' },
  closePanel: { keys: ['Escape'], group: 'A run', does: 'Close the panel of the node' },
  nextEvent: { keys: [']'], group: 'A run', does: 'Go to the next event' },
  previousEvent: { keys: ['['], group: 'A run', does: 'Go to the previous event' },
  firstEvent: { keys: ['{'], group: 'A run', does: 'Go to the first event' },
  newestEvent: { keys: ['}'], group: 'A run', does: 'Go to the newest event, live' },
  leave: { keys: ['Escape'], group: 'Lists', does: 'Leave the field, then the selection, then the filter' },
} as const satisfies Record<string, Shortcut>;

/** Name of a shortcut. */
export type ShortcutName = keyof typeof shortcuts;

const stored = 'millrace.letters';
const letterListeners = new Set<() => void>();

/** Returns true if single letters trigger shortcuts in this browser. Dictation and stray keys are reasons to switch them off. */
const areLettersOn = (): boolean => localStorage.getItem(stored) !== 'off';

/** Switches shortcuts of single letters on or off in this browser. */
export function switchLetters(on: boolean): void {
  if (on) localStorage.removeItem(stored);
  else localStorage.setItem(stored, 'off');
  for (const listener of letterListeners) listener();
}

/** Returns true if single letters trigger shortcuts. */
export const useLetters = (): boolean => useSyncExternalStore(subscribeToLetters, areLettersOn);

function subscribeToLetters(listener: () => void): () => void {
  letterListeners.add(listener);
  return () => void letterListeners.delete(listener);
}
