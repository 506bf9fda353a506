import { useEffect, useEffectEvent } from 'react';
import { areLettersOn } from './letters.ts';
import type { ShortcutName } from './shortcut-table.ts';
import { shortcuts } from './shortcut-table.ts';

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
export type Pressed = Pick<KeyboardEvent, 'key' | 'metaKey' | 'ctrlKey' | 'altKey' | 'timeStamp'>;

/** Pressed keys in the notation of shortcuts: a single key, and a key with the one before it. */
interface PressedKeys {
  /** Returns `g` and, shortly after a `g`, `g r` for an `r`. */
  press(event: Pressed): readonly string[];
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

function nameOf({ key, metaKey, ctrlKey, altKey }: Pressed): string {
  const written = key.length === 1 && (metaKey || ctrlKey) ? key.toLowerCase() : key;
  return `${metaKey || ctrlKey ? 'mod+' : ''}${altKey ? 'alt+' : ''}${written}`;
}
