import type { ActivationId, JournalEntry, MessageBody, MessageId, Origin, QuestionPlace, RunId } from '@millrace/core';
import { omitUndefined, questionId, RequestError, textOf, withoutTenant } from '@millrace/core';
import type { DensityProjection } from '@millrace/core/projection';
import type { LRUCache } from 'lru-cache';
import { activationEntries } from '../activations/activation-entries.ts';
import type { ActivationDetail } from '../activations/activations.ts';
import { findActivation } from '../activations/activations.ts';
import type { ActivationPage, ActivationQuery } from '../activations/list-activations.ts';
import { listActivations } from '../activations/list-activations.ts';
import type { CallDetail, CallLine, CallPlace } from '../activations/model-calls.ts';
import { findCall, listCalls } from '../activations/model-calls.ts';
import type { Timeline, TimelineRange } from '../activations/timeline.ts';
import { readTimeline } from '../activations/timeline.ts';
import type { Content, ContentStream } from '../blobs/content.ts';
import { contentOf, textContent } from '../blobs/content.ts';
import type { RunControl } from '../commit/run-control.ts';
import type {
  ActivationQuestion,
  Answer,
  CallDecision,
  CallQuestion,
  ForkRequest,
  ReplayRequest,
  RunDefinition,
  RunDescription,
  Runs,
} from '../contract/runs.ts';
import type { PlainEntry } from '../events/plain-entry.ts';
import { plainEntries, plainEntry } from '../events/plain-entry.ts';
import type { EntryReader, PublishedEntry } from '../events/read-events.ts';
import { createEntryReader } from '../events/read-events.ts';
import type { EventQuery } from '../events/search-events.ts';
import { searchEvents } from '../events/search-events.ts';
import type { Live } from '../live/live.ts';
import { archivePieces } from '../maintenance/retention/run-archive.ts';
import { BodyMissing, runGone } from '../ports/store/errors.ts';
import type { Store } from '../ports/store/port.ts';
import type { Claims } from '../runs/claims.ts';
import type { InboxTask } from '../runs/inbox.ts';
import { findTask } from '../runs/inbox.ts';
import type { RunTermination } from '../runs/run-terminations.ts';
import { terminationsOfRun } from '../runs/run-terminations.ts';
import { watchPages } from '../runs/watch.ts';
import { archiveForTenant, runForTenant, taskForTenant } from './for-tenant.ts';

/** Activity of a run over its journal. */
export interface RunDensity extends Readonly<DensityProjection> {
  /** Id and time of the last event that it covers. */
  readonly event: string;
  readonly at: number;
}

/** The methods of `T` that are about one run, without their first parameter: the run is known. */
type OfRun<T> = {
  readonly [K in keyof T]: T[K] extends (run: RunId, ...rest: infer Rest) => infer Result
    ? (...rest: Rest) => Result
    : never;
};

