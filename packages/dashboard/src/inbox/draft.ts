import { useState } from 'react';

const keyOf = (task: string): string => `millrace.draft.${task}`;

/** Returns the draft of the answer to a question: this browser keeps it until it is sent. */
export function useDraft(task: string): readonly [text: string, write: (text: string) => void] {
  const [text, setText] = useState(() => localStorage.getItem(keyOf(task)) ?? '');
  const write = (changed: string) => {
    setText(changed);
    if (changed === '') localStorage.removeItem(keyOf(task));
    else localStorage.setItem(keyOf(task), changed);
  };
  return [text, write];
}
