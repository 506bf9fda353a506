import type { Page } from 'playwright-core';

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
