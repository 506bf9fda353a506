import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** Collects garbage all the time, as a busy process does, until the returned function is called. */
export function collectGarbage(everyMs = 10): () => void {
  setFlagsFromString('--expose-gc');
  const collect: () => void = runInNewContext('gc');
  const timer = setInterval(collect, everyMs);
  return () => clearInterval(timer);
}
