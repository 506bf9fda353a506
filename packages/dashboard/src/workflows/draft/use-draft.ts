import { useCallback, useEffect, useRef, useState } from 'react';
import { serverNow } from '../../api/server-clock.ts';

/** Unpublished text. This browser keeps it until it is published or dropped. */
export interface Draft {
  readonly text: string;
  /** Hash of the version that it began with; null: nothing was published under the name. */
  readonly base: string | null;
  /** Time when this browser stored it, in milliseconds since 1970; undefined for the text of the version itself. */
  readonly savedAt: number | undefined;
  /** This browser could not store it. */
  readonly isUnsaved: boolean;
}

/** A draft, and functions that change it. */
export interface DraftAccess {
  readonly draft: Draft;
  write(text: string): void;
  /** Continues the same text as a change of another version. */
  rebase(base: string | null): void;
  /** Drops the changes and begins with a version. */
  restart(start: Pick<Draft, 'text' | 'base'>): void;
  /** Text that another tab has stored since this one did; until one of both is taken, nothing of this tab is stored. */
  readonly rival: Draft | undefined;
  /** Continues with the text of the other tab. */
  takeRival(): void;
  /** Stores the text of this tab over that of the other one. */
  keepOwn(): void;
}

/** Owner and workflow of a draft. */
export interface DraftKey {
  readonly tenant: string;
  /** Empty for a workflow without a name. */
  readonly name: string;
}

const keyOf = ({ tenant, name }: DraftKey): string => `millrace.workflow-draft.${tenant}.${name}`;

/** Returns the draft of a workflow, which begins with a version. */
export function useDraft(of: DraftKey, start: Pick<Draft, 'text' | 'base'>): DraftAccess {
  const key = keyOf(of);
  const [draft, setDraft] = useState<Draft>(() => stored(key) ?? { ...start, savedAt: undefined, isUnsaved: false });
  const [rival, setRival] = useState<Draft>();
  const hasRival = useRef(false);
  const meet = useCallback((other: Draft | undefined) => {
    hasRival.current = other !== undefined;
    setRival(other);
  }, []);
  const write = useCallback(
    (text: string) =>
      setDraft((before) =>
        hasRival.current ? { ...before, text, savedAt: undefined } : store(key, { text, base: before.base }),
      ),
    [key],
  );
  useEffect(() => {
    // The browser reports changes by other tabs; a draft that was dropped there is kept here.
    const onStorage = (event: StorageEvent) => {
      if (event.key === key && event.newValue !== null) meet(stored(key));
    };
    addEventListener('storage', onStorage);
    return () => removeEventListener('storage', onStorage);
  }, [key, meet]);
  const rebase = useCallback(
    (base: string | null) => setDraft((before) => store(key, { text: before.text, base })),
    [key],
  );
  const restart = useCallback(
    (begun: Pick<Draft, 'text' | 'base'>) => {
      localStorage.removeItem(key);
      meet(undefined);
      setDraft({ ...begun, savedAt: undefined, isUnsaved: false });
    },
    [key, meet],
  );
  const takeRival = () => {
    if (rival !== undefined) setDraft(rival);
    meet(undefined);
  };
  const keepOwn = () => {
    meet(undefined);
    setDraft((before) => store(key, before));
  };
  const isRival = rival !== undefined && rival.text !== draft.text;
  return { draft, write, rebase, restart, rival: isRival ? rival : undefined, takeRival, keepOwn };
}

/** Returns the draft of a workflow that this browser has. */
export const readDraft = (of: DraftKey): Draft | undefined => stored(keyOf(of));

/** Makes a text the draft of a workflow. */
export const writeDraft = (of: DraftKey, start: Pick<Draft, 'text' | 'base'>): void => void store(keyOf(of), start);

function stored(key: string): Draft | undefined {
  try {
    const { text, base, savedAt } = JSON.parse(localStorage.getItem(key) ?? '') as Partial<Draft>; // written below
    if (typeof text !== 'string' || base === undefined || savedAt === undefined) return undefined;
    return { text, base, savedAt, isUnsaved: false };
  } catch {
    return undefined;
  }
}

function store(key: string, { text, base }: Pick<Draft, 'text' | 'base'>): Draft {
  const savedAt = serverNow();
  try {
    localStorage.setItem(key, JSON.stringify({ text, base, savedAt }));
    return { text, base, savedAt, isUnsaved: false };
  } catch {
    return { text, base, savedAt: undefined, isUnsaved: true };
  }
}
