import type { JournalEntry, MessageRef, RunId } from '@millrace/core';
import { readHeads } from '../activations/message-heads.ts';
import type { Blobs } from '../ports/blobs.ts';
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

/** What contents are read from. */
interface ContentSource {
  readonly store: Pick<Store, 'runs' | 'journal' | 'bodies' | 'endOf'>;
  readonly blobs: Pick<Blobs, 'size' | 'read'>;
}

/**
 * Lists the runs whose task or result contains all words of `text`. Contents have no index: a page looks through at most 100 runs
 * that the other filters leave, and says where the next page begins.
 */
export async function searchContents(
  source: ContentSource,
  query: RunQuery & { readonly text: string },
): Promise<RunPage> {
  const { text, limit, ...rest } = query;
  const words = text
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '');
  const page = await source.store.runs({ ...rest, limit: mostLooked });
  const found: RunSummary[] = [];
  for (let at = 0; at < page.runs.length; at += concurrency) {
    const some = page.runs.slice(at, at + concurrency);
    const contents = await Promise.all(some.map(({ run }) => contentsOf(source, run)));
    for (const [index, summary] of some.entries()) {
      if (!words.every((word) => contents[index]?.includes(word))) continue;
      found.push(summary);
      if (found.length === limit && at + index + 1 < page.runs.length)
        return { runs: found, looked: at + index + 1, next: cursorOf(summary) };
    }
  }
  return { ...page, runs: found };
}

/** Returns the beginnings of the task and of the result of a run, in lower case. */
async function contentsOf({ store, blobs }: ContentSource, run: RunId): Promise<string> {
  const [entries, end] = await Promise.all([store.journal(run, '0', firstEvents), store.endOf(run)]);
  const output = end.type === 'ended' ? end.output : undefined;
  const refs = [...taskIn(entries), ...(output === undefined ? [] : [output])];
  const heads = await readHeads({ store, blobs }, run, { refs, chars: mostChars });
  return heads
    .map((head) => head.text)
    .join('\n')
    .toLowerCase();
}

function taskIn(entries: readonly JournalEntry[]): readonly MessageRef[] {
  const entered = entries.find(({ event }) => event.type === 'graph.entered')?.event;
  return entered?.type === 'graph.entered' ? entered.task : [];
}
