import type { Client, OperationInput, RequestOptions } from '../client.ts';
import type { RunCounts, RunLine, RunResult, StartRun } from '../generated/schemas.ts';
import type { Duration } from '../http/duration.ts';
import { parseDuration, toMilliseconds } from '../http/duration.ts';
import type { Pages } from '../http/pages.ts';
import { pagesOf } from '../http/pages.ts';
import type { RunHandle } from '../run/run-handle.ts';
import { runHandle } from '../run/run-handle.ts';
import { fileIdOf } from './files.ts';

/** Options of a run: all that `POST /v1/runs` takes, some of it in a shorter form. */
export interface StartOptions
  extends Omit<StartRun, 'workflow' | 'attachments' | 'timeoutSeconds' | 'ttlSeconds'>,
    RequestOptions {
  /** Files that were uploaded. */
  readonly attachments?: readonly (string | { readonly id: string })[];
  /** Time that it may take, pauses not counted. */
  readonly timeout?: Duration;
  /** Makes the run temporary: it is removed so long after its start, and lists do not show it. */
  readonly ttl?: Duration;
  /** Started again under the same key within a day, it is the same run. */
  readonly idempotencyKey?: string;
}

/** Filter of a list of runs; `since` and `until` may be durations: so long ago. */
export interface RunsQuery extends Omit<OperationInput<'runs.list'>, 'since' | 'until' | 'cursor' | 'limit'> {
  readonly since?: string | Date;
  readonly until?: string | Date;
  /** Runs of a page, at most 200. */
  readonly limit?: number;
}

/** Runs that are counted; `since` and `until` may be so long ago. */
export type RunCountsQuery = Pick<RunsQuery, 'workflow' | 'tag' | 'since' | 'until'>;

/** The runs of a tenant. */
export interface RunsResource {
  /** Starts a published workflow (`NAME`, or `NAME@HASH` for a certain version), or the text of one. */
  start(workflow: string | { readonly yaml: string }, options?: StartOptions): Promise<RunHandle>;
  /** The same, and waits for what it comes to; see {@link RunHandle.result}. `timeout` is the run's own. */
  execute(workflow: string | { readonly yaml: string }, options?: StartOptions): Promise<RunResult>;
  /** Newest first. */
  list(query?: RunsQuery, options?: RequestOptions): Pages<RunLine>;
  /** Returns numbers of runs by status. */
  counts(query?: RunCountsQuery, options?: RequestOptions): Promise<RunCounts>;
  /** The run of an id; nothing is asked yet. */
  get(id: string): RunHandle;
}

/** Makes the methods of runs. */
export function createRunsResource(client: Client): RunsResource {
  const start: RunsResource['start'] = async (workflow, { idempotencyKey, signal, ...options } = {}) => {
    const input = { workflow, ...startBody(options) };
    const { runId } = await client.call('runs.start', input, { idempotencyKey, signal });
    return runHandle(client, runId);
  };
  return {
    start,
    async execute(workflow, options = {}) {
      const run = await start(workflow, options);
      return run.result({ signal: options.signal });
    },
    list: ({ since, until, ...query } = {}, options) => {
      const asked = { ...query, since: momentOf(since), until: momentOf(until) };
      return pagesOf((cursor) => client.call('runs.list', { ...asked, cursor }, options));
    },
    counts: ({ since, until, ...query } = {}, options) =>
      client.call('runs.counts', { ...query, since: momentOf(since), until: momentOf(until) }, options),
    get: (id) => runHandle(client, id),
  };
}

function startBody({ attachments, timeout, ttl, ...rest }: Omit<StartOptions, 'idempotencyKey' | 'signal'>) {
  return {
    ...rest,
    ...(attachments === undefined ? {} : { attachments: attachments.map(fileIdOf) }),
    ...(timeout === undefined ? {} : { timeoutSeconds: toMilliseconds(timeout) / 1000 }),
    ...(ttl === undefined ? {} : { ttlSeconds: toMilliseconds(ttl) / 1000 }),
  };
}

/** Returns a time as the API takes it; `24h` is so long ago. */
function momentOf(moment: string | Date | undefined): string | undefined {
  if (moment === undefined) return undefined;
  if (moment instanceof Date) return String(moment.getTime());
  const agoMs = parseDuration(moment);
  return agoMs === undefined ? moment : String(Math.round(Date.now() - agoMs));
}
