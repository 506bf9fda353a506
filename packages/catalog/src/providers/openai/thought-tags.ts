import type { EmitChunk } from '@millrace/core';

/** Receivers of the two parts of a text. */
interface Parts {
  readonly text: EmitChunk;
  readonly thought: EmitChunk;
}

/** A filter of a text that arrives in pieces. */
interface ThoughtFilter {
  add(piece: string): void;
  /** Passes on what was held back. */
  end(): void;
}

const [opening, closing] = ['<think>', '</think>'];
/** Maximum length of white space before an opening tag, in characters. */
const mostSpace = 1000;

/**
 * Separates the thoughts that some servers leave at the start of a text, between `<think>` and `</think>`, from the text
 * after them. Thoughts without an end are thoughts to the last character. At most a tag, and white space before it, is held back.
 */
export function openThoughtFilter({ text, thought }: Parts): ThoughtFilter {
  let state: 'start' | 'thinking' | 'after' | 'text' = 'start';
  let held = '';
  const readers = {
    /** Before the first character of the text. */
    start() {
      const trimmed = held.trimStart();
      if (trimmed.startsWith(opening)) {
        held = trimmed.slice(opening.length);
        state = 'thinking';
      } else if (!opening.startsWith(trimmed) || held.length > mostSpace) state = 'text';
      else return false;
      return true;
    },
    thinking() {
      const at = held.indexOf(closing);
      if (at >= 0) {
        thought(held.slice(0, at));
        held = held.slice(at + closing.length);
        state = 'after';
        return true;
      }
      const kept = tagStart(held);
      thought(held.slice(0, held.length - kept));
      held = held.slice(held.length - kept);
      return false;
    },
    /** White space between the thoughts and the text belongs to neither. */
    after() {
      held = held.trimStart();
      if (held !== '') state = 'text';
      return held !== '';
    },
    text() {
      if (held !== '') text(held);
      held = '';
      return false;
    },
  };
  const read = (): void => {
    while (readers[state]());
  };
  return {
    add(piece) {
      held += piece;
      read();
    },
    end() {
      (state === 'thinking' ? thought : text)(held);
      held = '';
    },
  };
}

/** Returns the number of characters at the end of a text with which a closing tag may begin. */
function tagStart(text: string): number {
  for (let length = Math.min(closing.length - 1, text.length); length > 0; length--)
    if (closing.startsWith(text.slice(-length))) return length;
  return 0;
}
