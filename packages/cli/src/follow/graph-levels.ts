import type { RunGraphs } from '@millrace/client';
import type { LogLevel } from '@millrace/core';

/** Lowest level of the lines about each graph of a run that are printed, by the keys of the graphs; the root's is ''. */
export type GraphLevels = ReadonlyMap<string, LogLevel>;

/** Returns the log levels of graphs as the API has them. */
export const graphLevelsOf = ({ graphs }: RunGraphs): GraphLevels =>
  new Map(graphs.map(({ key, logLevel }) => [key, logLevel]));
