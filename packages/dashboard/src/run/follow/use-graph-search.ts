import { useNavigate, useSearch } from '@tanstack/react-router';
import { useCallback } from 'react';
import type { GraphSearch } from './graph-search.ts';

type Change = { readonly [K in keyof GraphSearch]?: GraphSearch[K] | undefined };

/** Changes the place; fields that are undefined are left out of the address from then on. */
export type MoveSearch = (change: Change, how?: { readonly isStep?: boolean }) => void;

/** Returns the place in the address, and functions that change it. The "back" button returns from a step. */
export function useGraphSearch(): readonly [GraphSearch, MoveSearch] {
  const search = useSearch({ from: '/runs/$run/graph' });
  const navigate = useNavigate({ from: '/runs/$run/graph' });
  const move = useCallback<MoveSearch>(
    (change, { isStep = false } = {}) =>
      void navigate({
        search: (before) =>
          Object.fromEntries(Object.entries({ ...before, ...change }).filter(([, value]) => value !== undefined)),
        replace: !isStep,
        resetScroll: false,
      }),
    [navigate],
  );
  return [search, move];
}
