import { statSync } from 'node:fs';
import { relative } from 'node:path';
import { setInterval } from 'node:timers/promises';

/** Files whose changes are noticed. */
export interface FileChanges {
  /** Adds a file, which may be missing. Call it before reading the file, so that no change in between is overlooked. */
  add(path: string): void;
  /** Waits until a file has changed and none changes any more. Returns its path; undefined if the signal was aborted. */
  next(signal: AbortSignal): Promise<string | undefined>;
}

/** Time between two looks at the files, in milliseconds. */
const everyMs = 100;

/**
 * Looks at files again and again: editors replace files as well as write them, and network drives and containers report
 * no changes. A workflow has few files, so this costs next to nothing.
 */
export function watchFiles(): FileChanges {
  const states = new Map<string, string>();
  /** Notes all states; returns a file whose state differs from that noted before. */
  const look = (): string | undefined => {
    let changed: string | undefined;
    for (const [path, before] of states) {
      const state = stateOf(path);
      if (state === before) continue;
      changed = path;
      states.set(path, state);
    }
    return changed;
  };
  return {
    add(path) {
      if (!states.has(path)) states.set(path, stateOf(path));
    },
    async next(signal) {
      let changed: string | undefined;
      try {
        for await (const _tick of setInterval(everyMs, undefined, { signal })) {
          const seen = look();
          if (seen === undefined && changed !== undefined) return relative('', changed) || changed;
          changed = seen ?? changed;
        }
      } catch (error) {
        if (!signal.aborted) throw error;
      }
      return undefined;
    },
  };
}

function stateOf(path: string): string {
  try {
    const { mtimeNs, size, ino } = statSync(path, { bigint: true });
    return [mtimeNs, size, ino].join(' ');
  } catch {
    // Missing, or not to be seen: reading it says why.
    return 'unreadable';
  }
}
