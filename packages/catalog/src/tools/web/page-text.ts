import { ThreadOverrun, ThreadPool, ThreadsBusy } from '../../threads/thread-pool.ts';

/** A page for a thread to read. */
export interface PageTask {
  readonly html: string;
  /** Number of elements of a page that is read. */
  readonly maxNodes: number;
}

/** The article of a page as Markdown. */
export interface PageText {
  readonly title: string;
  readonly text: string;
}

/** Pages come from anywhere: a thread reads them, and its time and memory are bounded. */
const threads = new ThreadPool<PageTask, PageText>({
  module: new URL('./page-thread.js', import.meta.url),
  size: 1,
  timeoutMs: 10_000,
  heapMb: 256,
});

const maxNodes = 50_000;
/** Number of pages of one run that may wait for the thread. */
const maxQueued = 20;

/** Returns the article of a page, without navigation and scripts. Throws an Error for the model if it cannot be read. */
export async function readPage(html: string, run: string): Promise<PageText> {
  // A document of many elements fills the memory of its thread with few large tables, which would end the whole process.
  if (hasMoreTags(html, 2 * maxNodes))
    throw new Error(`the page cannot be read: it has more than ${maxNodes} elements`);
  try {
    return await threads.run({ html, maxNodes }, { owner: run, maxQueued });
  } catch (error) {
    if (error instanceof ThreadOverrun) throw new Error('the page takes too long or too much memory to read');
    if (error instanceof ThreadsBusy) throw new Error('too many pages are being read; try again later');
    const [reason] = (error instanceof Error ? error.message : String(error)).split('\n');
    throw new Error(`the page cannot be read: ${reason}`);
  }
}

/** Returns whether a page has more tags than these, those that end an element included. */
function hasMoreTags(html: string, limit: number): boolean {
  let count = 0;
  for (let at = html.indexOf('<'); at >= 0 && count <= limit; at = html.indexOf('<', at + 1)) count += 1;
  return count > limit;
}
