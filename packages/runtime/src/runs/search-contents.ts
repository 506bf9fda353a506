import type { JournalEntry, MessageRef, RunId } from '@millrace/core';
import { readHeads } from '../activations/message-heads.ts';
import type { Blobs } from '../ports/blobs.ts';
import { BodyMissing } from '../ports/store/errors.ts';
import type { RunPage, RunQuery, RunSummary, Store } from '../ports/store/port.ts';
import { cursorOf } from '../ports/store/run-query.ts';

/** Runs whose contents one page reads. */
const mostLooked = 100;
/** Characters of a task and of a result that are searched. */
const mostChars = 64 * 1024;
/** Runs that are read at the same time. */
const concurrency = 10;
/** Events among which the root graph is entered. */
const firstEvents = 10;
/** Time after which a page reads no further runs: the beginning of a long run is in an archived part, which costs more. */
const longestMs = 1000;

/** What contents are read from. */
interface ContentSource {
  readonly store: Pick<Store, 'runs' | 'journal' | 'bodies' | 'endOf'>;
  readonly blobs: Pick<Blobs, 'size' | 'read'>;
}

/**
 * Lists the runs whose task or result contains all words of `text`. Contents have no index: a page looks through at most 100 runs
 * that the other filters leave, fewer when they take longer than `forMs`, and says where the next page begins.
 */
export async function searchContents(
  source: ContentSource,
  query: RunQuery & { readonly text: string },
  forMs = longestMs,
): Promise<RunPage> {
  const { text, limit, ...rest } = query;
  const words = text
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '');
  const page = await source.store.runs({ ...rest, limit: mostLooked });
  const found: RunSummary[] = [];
  const until = performance.now() + forMs;
  for (let at = 0; at < page.runs.length; at += concurrency) {
    const some = page.runs.slice(at, at + concurrency);
    const contents = await Promise.all(some.map(({ run }) => contentsOf(source, run)));
    for (const [index, summary] of some.entries()) {
      if (!words.every((word) => contents[index]?.includes(word))) continue;
      found.push(summary);
      if (found.length === limit && at + index + 1 < page.runs.length)
        return { runs: found, looked: at + index + 1, next: cursorOf(summary) };
    }
    const last = some.at(-1);
    const looked = at + some.length;
    if (last !== undefined && looked < page.runs.length && performance.now() >= until)
      return { runs: found, looked, next: cursorOf(last) };
  }
  return { ...page, runs: found };
}

/** Returns the beginnings of the task and of the result of a run, in lower case. */
async function contentsOf({ store, blobs }: ContentSource, run: RunId): Promise<string> {
  const [entries, end] = await Promise.all([store.journal(run, '0', firstEvents), store.endOf(run)]);
  const output = end.type === 'ended' ? end.output : undefined;
  const refs = [...taskIn(entries), ...(output === undefined ? [] : [output])];
  const heads = await readHeads({ store, blobs }, run, { refs, chars: mostChars }).catch((error: unknown) => {
    // The run was removed in the meantime.
    if (error instanceof BodyMissing) return [];
    throw error;
  });
  return heads
    .map((head) => head.text)
    .join('\n')
    .toLowerCase();
}

function taskIn(entries: readonly JournalEntry[]): readonly MessageRef[] {
  const entered = entries.find(({ event }) => event.type === 'graph.entered')?.event;
  return entered?.type === 'graph.entered' ? entered.task : [];
}
