import type { Client, LiveEvent, OperationInput, PageOptions, RequestOptions, StreamEvent } from '../client.ts';
import type {
  Activation,
  ActivationDetail,
  CallDetail,
  CallLine,
  ForkPreview,
  ForkRun,
  ReplayRun,
  ResumeRun,
  Run,
  Artifact as RunArtifact,
  RunDensity,
  RunEvent,
  RunGraphs,
  RunMessage,
  RunResult,
  RunWorkflow,
  SignalRun,
  StopRun,
  TaskDetail,
  Terminations,
  Timeline,
} from '../generated/schemas.ts';
import type { Duration } from '../http/duration.ts';
import { toMilliseconds } from '../http/duration.ts';
import type { Pages } from '../http/pages.ts';
import { pagesOf } from '../http/pages.ts';
import { createRetryWindow, defaultRetryWindowMs } from '../http/retry-window.ts';
import { backoffMs, sleep } from '../http/sleep.ts';
import type { CopyOptions } from './copy-progress.ts';
import { reportingProgress } from './copy-progress.ts';
import type { ResultOptions } from './run-result.ts';
import { waitForResult } from './run-result.ts';

/** Filter of events, and their start. */
export interface EventOptions {
  /** Types of events, such as `run.finished`, or `activation.*` for all types with this prefix; absent: all. */
  readonly types?: readonly string[];
  /** Id of the last known event; absent: from the beginning. */
  readonly after?: string;
  readonly signal?: AbortSignal | undefined;
  /** Time that the server may be unreachable before the method throws; default 5 minutes. */
  readonly patience?: Duration;
}

/** Filter of activations, and the size of pages. */
export type ActivationFilter = Omit<OperationInput<'runs.activations'>, 'id' | 'cursor'>;
/** Filter of the events of a page, and their order. */
export type EventFilter = Omit<OperationInput<'runs.journal'>, 'id' | 'cursor'>;
/** Part of a timeline. */
export type TimelineRange = Omit<OperationInput<'runs.timeline'>, 'id'>;

/** Event as of which graphs are returned, and an option to include everything in progress. */
export type GraphQuery = Omit<OperationInput<'runs.graph'>, 'id'>;

/** Handle of one run: its state, its events and its controls. */
export interface RunHandle {
  readonly id: string;
  /** Returns the state of the run; with `head`, without the outputs of its nodes, which may be long. */
  describe(view?: 'head', request?: RequestOptions): Promise<Run>;
  /**
   * Waits for the end of the run and returns its result. Throws RunFailedError or RunCancelledError if the run did not complete,
   * and WaitTimeoutError after the time limit. A run that one of its terminations stopped counts as completed.
   */
  result(options?: ResultOptions): Promise<RunResult>;
  /** Yields each event once and in order until the run has finished; reconnects as needed. */
  events(options?: EventOptions): AsyncGenerator<RunEvent>;
  /** Yields events, and live output of steps between them. */
  follow(options?: Omit<EventOptions, 'types'>): AsyncGenerator<StreamEvent>;
  /** Yields live output of models and tools until the run has finished. */
  live(options?: RequestOptions): AsyncGenerator<LiveEvent>;
  /** Lists the events so far, from the one after `after`. */
  journal(after?: string, request?: PageOptions): Pages<RunEvent>;
  cancel(reason?: string, request?: RequestOptions): Promise<Run>;
  pause(request?: RequestOptions): Promise<Run>;
  resume(options?: ResumeRun, request?: RequestOptions): Promise<Run>;
  stop(options?: StopRun, request?: RequestOptions): Promise<Run>;
  retry(request?: RequestOptions): Promise<Run>;
  /** Sends a signal to the nodes and terminations that wait for it, with a note, or with data and the id of the event. */
  signal(name: string, signal?: string | SignalRun, request?: RequestOptions): Promise<Run>;
  /** Starts a replay: a run of the same task that uses the recorded steps of this run. */
  replay(options?: ReplayRun, request?: CopyOptions): Promise<RunHandle>;
  /** Starts a fork: a run that shares the history of this run up to an activation. */
  fork(options: ForkRun, request?: CopyOptions): Promise<RunHandle>;
  /** Returns the history that a fork at an activation would share, and the calls that it would repeat. */
  previewFork(at: string, request?: RequestOptions): Promise<ForkPreview>;
  /** Removes the run, which must have ended; needs the scope `admin`. */
  remove(request?: RequestOptions): Promise<void>;
  /** Lists the open questions of the run. */
  tasks(request?: PageOptions): Pages<TaskDetail>;
  /** Lists the events so far, filtered by type, in either order. */
  searchEvents(filter?: EventFilter, request?: RequestOptions): Pages<RunEvent>;
  /** Returns the text of a message by its id in an event. */
  text(message: string, request?: RequestOptions): Promise<string>;
  /** Returns the first bytes of the text of a message, without an incomplete character at the end. */
  textStart(message: string, bytes: number, request?: RequestOptions): Promise<string>;
  /** Returns a message; with `head`, only the first 2,048 characters of its text. */
  message(id: string, view?: 'head', request?: RequestOptions): Promise<RunMessage>;
  /** Lists activations, with the filters of `GET /v1/runs/:id/activations`. */
  activations(filter?: ActivationFilter, request?: RequestOptions): Pages<Activation>;
  /** Returns up to 10,000 activations in columns. */
  timeline(range?: TimelineRange, request?: RequestOptions): Promise<Timeline>;
  /** Returns an activation; with `heads`, only the first 2,048 characters of each message. */
  activation(id: string, bodies?: 'heads', request?: RequestOptions): Promise<ActivationDetail>;
  /** Lists the calls of an activation. */
  calls(activation: string, request?: RequestOptions): Promise<readonly CallLine[]>;
  /** Returns a call of an activation: what the model was asked, and its reply; with `heads`, the beginnings of messages. */
  call(activation: string, step: number, bodies?: 'heads', request?: RequestOptions): Promise<CallDetail>;
  /** Returns the graphs of the run now, or after an event; with `progress`, also everything in progress. */
  graph(at?: string | GraphQuery, request?: RequestOptions): Promise<RunGraphs>;
  /** Returns the numbers of events in up to 256 equal parts of the journal. */
  density(request?: RequestOptions): Promise<RunDensity>;
  /** Returns the text of the workflow that the run was started with, and the lines of its nodes. */
  workflow(request?: RequestOptions): Promise<RunWorkflow>;
  termination(request?: RequestOptions): Promise<Terminations>;
  /** Resets all terminations of the run; refused while an activation is executing. */
  resetTermination(request?: RequestOptions): Promise<Terminations>;
  /** Returns the archive of the run as of now, lines of JSON, which `millrace replay --file` reads. */
  archive(request?: RequestOptions): Promise<Blob>;
  /** Returns the files that the nodes of the run have written. */
  artifacts(activation?: string, request?: RequestOptions): Promise<readonly RunArtifact[]>;
  /** Returns the content of a file, or of its version with a digest. */
  artifact(id: string, digest?: string, request?: RequestOptions): Promise<Blob>;
  /** Returns the versions of a file, the oldest first. */
  fileVersions(id: string, request?: RequestOptions): Promise<readonly RunArtifact[]>;
}

