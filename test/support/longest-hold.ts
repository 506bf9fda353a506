/**
 * Returns the longest time that nothing else had its turn on the event loop, in milliseconds, until a promise is settled. A turn has at
 * most the processor time of this process between two ticks: one that waits for a core on a busy machine holds up nothing.
 */
export async function longestHold(work: Promise<unknown>): Promise<number> {
  let longestMs = 0;
  let before = { at: performance.now(), cpu: process.cpuUsage() };
  const look = (): void => {
    const now = { at: performance.now(), cpu: process.cpuUsage() };
    const cpuMs = (now.cpu.user - before.cpu.user + now.cpu.system - before.cpu.system) / 1000;
    longestMs = Math.max(longestMs, Math.min(now.at - before.at, cpuMs));
    before = now;
  };
  const timer = setInterval(look, 5);
  await work.catch(() => undefined);
  clearInterval(timer);
  look();
  return longestMs;
}
