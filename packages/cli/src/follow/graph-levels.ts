import type { RunGraphs } from '@millrace/client';
import type { LogLevel } from '@millrace/core';

/** Minimum level of the printed lines about each graph of a run, by its key; the root graph has ''. */
export type GraphLevels = ReadonlyMap<string, LogLevel>;

/** Returns the log levels of graphs from a response of the API. */
export const graphLevelsOf = ({ graphs }: RunGraphs): GraphLevels =>
  new Map(graphs.map(({ key, logLevel }) => [key, logLevel]));
