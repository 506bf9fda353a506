/** Returns the longest time that nothing else had its turn on the event loop, in milliseconds, until a promise is settled. */
export async function longestHold(work: Promise<unknown>): Promise<number> {
  let longestMs = 0;
  let before = performance.now();
  const timer = setInterval(() => {
    const now = performance.now();
    longestMs = Math.max(longestMs, now - before);
    before = now;
  }, 5);
  await work.catch(() => undefined);
  clearInterval(timer);
  return Math.max(longestMs, performance.now() - before);
}
