import type {
  Activation,
  ActivationDetail,
  ForkRunInput,
  ReplayRunInput,
  ResumeRunInput,
  Run,
  Artifact as RunArtifact,
  RunEvent,
  RunGraphs,
  RunResult,
  RunUtterance,
  StopRunInput,
  TaskDetail,
  Terminations,
} from '@millrace/api';
import type { Duration } from '../http/duration.ts';
import { toMilliseconds } from '../http/duration.ts';
import type { StreamEvent } from '../http/event-stream.ts';
import { followRun } from '../http/event-stream.ts';
import type { Http } from '../http/http.ts';
import type { Page, Pages } from '../http/pages.ts';
import { pagesOf } from '../http/pages.ts';
import { defaultRetryWindowMs } from '../http/retry-window.ts';
import type { ResultOptions } from './run-result.ts';
import { waitForResult } from './run-result.ts';

/** Which events are told, and from where on. */
export interface EventOptions {
  /** Types of events, such as `run.finished`, or `activation.*` for all that begin so; absent: all. */
  readonly types?: readonly string[];
  /** Id of the last event that was seen; absent: from the beginning. */
  readonly after?: string;
  readonly signal?: AbortSignal;
  /** How long the server may be away before it is given up; default 5 minutes. */
  readonly patience?: Duration;
}

/** One run: how it stands, what happens in it, and what can be done with it. */
export interface RunHandle {
  readonly id: string;
  describe(): Promise<Run>;
  /**
   * What it has come to, once it has ended. Throws RunFailedError or RunCancelledError when that was not to its end, and
   * WaitTimeoutError when the time is up; a run that a termination has stopped as it was meant to has a result.
   */
  result(options?: ResultOptions): Promise<RunResult>;
  /** What happens, each event once and in order, until it has finished; over as many connections as it takes. */
  events(options?: EventOptions): AsyncGenerator<RunEvent>;
  /** The same, and between the events what steps say while they are at work. */
  follow(options?: Omit<EventOptions, 'types'>): AsyncGenerator<StreamEvent>;
  /** What models and tools say while they are at work, until it has finished. */
  live(options?: { readonly signal?: AbortSignal }): AsyncGenerator<RunUtterance>;
  /** Its events that there are now, from behind one. */
  journal(after?: string): Pages<RunEvent>;
  cancel(reason?: string): Promise<Run>;
  pause(): Promise<Run>;
  resume(options?: ResumeRunInput): Promise<Run>;
  stop(options?: StopRunInput): Promise<Run>;
  retry(): Promise<Run>;
  signal(name: string, note?: string): Promise<Run>;
  /** Another run of the same task, answered from the journal of this one. */
  replay(options?: ReplayRunInput): Promise<RunHandle>;
  /** Another run that shares the past of this one. */
  fork(options: ForkRunInput): Promise<RunHandle>;
  /** Removes it, when it has ended; needs the scope `admin`. */
  remove(): Promise<void>;
  /** Its open questions. */
  tasks(): Pages<TaskDetail>;
  /** The text of a message that an event names. */
  text(message: string): Promise<string>;
  activations(): Pages<Activation>;
  activation(id: string): Promise<ActivationDetail>;
  graph(): Promise<RunGraphs>;
  termination(): Promise<Terminations>;
  /** Lets all of its terminations begin anew, while nothing is at work in it. */
  resetTermination(): Promise<Terminations>;
  /** The files that its nodes have written. */
  artifacts(activation?: string): Promise<readonly RunArtifact[]>;
  /** What is in one of them, by its id. */
  artifact(id: string): Promise<Blob>;
}

/** The run of an id. Nothing is asked yet: whether there is one shows when something is. */
export function runHandle(http: Http, id: string): RunHandle {
  const at = (path = ''): string => `v1/runs/${encodeURIComponent(id)}${path}`;
  const post = <T>(path: string, json: unknown = {}): Promise<T> => http.json<T>(at(path), { method: 'POST', json });
  const another = async (path: string, json: unknown): Promise<RunHandle> =>
    runHandle(http, (await post<Run>(path, json)).runId);
  const follow = ({ patience = defaultRetryWindowMs, ...options }: Omit<EventOptions, 'types'> = {}, live = true) =>
    followRun(http, id, { ...options, live, retryWindowMs: toMilliseconds(patience) });

  return {
    id,
    describe: () => http.json(at()),
    result: (options = {}) => waitForResult(http, id, options),
    follow,
    async *events({ types, ...options } = {}) {
      for await (const streamEvent of follow(options, false)) {
        if (streamEvent.type === 'event' && isWanted(streamEvent.event.event.type, types)) yield streamEvent.event;
      }
    },
    async *live(options) {
      for await (const streamEvent of follow(options)) if (streamEvent.type === 'live') yield streamEvent.said;
    },
    journal: (after) =>
      pagesOf((cursor = after) =>
        http.json<Page<RunEvent>>(at('/events'), {
          query: { cursor, limit: 1000 },
          headers: { accept: 'application/json' },
        }),
      ),
    cancel: (reason) => post('/cancel', reason === undefined ? {} : { reason }),
    pause: () => post('/pause'),
    resume: (options) => post('/resume', options),
    stop: (options) => post('/stop', options),
    retry: () => post('/retry'),
    signal: (name, note) => post(`/signals/${encodeURIComponent(name)}`, note === undefined ? {} : { note }),
    replay: (options) => another('/replay', options),
    fork: (options) => another('/fork', options),
    async remove() {
      await http.request(at(), { method: 'DELETE' });
    },
    tasks: () => pagesOf((cursor) => http.json<Page<TaskDetail>>('v1/tasks', { query: { run: id, cursor } })),
    text: async (message) => (await http.json<{ text: string }>(at(`/messages/${encodeURIComponent(message)}`))).text,
    activations: () =>
      pagesOf((cursor) => http.json<Page<Activation>>(at('/activations'), { query: { cursor, limit: 200 } })),
    activation: (activation) => http.json(at(`/activations/${encodeURIComponent(activation)}`)),
    graph: () => http.json(at('/graph')),
    termination: () => http.json(at('/termination')),
    resetTermination: () => post('/termination/reset'),
    artifacts: async (activation) =>
      (await http.json<{ data: RunArtifact[] }>(at('/artifacts'), { query: { activation } })).data,
    artifact: async (file) => (await http.request(at(`/artifacts/${encodeURIComponent(file)}`))).blob(),
  };
}

function isWanted(type: string, wanted: readonly string[] | undefined): boolean {
  if (wanted === undefined) return true;
  return wanted.some((one) => (one.endsWith('*') ? type.startsWith(one.slice(0, -1)) : type === one));
}
