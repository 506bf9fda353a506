/** Shortens every timer and time limit of this process that is set for at least `fromMs`, until the returned function is called. */
export function shortenWaits({ fromMs, factor }: { readonly fromMs: number; readonly factor: number }): () => void {
  const { setTimeout: timer } = globalThis;
  const limit = AbortSignal.timeout;
  const shortened = (ms = 0) => (ms >= fromMs ? ms / factor : ms);
  const set = (act: (...args: unknown[]) => void, ms?: number, ...args: unknown[]) =>
    timer(act, shortened(ms), ...args);
  globalThis.setTimeout = Object.assign(set, timer);
  AbortSignal.timeout = (ms) => limit.call(AbortSignal, Math.ceil(shortened(ms)));
  return () => {
    globalThis.setTimeout = timer;
    AbortSignal.timeout = limit;
  };
}