/** A run of a tenant: what can be read of it and done with it. Reads of a run that does not exist return undefined, or throw RequestError. */
export interface TenantRun
  extends OfRun<
    RunControl &
      Pick<
        Runs,
        | 'exists'
        | 'describe'
        | 'describeStarted'
        | 'artifacts'
        | 'artifact'
        | 'fileVersions'
        | 'graphs'
        | 'remove'
        | 'previewFork'
      >
  > {
  /** Answers a question. Throws RequestError, also if another person has claimed it. */
  answer(question: ActivationQuestion, answer: Answer): Promise<void>;
  /** Decides on a call of a tool that an activation asks about. Throws RequestError, also if another person has claimed it. */
  decide(question: CallQuestion, decision: CallDecision): Promise<void>;
  /** Returns one question, open or closed. Throws RequestError when it was never asked. */
  task(question: QuestionPlace): Promise<InboxTask>;
  /** Returns a file in the input of an open question. Throws RequestError. */
  taskAttachment(question: QuestionPlace, id: string): Promise<Content>;
  /** Returns an archive of the run as of now, as its tenant may read it. Throws RequestError. */
  archive(): Promise<ContentStream>;
  /** Starts a run that repeats this one with its recorded steps. Throws RequestError. */
  replay(request: ReplayRequest): Promise<RunId>;
  /** Starts a run that shares the history of this one. Throws RequestError. */
  fork(request: ForkRequest): Promise<RunId>;
  /** Yields entries after `after` as they happen; ends after `run.finished`, or when the signal is aborted. */
  watch(after: string, signal: AbortSignal): AsyncIterable<PlainEntry>;
  /** Yields its live events. */
  listen(signal: AbortSignal): ReturnType<Live['listen']>;
  journal(after: string, limit: number): Promise<readonly PlainEntry[]>;
  /** Yields the entries of an activation until it has settled; none when there is no such activation, or run. */
  entriesOf(activation: ActivationId): AsyncIterable<PlainEntry>;
  /** Returns entries as `journal` does, with names of nodes and the beginnings of texts. Throws RequestError. */
  readEvents(after: string, limit: number): Promise<readonly PublishedEntry[]>;
  /** Returns a page of such entries, of some types and in any order; `next` is where the next page begins. */
  searchEvents(query: EventQuery): Promise<{ readonly entries: readonly PublishedEntry[]; readonly next?: string }>;
  /** Yields entries as `watch` does, with names of nodes and the beginnings of texts. */
  followEvents(after: string, signal: AbortSignal): AsyncIterable<PublishedEntry>;
  /** Lists activations of a run; undefined when there is no such run. */
  activations(query: ActivationQuery): Promise<ActivationPage | undefined>;
  /** Reads a timeline of activations of a run; undefined when there is no such run. */
  timeline(range: TimelineRange): Promise<Timeline | undefined>;
  /** Returns a message that the journal names; undefined when there is no such message, or run. */
  message(id: MessageId): Promise<MessageBody | undefined>;
  /** Returns the text of a message as a file; undefined when there is no such message, or run. */
  messageText(id: MessageId): Promise<Content | undefined>;
  /** With `chars`, only so many characters of each message; undefined when there is no such activation, or run. */
  activation(id: ActivationId, chars?: number): Promise<ActivationDetail | undefined>;
  /** Lists the calls of an activation; undefined when there is no such activation, or run. */
  calls(id: ActivationId): Promise<readonly CallLine[] | undefined>;
  /** Returns a call with its request and its result; undefined when there is no such call, activation or run. */
  call(place: CallPlace): Promise<CallDetail | undefined>;
  /** Returns the activity of a run over its whole journal; undefined when there is no such run. */
  density(): Promise<RunDensity | undefined>;
  /** Returns the workflow that a run was started with; undefined when there is no such run. */
  definition(): Promise<RunDefinition | undefined>;
  /** Returns the progress of the terminations of a run and its scopes; undefined when there is no such run. */
  terminations(): Promise<readonly RunTermination[] | undefined>;
}

/** Entries of a journal in their order, and the ids after which they begin and end, if others follow. */
interface Page {
  readonly entries: readonly JournalEntry[];
  readonly from: string;
  readonly to: string | undefined;
}

/** Readers by the end of what they have read: the next page needs no search for the names that they know. */
export type EntryReaders = LRUCache<string, EntryReader>;

