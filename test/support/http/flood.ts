import { once } from 'node:events';
import type { ServerResponse } from 'node:http';

/**
 * Sends a text, and then another one again and again until so many bytes are sent or the client has gone. Returns the bytes
 * that were sent.
 */
export async function flood(
  response: ServerResponse,
  { start, piece, bytes }: { readonly start: string; readonly piece: string; readonly bytes: number },
): Promise<number> {
  response.write(start);
  let sent = start.length;
  const gone = new AbortController();
  response.once('close', () => gone.abort());
  while (sent < bytes && !gone.signal.aborted) {
    sent += piece.length;
    if (!response.write(piece)) await once(response, 'drain', { signal: gone.signal }).catch(() => undefined);
  }
  if (!gone.signal.aborted) response.end();
  return sent;
}
