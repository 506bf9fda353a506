/** Time in which the second key of a sequence follows the first, in milliseconds. */
const sequenceMs = 1_200;

/** Key that was pressed, as a `KeyboardEvent` has it. */
export type Pressed = Pick<KeyboardEvent, 'key' | 'metaKey' | 'ctrlKey' | 'altKey' | 'timeStamp'>;

/** Pressed keys in the notation of shortcuts: a single key, and a key with the one before it. */
export interface PressedKeys {
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