/** Creates the access of a tenant to one of its runs. `name` is the id that the tenant knows, `run` the full one. */
export function createTenantRun(
  { runs, store, claims, readers }: { runs: Runs; store: Store; claims: Claims; readers: () => EntryReaders },
  { name, run, scoped, inside }: { name: string; run: RunId; scoped: ScopeErrors; inside: (name: string) => RunId },
): TenantRun {
  /** Binds the run as the first argument of a method; errors name runs as the tenant does. */
  const of =
    <Rest extends unknown[], Result>(method: (run: RunId, ...rest: Rest) => Promise<Result>) =>
    (...rest: Rest): Promise<Result> =>
      scoped(method(run, ...rest));
  const inbox = { runs, store, claims };
  const asInside = ({ as }: { readonly as?: RunId }) => (as === undefined ? {} : { as: inside(as) });
  const reader = async () => {
    const now = await scoped(runs.refresh(run));
    if (now === undefined) throw runGone();
    return createEntryReader({ store, blobs: runs.blobs }, run, now);
  };
  async function readOn({ entries, from, to }: Page): Promise<readonly PublishedEntry[]> {
    const before = `${run} ${from}`;
    const known = entries.length === 0 ? undefined : readers().get(before);
    readers().delete(before);
    const read = known ?? (await reader());
    const named = await read(entries);
    if (to !== undefined) readers().set(`${run} ${to}`, read);
    return named;
  }
  const message = async (id: MessageId): Promise<MessageBody | undefined> => {
    try {
      return (await runs.bodies(run, [id]))[0];
    } catch (error) {
      if (error instanceof BodyMissing) return undefined;
      throw error;
    }
  };
  return {
    control: of(runs.control),
    cancel: of(runs.cancel),
    stop: of(runs.stop),
    signal: of(runs.signal),
    resume: of(runs.resume),
    remove: of(runs.remove),
    artifacts: of(runs.artifacts),
    artifact: of(runs.artifact),
    fileVersions: of(runs.fileVersions),
    graphs: of(runs.graphs),
    previewFork: of(runs.previewFork),
    exists: () => scoped(runs.exists(run)),
    async describe(view) {
      const description = await scoped(runs.describe(run, view));
      return description && describedForTenant(description);
    },
    async describeStarted() {
      const description = await scoped(runs.describeStarted(run));
      return description && describedForTenant(description);
    },
    answer: (question, answer) =>
      claims.answering(questionId(name, question), answer.by, () => scoped(runs.answer(run, question, answer))),
    decide: (question, decision) =>
      claims.answering(questionId(name, question), decision.by, () => scoped(runs.decide(run, question, decision))),
    task: async (question) => taskForTenant(await scoped(findTask(inbox, run, question))),
    async taskAttachment(question, id) {
      const { attachments = [] } = await scoped(findTask(inbox, run, question));
      const file = attachments.find((one) => one.id === id);
      if (file?.digest === undefined)
        throw new RequestError(
          'FILE_UNKNOWN',
          `The question ${questionId(name, question)} has no file ${id} to download.`,
        );
      return contentOf(runs.blobs, { name: file.name, mimeType: file.mimeType, digest: file.digest });
    },
    async archive() {
      const loaded = await scoped(store.load(run));
      if (loaded === undefined) throw runGone();
      const { state, version } = loaded;
      const source = { store, blobs: runs.blobs, state, version, form: archiveForTenant };
      return { name: `${name}.jsonl`, mimeType: 'application/x-ndjson', pieces: archivePieces(run, source) };
    },
    replay: async (request) => withoutTenant(await scoped(runs.replay(run, { ...request, ...asInside(request) }))),
    fork: async (request) => withoutTenant(await scoped(runs.fork(run, { ...request, ...asInside(request) }))),
    watch: (after, signal) => plainEntries(runs.watch(run, after, signal)),
    listen: (signal) => runs.live.listen(run, signal),
    journal: async (after, limit) => (await store.journal(run, after, limit)).map(plainEntry),
    async *entriesOf(activation) {
      const now = await scoped(runs.refresh(run));
      if (now !== undefined) yield* plainEntries(activationEntries({ store, run, now }, activation));
    },
    async readEvents(after, limit) {
      const entries = await store.journal(run, after, limit);
      return readOn({ entries, from: after, to: entries.at(-1)?.id });
    },
    async searchEvents(query) {
      const { entries, next } = await searchEvents({ store, run }, query);
      const isOldest = query.order === 'oldest';
      const range = isOldest ? { from: query.after, to: next } : { from: '', to: undefined };
      const named = await readOn({ entries: isOldest ? entries : entries.toReversed(), ...range });
      return { entries: isOldest ? named : named.toReversed(), ...omitUndefined({ next }) };
    },
    async *followEvents(after, signal) {
      const read = await reader();
      for await (const entries of watchPages(store, run, { after, signal })) yield* await read(entries);
    },
    activations: (page) => scoped(listActivations({ runs, store }, run, page)),
    timeline: (range) => scoped(readTimeline({ runs, store }, run, range)),
    message,
    async messageText(id) {
      const body = await message(id);
      return body && textContent(`${id}.txt`, textOf(body));
    },
    activation: (id, chars) => scoped(findActivation({ runs, store }, run, { id, chars })),
    calls: (id) => scoped(listCalls({ runs, store }, run, id)),
    call: (place) => scoped(findCall({ runs, store }, run, place)),
    definition: () => scoped(definitionOf({ runs, store }, run)),
    async density() {
      const projection = await scoped(runs.projection(run));
      if (projection === undefined) return undefined;
      const { event, at, density } = projection;
      return { event, at, ...density };
    },
    async terminations() {
      const now = await scoped(runs.refresh(run));
      return now && terminationsOfRun(now.plan, now.state);
    },
  };
}

/** Settles as the promise does; errors name runs as their tenant does. */
export type ScopeErrors = <T>(promise: Promise<T>) => Promise<T>;

const describedForTenant = (description: RunDescription): RunDescription => ({
  ...runForTenant(description),
  tasks: description.tasks.map(taskForTenant),
});

/** Returns the workflow that a run was started with; undefined when there is no such run. */
async function definitionOf(
  { runs, store }: { readonly runs: Runs; readonly store: Store },
  run: RunId,
): Promise<RunDefinition | undefined> {
  const now = await runs.refresh(run);
  if (now === undefined) return undefined;
  const origin: Origin = now.state.get('origin') ?? { workflow: now.plan.graphs.get('')?.id ?? '' };
  const { workflow: name, definition } = origin;
  const yaml = definition && (await store.loadText(definition.hash));
  return {
    name,
    ...omitUndefined({ budget: now.state.get('budget')?.limit }),
    ...(now.plan.compat ? { compat: 'chatdev' } : {}),
    ...(definition === undefined || yaml === undefined
      ? {}
      : { text: { hash: definition.hash, yaml, vars: definition.vars ?? {} } }),
  };
}
