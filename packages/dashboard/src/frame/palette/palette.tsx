import { useNavigate, useRouter } from '@tanstack/react-router';
import type { KeyboardEvent } from 'react';
import { useId, useLayoutEffect, useRef, useState } from 'react';
import { Dialog } from '../../kit/controls/dialog.tsx';
import { Problem } from '../../kit/states/problem.tsx';
import type { PaletteEntry } from './entries.tsx';
import { useEntries } from './entries.tsx';
import classes from './palette.module.css';
import { takeTyped } from './typed-ahead.ts';

/** Dialog that opens screens, finds runs and executes commands, by typing. */
export function Palette({ close }: { readonly close: () => void }) {
  const [text, setText] = useState('');
  const [marked, mark] = useState(0);
  const { entries, error, isSearching } = useEntries(text.trim());
  const list = useId();
  const field = useRef<HTMLInputElement>(null);
  const navigate = useNavigate();
  const router = useRouter();
  // Immediately, so that no typed character is lost while the dialog opens.
  useLayoutEffect(() => field.current?.focus(), []);
  const at = Math.min(marked, Math.max(0, entries.length - 1));
  const choose = ({ target, obstacle }: PaletteEntry) => {
    if (obstacle !== undefined) return;
    close();
    if ('act' in target) target.act();
    // A closed dialog returns the focus first; a row takes it after that.
    else if ('href' in target) setTimeout(() => router.history.push(`${router.basepath}${target.href}`));
    else void navigate(target);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined) {
      event.preventDefault();
      mark((at + step + entries.length) % Math.max(1, entries.length));
    }
    const chosen = entries[at];
    if (event.key !== 'Enter' || chosen === undefined) return;
    // The focus moves while the key is down; it must not press the button that gets it.
    event.preventDefault();
    choose(chosen);
  };
  return (
    <Dialog title="Go to, find, act" size="large" close={close} focused={field}>
      <input
        ref={field}
        className={classes['input']}
        role="combobox"
        aria-expanded
        aria-controls={list}
        aria-activedescendant={entries[at] === undefined ? undefined : `${list}-${at}`}
        aria-label="Screen, run or action"
        placeholder="Screen, action, or the id or words of a run"
        value={text}
        onChange={({ target }) => {
          setText(target.value);
          mark(0);
        }}
        onFocus={() => {
          const typed = takeTyped();
          if (typed !== '') setText((before) => before + typed);
        }}
        onKeyDown={onKeyDown}
      />
      {error !== null && <Problem error={error} />}
      <div role="listbox" id={list} aria-label="What is found" className={classes['list']} tabIndex={-1}>
        {entries.map((entry, index) => (
          <Entry
            key={entry.id}
            id={`${list}-${index}`}
            entry={entry}
            isMarked={index === at}
            isFirstOfGroup={entries[index - 1]?.group !== entry.group}
            choose={() => choose(entry)}
          />
        ))}
      </div>
      {entries.length === 0 && !isSearching && (
        <p className={`${classes['none']} muted`}>Nothing is called “{text}”.</p>
      )}
    </Dialog>
  );
}

interface EntryProps {
  readonly id: string;
  readonly entry: PaletteEntry;
  readonly isMarked: boolean;
  readonly isFirstOfGroup: boolean;
  readonly choose: () => void;
}

function Entry({ id, entry, isMarked, isFirstOfGroup, choose }: EntryProps) {
  const { icon, title, hint, obstacle, group } = entry;
  return (
    <>
      {isFirstOfGroup && (
        <div role="presentation" className={`${classes['group']} muted small strong`}>
          {group}
        </div>
      )}
      {/* biome-ignore lint/a11y/useKeyWithClickEvents: the field above has the focus and handles the keys */}
      <div
        role="option"
        id={id}
        tabIndex={-1}
        aria-selected={isMarked}
        aria-disabled={obstacle !== undefined}
        ref={(element) => (isMarked ? element?.scrollIntoView({ block: 'nearest' }) : undefined)}
        className={`${classes['entry']} row`}
        onClick={choose}
      >
        {icon}
        <span className={`grow cut ${obstacle === undefined ? '' : 'muted'}`}>{title}</span>
        <span className={`${classes['hint']} cut muted small`} title={obstacle}>
          {hint}
        </span>
      </div>
    </>
  );
}
