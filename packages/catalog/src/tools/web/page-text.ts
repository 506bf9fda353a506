import { PoolBusy, ProcessPool, TaskOverrun } from '../../processes/process-pool.ts';

/** A page for another process to read. */
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

/** Pages come from anywhere: another process reads them, and its time and memory are bounded. */
const processes = new ProcessPool<PageTask, PageText>({
  module: new URL('./page-child.js', import.meta.url),
  size: 1,
  processorMs: 10_000,
  heapMb: 256,
});

const maxNodes = 50_000;
/** Number of pages of one run that may wait for the process. */
const maxQueued = 20;

/** Returns the article of a page, without navigation and scripts. Throws an Error for the model if it cannot be read. */
export async function readPage(html: string, run: string): Promise<PageText> {
  try {
    return await processes.run({ html, maxNodes }, { owner: run, maxQueued });
  } catch (error) {
    if (error instanceof TaskOverrun) throw new Error('the page takes too long or too much memory to read');
    if (error instanceof PoolBusy) throw new Error('too many pages are being read; try again later');
    const [reason] = (error instanceof Error ? error.message : String(error)).split('\n');
    throw new Error(`the page cannot be read: ${reason}`);
  }
}
