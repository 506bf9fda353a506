/** Returns an action that does something at most once an hour. */
export function hourly<Context extends unknown[]>(
  now: () => number,
  act: (...context: Context) => Promise<void>,
): (...context: Context) => Promise<void> {
  let at = Number.NEGATIVE_INFINITY;
  return async (...context) => {
    if (now() - at < 60 * 60 * 1000) return;
    await act(...context);
    at = now();
  };
}
