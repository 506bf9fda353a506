const actsOf = new WeakMap<AbortSignal, Set<() => void>>();

/**
 * Calls `act` when the signal is aborted, or at once if it is, until the returned function is called. A signal gets one
 * listener for any number of acts: platforms warn of more. Use this in place of `AbortSignal.any`, which does not hold
 * its sources: on Node 20 a time limit is collected before it is over.
 */
export function onAbort(signal: AbortSignal, act: () => void): () => void {
  if (signal.aborted) act();
  const acts = actsOf.get(signal) ?? listen(signal);
  acts.add(act);
  return () => void acts.delete(act);
}

function listen(signal: AbortSignal): Set<() => void> {
  const acts = new Set<() => void>();
  const listener = () => {
    for (const act of acts) act();
  };
  signal.addEventListener('abort', listener, { once: true });
  actsOf.set(signal, acts);
  return acts;
}
