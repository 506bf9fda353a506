import { useLocation } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import classes from './target-row.module.css';

const prefix = 'row-';

/** Returns the part of an address that names a row of the list there. */
export const rowHash = (id: string): string => `#${prefix}${encodeURIComponent(id)}`;

/** Returns whether the focus is on a row that the address names: a screen that opens leaves it there. */
export const hasTargetFocus = (): boolean => document.activeElement?.id.startsWith(prefix) === true;

interface List {
  /** Number of rows that are shown. */
  readonly rows: number;
  /** Loads more rows; absent: all are shown. */
  readonly more?: (() => void) | undefined;
}

/**
 * Scrolls to the row that the address names, marks it, and gives it the focus as soon as it is there. Returns the properties
 * of a row.
 */
export function useTargetRow({ rows, more }: List) {
  const location = useLocation();
  const named = location.hash.startsWith(prefix) ? location.hash.slice(prefix.length) : undefined;
  const target = named === undefined ? undefined : decodeURIComponent(named);
  const reached = useRef<unknown>(undefined);
  // biome-ignore lint/correctness/useExhaustiveDependencies: more rows may have the one that is named
  useEffect(() => {
    if (target === undefined || reached.current === location) return;
    const row = document.getElementById(`${prefix}${target}`);
    if (row === null) return more?.();
    reached.current = location;
    row.scrollIntoView({ block: 'center' });
    row.focus({ preventScroll: true });
  }, [location, target, rows]);
  return (id: string) => ({
    id: `${prefix}${id}`,
    tabIndex: -1,
    ...(target === id ? { className: classes['target'] } : {}),
  });
}
