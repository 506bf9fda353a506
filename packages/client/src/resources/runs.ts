import type { Client, OperationInput, RequestOptions } from '../client.ts';
import { parseDuration } from '../generated/duration.ts';
import type { Diagnostic, RunCounts, RunLine, RunResult, StartRun } from '../generated/schemas.ts';
import type { Duration } from '../http/duration.ts';
import { toMilliseconds } from '../http/duration.ts';
import type { Pages } from '../http/pages.ts';
import { pagesOf } from '../http/pages.ts';
import type { RunHandle } from '../run/run-handle.ts';
import { runHandle } from '../run/run-handle.ts';
import { fileIdOf } from './files.ts';

/** Options of a run: those of `POST /v1/runs`, some in a shorter form. */
export interface StartOptions
  extends Omit<StartRun, 'workflow' | 'attachments' | 'timeoutSeconds' | 'ttlSeconds'>,
    RequestOptions {
  /** Uploaded files. */
  readonly attachments?: readonly (string | { readonly id: string })[];
  /** Time limit of the run, without its pauses. */
  readonly timeout?: Duration;
  /** Makes the run temporary: it is removed this long after its start, and lists do not show it. */
  readonly ttl?: Duration;
  /** Idempotency key: within a day, a start with the same key returns the same run. */
  readonly idempotencyKey?: string;
}

/** Filter of a list of runs; `since` and `until` may be durations before now. */
export interface RunsQuery extends Omit<OperationInput<'runs.list'>, 'since' | 'until' | 'cursor' | 'limit'> {
  readonly since?: string | Date;
  readonly until?: string | Date;
  /** Number of runs of a page, at most 200. */
  readonly limit?: number;
}

/** Filter of the counted runs; `since` and `until` may be durations before now. */
export type RunCountsQuery = Pick<RunsQuery, 'workflow' | 'tag' | 'since' | 'until'>;

/** The runs of a tenant. */
export interface RunsResource {
  /** Starts a run of a published workflow (`NAME`, or `NAME@HASH` for a certain version) or of the text of a workflow. */
  start(workflow: string | { readonly yaml: string }, options?: StartOptions): Promise<StartedRun>;
  /** Starts a run and waits for its result; see {@link RunHandle.result}. `timeout` is the time limit of the run. */
  execute(workflow: string | { readonly yaml: string }, options?: StartOptions): Promise<RunResult>;
  /** Lists runs, newest first. */
  list(query?: RunsQuery, options?: RequestOptions): Pages<RunLine>;
  /** Returns numbers of runs by status. */
  counts(query?: RunCountsQuery, options?: RequestOptions): Promise<RunCounts>;
  /** Returns the handle of a run; sends no request. */
  get(id: string): RunHandle;
}

/** The handle of a run that was started. */
export interface StartedRun extends RunHandle {
  /** Warnings about its workflow; none for a key without the scope `read`. */
  readonly workflowWarnings: readonly Diagnostic[];
}

/** Returns the methods of runs. */
export function createRunsResource(client: Client): RunsResource {
  const start: RunsResource['start'] = async (workflow, { idempotencyKey, signal, ...options } = {}) => {
    const input = { workflow, ...startBody(options) };
    const { runId, workflowWarnings = [] } = await client.call('runs.start', input, { idempotencyKey, signal });
    return { ...runHandle(client, runId), workflowWarnings };
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

/** Returns a time in the form of the API; `24h` means 24 hours ago. */
function momentOf(moment: string | Date | undefined): string | undefined {
  if (moment === undefined) return undefined;
  if (moment instanceof Date) return String(moment.getTime());
  const agoMs = parseDuration(moment);
  return agoMs === undefined ? moment : String(Math.round(Date.now() - agoMs));
}
