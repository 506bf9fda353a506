import type { Client, RequestOptions } from '../client.ts';
import { sleep } from '../http/sleep.ts';

/** Activations of a run whose history is copied for a fork or a replay so far, and their number. */
export interface CopyProgress {
  readonly done: number;
  readonly total: number;
}

/** Options of a fork or a replay. */
export interface CopyOptions extends RequestOptions {
  /**
   * Called now and then while the history of a long run is copied. It takes the scope `read`, too: without it, the method does the same
   * and nothing is called.
   */
  readonly onProgress?: ((progress: CopyProgress) => void) | undefined;
}

/** Id of a new run, and options of the request that makes it. */
interface CopyRequest {
  readonly runId: string | undefined;
  readonly request: RequestOptions;
}

/** Time for which the request waits for its stream, in milliseconds: what happens before the stream is open is not reported. */
const openWithinMs = 1000;

/** Sends the request for a fork or a replay, and meanwhile watches its progress, if the caller wants to be told. */
export async function reportingProgress<T>(
  client: Client,
  { onProgress, ...request }: CopyOptions,
  { runId: named, send }: { readonly runId: string | undefined; send(copy: CopyRequest): Promise<T> },
): Promise<T> {
  if (onProgress === undefined) return send({ runId: named, request });
  const runId = named ?? `run_${crypto.randomUUID().replaceAll('-', '')}`;
  const over = new AbortController();
  let opened = (): void => undefined;
  const open = new Promise<void>((resolve) => {
    opened = resolve;
  });
  // A stream that is refused, or breaks, takes nothing from the request itself.
  const watching = watchCopy(client, runId, { onProgress, opened, signal: over.signal }).catch(() => undefined);
  try {
    await Promise.race([open, watching, sleep(openWithinMs, over.signal).catch(() => undefined)]);
    return await send({ runId, request });
  } finally {
    over.abort();
    await watching;
  }
}

interface CopyWatch {
  readonly onProgress: (progress: CopyProgress) => void;
  /** Called when the stream is open. */
  readonly opened: () => void;
  readonly signal: AbortSignal;
}

async function watchCopy(client: Client, runId: string, { onProgress, opened, signal }: CopyWatch): Promise<void> {
  for await (const event of await client.live('events.watch', {}, { signal })) {
    opened();
    if (signal.aborted) return;
    if (event.type === 'progress' && event.runId === runId) onProgress({ done: event.done, total: event.total });
  }
}
