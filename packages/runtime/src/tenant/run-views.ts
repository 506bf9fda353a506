import type { ActivationId, JournalEntry, MessageBody, MessageId, RunId } from '@millrace/core';
import { omitUndefined, textOf } from '@millrace/core';
import type { DensityProjection } from '@millrace/core/projection';
import { LRUCache } from 'lru-cache';
import type { ActivationDetail } from '../activations/activations.ts';
import { findActivation } from '../activations/activations.ts';
import type { ActivationPage, ActivationQuery } from '../activations/list-activations.ts';
import { listActivations } from '../activations/list-activations.ts';
import type { Timeline, TimelineRange } from '../activations/timeline.ts';
import { readTimeline } from '../activations/timeline.ts';
import type { Content } from '../blobs/content.ts';
import { textContent } from '../blobs/content.ts';
import type { RunGraphs } from '../contract/run-graphs.ts';
import type { RunDefinition, Runs } from '../contract/runs.ts';
import type { EntryReader, PublishedEntry } from '../events/read-events.ts';
import { createEntryReader } from '../events/read-events.ts';
import type { EventQuery } from '../events/search-events.ts';
import { searchEvents } from '../events/search-events.ts';
import { BodyMissing, runGone } from '../ports/store/errors.ts';
import type { Store } from '../ports/store/port.ts';
import { definitionOf } from '../runs/definition.ts';
import type { RunTermination } from '../runs/run-terminations.ts';
import { terminationsOfRun } from '../runs/run-terminations.ts';
import { watchPages } from '../runs/watch.ts';

/** Activity of a run over its journal. */
export interface RunDensity extends Readonly<DensityProjection> {
  /** Id and time of the last event that it covers. */
  readonly event: string;
  readonly at: number;
}

/** Detailed views of the runs of a tenant. */
export interface RunViews {
  /** Returns entries as `journal` does, with names of nodes and the beginnings of texts. Throws RequestError. */
  readEvents(run: RunId, after: string, limit: number): Promise<readonly PublishedEntry[]>;
  /** Returns a page of such entries, of some types and in any order; `next` is where the next page begins. */
  searchEvents(
    run: RunId,
    query: EventQuery,
  ): Promise<{ readonly entries: readonly PublishedEntry[]; readonly next?: string }>;
  /** Yields entries as `watch` does, with names of nodes and the beginnings of texts. */
  followEvents(run: RunId, after: string, signal: AbortSignal): AsyncIterable<PublishedEntry>;
  /** Lists activations of a run; undefined when there is no such run. */
  activations(run: RunId, query: ActivationQuery): Promise<ActivationPage | undefined>;
  /** Reads a timeline of activations of a run; undefined when there is no such run. */
  timeline(run: RunId, range: TimelineRange): Promise<Timeline | undefined>;
  /** Returns a message that the journal names; undefined when there is no such message, or run. */
  message(run: RunId, id: MessageId): Promise<MessageBody | undefined>;
  /** Returns the text of a message as a file; undefined when there is no such message, or run. */
  messageText(run: RunId, id: MessageId): Promise<Content | undefined>;
  /** With `chars`, only so many characters of each message; undefined when there is no such activation, or run. */
  activation(run: RunId, id: ActivationId, chars?: number): Promise<ActivationDetail | undefined>;
  /** Returns the graphs of a run now, or as of an event; undefined when there is no such run. */
  graphs(run: RunId, at?: string): Promise<RunGraphs | undefined>;
  /** Returns the activity of a run over its whole journal; undefined when there is no such run. */
  density(run: RunId): Promise<RunDensity | undefined>;
  /** Returns the workflow that a run was started with; undefined when there is no such run. */
  definition(run: RunId): Promise<RunDefinition | undefined>;
  /** Returns the progress of the terminations of a run and its scopes; undefined when there is no such run. */
  terminations(run: RunId): Promise<readonly RunTermination[] | undefined>;
}

/** Entries of a journal in their order, and the ids after which they begin and end, if others follow. */
interface Page {
  readonly entries: readonly JournalEntry[];
  readonly from: string;
  readonly to: string | undefined;
}

/** Maximum number of readers that a process keeps between two pages. */
const maxReaders = 32;

/** Creates the detailed views of the runs of a tenant; `inside` returns the full id of a run. */
export function runViews(
  { runs, store }: { readonly runs: Runs; readonly store: Store },
  inside: (name: string) => RunId,
  scoped: <T>(promise: Promise<T>) => Promise<T>,
): RunViews {
  const readerOf = async (run: RunId) => {
    const now = await scoped(runs.refresh(run));
    if (now === undefined) throw runGone();
    return createEntryReader({ store, blobs: runs.blobs }, run, now);
  };
  /** Readers by the end of what they have read: the next page needs no search for the names that they know. */
  const readers = new LRUCache<string, EntryReader>({ max: maxReaders });
  async function readOn(run: RunId, { entries, from, to }: Page): Promise<readonly PublishedEntry[]> {
    const before = `${run} ${from}`;
    const known = entries.length === 0 ? undefined : readers.get(before);
    readers.delete(before);
    const read = known ?? (await readerOf(run));
    const named = await read(entries);
    if (to !== undefined) readers.set(`${run} ${to}`, read);
    return named;
  }
  const message = async (run: RunId, id: MessageId): Promise<MessageBody | undefined> => {
    try {
      return (await runs.bodies(inside(run), [id]))[0];
    } catch (error) {
      if (error instanceof BodyMissing) return undefined;
      throw error;
    }
  };
  return {
    async readEvents(run, after, limit) {
      const entries = await store.journal(inside(run), after, limit);
      return readOn(inside(run), { entries, from: after, to: entries.at(-1)?.id });
    },
    async searchEvents(run, query) {
      const { entries, next } = await searchEvents({ store, run: inside(run) }, query);
      const found = query.order === 'oldest' ? entries : entries.toReversed();
      const place = query.order === 'oldest' ? { from: query.after, to: next } : { from: '', to: undefined };
      const named = await readOn(inside(run), { entries: found, ...place });
      return { entries: query.order === 'oldest' ? named : named.toReversed(), ...omitUndefined({ next }) };
    },
    async *followEvents(run, after, signal) {
      const read = await readerOf(inside(run));
      for await (const entries of watchPages(store, inside(run), { after, signal })) yield* await read(entries);
    },
    activations: (run, page) => scoped(listActivations({ runs, store }, inside(run), page)),
    timeline: (run, range) => scoped(readTimeline({ runs, store }, inside(run), range)),
    message,
    async messageText(run, id) {
      const body = await message(run, id);
      return body && textContent(`${id}.txt`, textOf(body));
    },
    activation: (run, id, chars) => scoped(findActivation({ runs, store }, inside(run), { id, chars })),
    definition: (run) => scoped(definitionOf({ runs, store }, inside(run))),
    graphs: (run, at) => scoped(runs.graphs(inside(run), at)),
    async density(run) {
      const projection = await scoped(runs.projection(inside(run)));
      if (projection === undefined) return undefined;
      const { event, at, density } = projection;
      return { event, at, ...density };
    },
    async terminations(run) {
      const now = await scoped(runs.refresh(inside(run)));
      return now === undefined ? undefined : terminationsOfRun(now.plan, now.state);
    },
  };
}
