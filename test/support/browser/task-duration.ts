import type { Page } from 'playwright-core';

/** Returns the CPU time of the main thread of a page during an action, in milliseconds. */
export const mainThreadMs = (page: Page, act: () => Promise<unknown>): Promise<number> =>
  durationOf('TaskDuration', page, act);

/** Returns the time of the scripts of a page during an action, in milliseconds; the tools of the test add more to all else. */
export const scriptMs = (page: Page, act: () => Promise<unknown>): Promise<number> =>
  durationOf('ScriptDuration', page, act);

async function durationOf(metric: string, page: Page, act: () => Promise<unknown>): Promise<number> {
  const session = await page.context().newCDPSession(page);
  await session.send('Performance.enable', { timeDomain: 'threadTicks' });
  const taken = async (): Promise<number> => {
    const { metrics } = await session.send('Performance.getMetrics');
    return 1000 * (metrics.find(({ name }) => name === metric)?.value ?? 0);
  };
  const before = await taken();
  await act();
  const after = await taken();
  await session.detach();
  return after - before;
}
