import { useState } from 'react';
import classes from './long-text.module.css';

/** Characters and lines that are shown before somebody asks for more. */
const shown = { characters: 2_000, lines: 14 };

/** A text of any length as it is; long ones are folded. */
export function LongText({ text }: { readonly text: string }) {
  const [isOpen, setOpen] = useState(false);
  const head = text.split('\n', shown.lines).join('\n').slice(0, shown.characters);
  const isLong = head.length < text.length;
  return (
    <>
      <p className={classes['text']}>
        {isLong && !isOpen ? head : text}
        {isLong && !isOpen && '…'}
      </p>
      {isLong && (
        <button type="button" className={classes['more']} onClick={() => setOpen(!isOpen)}>
          {isOpen ? 'Show less' : `Show all ${text.length} characters`}
        </button>
      )}
    </>
  );
}
