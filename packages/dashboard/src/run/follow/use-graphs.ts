import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { graphsQuery } from './run-queries.ts';

/** Options of loading the graphs of a run. */
interface GraphsOptions {
  /** The page has no projection of its own: the journal is being loaded, or too long for the past. Then the server returns it. */
  readonly isUnfolded?: boolean;
  /** Event as of which the graphs are returned; absent: now. */
  readonly at?: string | undefined;
}

/** Loads the graphs of a run with the state of their nodes as the server has it. */
export const useGraphs = (run: string, { isUnfolded = false, at }: GraphsOptions = {}) =>
  useQuery({ ...graphsQuery(run, isUnfolded ? at : undefined), placeholderData: keepPreviousData });