/** Returns the handle of a run. Sends no request, so the run need not exist. */
export function runHandle(client: Client, id: string): RunHandle {
  const follow = ({ patience = defaultRetryWindowMs, ...options }: Omit<EventOptions, 'types'> = {}, live = true) =>
    followRun(client, id, { ...options, live, retryWindowMs: toMilliseconds(patience) });
  return {
    id,
    ...controlOf(client, id),
    ...viewsOf(client, id),
    result: (options = {}) => waitForResult(client, id, options),
    follow,
    async *events({ types, ...options } = {}) {
      for await (const streamEvent of follow(options, false)) {
        if (streamEvent.type === 'event' && isWanted(streamEvent.event.event.type, types)) yield streamEvent.event;
      }
    },
    async *live(options) {
      for await (const streamEvent of follow(options)) if (streamEvent.type === 'live') yield streamEvent.event;
    },
  };
}

type RunControl = Pick<
  RunHandle,
  | 'cancel'
  | 'pause'
  | 'resume'
  | 'stop'
  | 'retry'
  | 'signal'
  | 'replay'
  | 'fork'
  | 'previewFork'
  | 'remove'
  | 'resetTermination'
>;

const controlOf = (client: Client, id: string): RunControl => ({
  cancel: (reason, request) => client.call('runs.cancel', { id, reason }, request),
  pause: (request) => client.call('runs.pause', { id }, request),
  resume: (options, request) => client.call('runs.resume', { id, ...options }, request),
  stop: (options, request) => client.call('runs.stop', { id, ...options }, request),
  retry: (request) => client.call('runs.retry', { id }, request),
  signal: (name, signal, request) =>
    client.call('runs.signal', { id, name, ...(typeof signal === 'string' ? { note: signal } : signal) }, request),
  replay: (options, copy = {}) =>
    reportingProgress(client, copy, {
      runId: options?.runId,
      send: async ({ runId, request }) =>
        runHandle(client, (await client.call('runs.replay', { id, ...options, runId }, request)).runId),
    }),
  fork: (options, copy = {}) =>
    reportingProgress(client, copy, {
      runId: options.runId,
      send: async ({ runId, request }) =>
        runHandle(client, (await client.call('runs.fork', { id, ...options, runId }, request)).runId),
    }),
  previewFork: (at, request) => client.call('runs.previewFork', { id, at }, request),
  resetTermination: (request) => client.call('runs.resetTerminations', { id }, request),
  async remove(request) {
    await client.call('runs.remove', { id }, request);
  },
});

