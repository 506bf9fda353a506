import type { Diagnostic, Validation } from '@millrace/client';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { millrace } from '../../api/millrace.ts';
import type { CheckedText } from '../text/yaml-editor.tsx';

/** Graphs of a text. */
export type TextGraphs = NonNullable<Validation['graphs']>;

/** Result of the server's check of a text: only the server decides which texts are valid. */
export interface Check {
  /** The newest text that was checked, with its problems. */
  readonly checked: CheckedText | undefined;
  readonly graphs: TextGraphs | undefined;
  readonly isChecking: boolean;
  /** null: none. */
  readonly error: unknown;
  readonly retry: () => void;
}

const keptMs = 30_000;

/** Sends a text to the server for a check whenever it changes. */
export function useCheck(text: string): Check {
  const { data, error, isFetching, refetch } = useQuery({
    queryKey: ['check', text],
    queryFn: async ({ signal }) => ({ text, ...(await millrace.workflows.validate(text, { graph: true, signal })) }),
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: keptMs,
    placeholderData: keepPreviousData,
  });
  const checked = useMemo(() => data && checkedOf(data), [data]);
  return { checked, graphs: data?.graphs, isChecking: isFetching, error, retry: () => void refetch() };
}

const checkedOf = ({ text, diagnostics, graphs }: { readonly text: string } & Validation): CheckedText => ({
  text,
  diagnostics,
  ...(graphs === undefined ? {} : { lines: linesOf(graphs) }),
});

/** Returns the lines of all nodes by their paths. */
const linesOf = ({ graphs }: TextGraphs): Readonly<Record<string, number>> =>
  Object.fromEntries(
    graphs.flatMap(({ key, nodes }) =>
      nodes.flatMap(({ id, line }) => (line === undefined ? [] : [[key === '' ? id : `${key}/${id}`, line]])),
    ),
  );

/** Returns the problems of one severity. */
export const withSeverity = (
  diagnostics: readonly Diagnostic[],
  severity: Diagnostic['severity'],
): readonly Diagnostic[] => diagnostics.filter((one) => one.severity === severity);
