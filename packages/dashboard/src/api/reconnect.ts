import { millrace } from './millrace.ts';
import { queryClient } from './query-client.ts';
import { createStore } from './store.ts';
import { reachability } from './transport.ts';

/** Time of the next attempt to reach a server that is away, in milliseconds since 1970; undefined while one is under way. */
export const nextAttemptAt = createStore<number | undefined>(undefined);

const minAttemptDelayMs = 1_000;
const maxAttemptDelayMs = 10_000;
let timer: ReturnType<typeof setTimeout> | undefined;
let delayMs = minAttemptDelayMs;

/** Polls an unreachable server, and loads all shown data again when it is back. Returns a function that stops it. */
export function reconnectWhenAway(): () => void {
  let wasReached = true;
  const unsubscribe = reachability.subscribe(() => {
    const { isReached } = reachability.get();
    if (isReached === wasReached) return;
    wasReached = isReached;
    if (isReached) recover();
    else schedule();
  });
  return () => {
    unsubscribe();
    clearTimeout(timer);
  };
}

/** Asks for the server now instead of at the next attempt. */
export async function attemptNow(): Promise<void> {
  clearTimeout(timer);
  nextAttemptAt.set(undefined);
  await millrace.me().catch(() => undefined);
  if (!reachability.get().isReached) schedule();
}

function schedule(): void {
  clearTimeout(timer);
  nextAttemptAt.set(Date.now() + delayMs);
  timer = setTimeout(() => void attemptNow(), delayMs);
  delayMs = Math.min(delayMs * 2, maxAttemptDelayMs);
}

function recover(): void {
  clearTimeout(timer);
  delayMs = minAttemptDelayMs;
  nextAttemptAt.set(undefined);
  void queryClient.invalidateQueries();
}
