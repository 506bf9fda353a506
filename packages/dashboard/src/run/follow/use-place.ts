import { useNavigate, useSearch } from '@tanstack/react-router';
import { useCallback } from 'react';
import type { GraphPlace } from './graph-place.ts';

type Change = { readonly [K in keyof GraphPlace]?: GraphPlace[K] | undefined };

/** Changes the place; fields that are undefined are left out of the address from then on. */
export type MovePlace = (change: Change, how?: { readonly isStep?: boolean }) => void;

/** Returns the place in the address, and functions that change it. The "back" button returns from a step. */
export function usePlace(): readonly [GraphPlace, MovePlace] {
  const place = useSearch({ from: '/runs/$run/graph' });
  const navigate = useNavigate({ from: '/runs/$run/graph' });
  const move = useCallback<MovePlace>(
    (change, { isStep = false } = {}) =>
      void navigate({
        search: (before) =>
          Object.fromEntries(Object.entries({ ...before, ...change }).filter(([, value]) => value !== undefined)),
        replace: !isStep,
        resetScroll: false,
      }),
    [navigate],
  );
  return [place, move];
}
