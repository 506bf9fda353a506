import type { Page } from 'playwright-core';

/** Returns the CPU time of the longest task of a page's main thread during an action, in milliseconds. */
export async function longestTaskMs(page: Page, act: () => Promise<unknown>): Promise<number> {
  const browser = page.context().browser();
  if (browser === null) throw new Error('the page has no browser that could trace it');
  await browser.startTracing(page, { categories: ['toplevel', 'disabled-by-default-devtools.timeline'] });
  // A trace that goes on would have the next one refused.
  const trace = await act().then(
    () => browser.stopTracing(),
    async (error: unknown) => {
      await browser.stopTracing();
      throw error;
    },
  );
  const { traceEvents } = JSON.parse(trace.toString()) as { traceEvents: TraceEvent[] };
  const threadOf = ({ pid, tid }: TraceEvent) => `${pid}/${tid}`;
  const mains = traceEvents.filter(({ name, args }) => name === 'thread_name' && args?.name === 'CrRendererMain');
  const threads = new Set(mains.map(threadOf));
  const tasks = traceEvents.filter((event) => event.name.endsWith('RunTask') && threads.has(threadOf(event)));
  return Math.max(...tasks.map(({ tdur = 0 }) => tdur / 1000));
}

/** An event of a trace, as far as it is read; `tdur` is the CPU time of its thread in microseconds. */
interface TraceEvent {
  readonly name: string;
  readonly pid: number;
  readonly tid: number;
  readonly tdur?: number;
  readonly args?: { readonly name?: string };
}

/** Returns the CPU time of the main thread of a page during an action, in milliseconds. */
export async function mainThreadMs(page: Page, act: () => Promise<unknown>): Promise<number> {
  const session = await page.context().newCDPSession(page);
  await session.send('Performance.enable', { timeDomain: 'threadTicks' });
  const taken = async (): Promise<number> => {
    const { metrics } = await session.send('Performance.getMetrics');
    return 1000 * (metrics.find(({ name }) => name === 'TaskDuration')?.value ?? 0);
  };
  const before = await taken();
  await act();
  const after = await taken();
  await session.detach();
  return after - before;
}