type RunViews = Pick<
  RunHandle,
  | 'describe'
  | 'journal'
  | 'tasks'
  | 'text'
  | 'textStart'
  | 'message'
  | 'searchEvents'
  | 'activations'
  | 'timeline'
  | 'activation'
  | 'calls'
  | 'call'
  | 'graph'
  | 'density'
  | 'workflow'
  | 'termination'
  | 'archive'
  | 'artifacts'
  | 'artifact'
  | 'fileVersions'
>;

const viewsOf = (client: Client, id: string): RunViews => ({
  describe: (view, request) => client.call('runs.get', { id, view }, request),
  journal: (after, { limit = 1000, ...request } = {}) =>
    pagesOf((cursor = after) => client.call('runs.journal', { id, cursor, limit }, request)),
  tasks: ({ limit, ...request } = {}) =>
    pagesOf((cursor) => client.call('tasks.list', { run: id, cursor, limit }, request)),
  searchEvents: (filter, request) =>
    pagesOf((cursor) => client.call('runs.journal', { limit: 1000, ...filter, id, cursor }, request)),
  message: (mid, view, request) => client.call('runs.message', { id, mid, view }, request),
  text: async (message, request) => (await client.call('runs.message', { id, mid: message }, request)).text,
  async textStart(mid, bytes, request) {
    const call = { ...request, range: { from: 0, to: bytes - 1 } };
    const start = await client.content('runs.messageText', { id, mid }, call);
    return new TextDecoder().decode(await start.arrayBuffer(), { stream: true });
  },
  activations: (filter, request) =>
    pagesOf((cursor) => client.call('runs.activations', { limit: 200, ...filter, id, cursor }, request)),
  timeline: (range, request) => client.call('runs.timeline', { ...range, id }, request),
  activation: (activation, bodies, request) => client.call('runs.activation', { id, aid: activation, bodies }, request),
  calls: async (aid, request) => (await client.call('runs.calls', { id, aid }, request)).data,
  call: (aid, step, bodies, request) => client.call('runs.call', { id, aid, step, bodies }, request),
  graph: (of, request) => client.call('runs.graph', { id, ...(typeof of === 'string' ? { at: of } : of) }, request),
  density: (request) => client.call('runs.density', { id }, request),
  workflow: (request) => client.call('runs.workflow', { id }, request),
  termination: (request) => client.call('runs.terminations', { id }, request),
  archive: (request) => client.content('runs.archive', { id }, request),
  artifacts: async (activation, request) => (await client.call('runs.artifacts', { id, activation }, request)).data,
  artifact: (file, digest, request) => client.content('runs.artifact', { id, file, digest }, request),
  fileVersions: async (file, request) => (await client.call('runs.fileVersions', { id, file }, request)).data,
});

function isWanted(type: string, wanted: readonly string[] | undefined): boolean {
  if (wanted === undefined) return true;
  return wanted.some((one) => (one.endsWith('*') ? type.startsWith(one.slice(0, -1)) : type === one));
}

/** Options of following a run. */
interface RunStreamOptions {
  /** Id of the last event that was seen; absent: from the beginning. */
  readonly after?: string | undefined;
  /** Includes live output of steps. */
  readonly live: boolean;
  readonly signal?: AbortSignal | undefined;
  /** Time that the server may be unreachable before the method throws, in milliseconds. */
  readonly retryWindowMs: number;
}

const maxReconnectDelayMs = 5_000;

/**
 * Follows a run until it has finished, and reconnects as needed. Each connection continues after the last event of the
 * previous one, so each event is yielded exactly once. Throws ConnectionError if the server stays unreachable, and
 * ApiProblem if it refuses.
 */
async function* followRun(client: Client, run: string, streamOptions: RunStreamOptions): AsyncGenerator<StreamEvent> {
  const { signal, live } = streamOptions;
  const wanted = { id: run, ...(live ? {} : { live: 'false' as const }) };
  const retryWindow = createRetryWindow(streamOptions.retryWindowMs);
  let { after } = streamOptions;
  let finished = false;
  let failures = 0;
  for (;;) {
    try {
      const stream = await client.events('runs.events', { ...wanted, 'last-event-id': after }, { signal });
      if (stream === undefined) return;
      retryWindow.reset();
      for await (const streamEvent of stream) {
        failures = 0;
        if (streamEvent.type === 'event') {
          after = streamEvent.event.id;
          finished = streamEvent.event.event.type === 'run.finished';
        }
        yield streamEvent;
      }
      signal?.throwIfAborted();
    } catch (error) {
      signal?.throwIfAborted();
      // The run may have been resumed since; all events up to this end were yielded.
      if (finished) return;
      retryWindow.check(error);
    }
    await rest(failures, signal);
    failures += 1;
  }
}

/** Waits before the next connection: a server that restarts closes its streams, and needs a moment. */
async function rest(failures: number, signal: AbortSignal | undefined): Promise<void> {
  if (failures > 0) await sleep(backoffMs(failures, maxReconnectDelayMs), signal);
}
