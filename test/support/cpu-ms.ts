/** Returns the time that this process computes during some work, in milliseconds: a busy machine does not change it, as it changes the time that passes. */
export async function cpuMs(work: () => unknown): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}
