import { createContext, Script } from 'node:vm';
import type { EmittedNative } from './emit-native.ts';

/** Positions of a match and its groups in the text, by the numbers of the emitted pattern; undefined: no match. */
export type Spans = readonly (readonly [start: number, end: number] | undefined)[];

/** A match of JavaScript's engine, and which of the two patterns found it. */
interface NativeMatch {
  readonly spans: Spans;
  readonly by: 'first' | 'again';
}

/** A pattern for JavaScript's engine, and its variant that matches at least one character. */
export interface NativePattern {
  readonly first: EmittedNative;
  readonly again?: EmittedNative;
}

/** V8 can stop a match only if a script with a time limit started it, so the loop over the matches is a script. */
const script = new Script(`(() => {
  const first = new RegExp(job.first, job.flags + 'dgv');
  const again = job.again === undefined ? undefined : new RegExp(job.again, job.flags + 'dyv');
  const found = [];
  let position = 0;
  while (found.length < job.limit && position <= job.text.length) {
    first.lastIndex = position;
    const match = first.exec(job.text);
    if (match === null) break;
    found.push({ spans: match.indices, by: 'first' });
    const [start, end] = match.indices[0];
    position = end;
    if (end > start) continue;
    if (again !== undefined && found.length < job.limit) {
      again.lastIndex = end;
      const something = again.exec(job.text);
      if (something !== null) {
        found.push({ spans: something.indices, by: 'again' });
        position = something.indices[0][1];
        continue;
      }
    }
    position += job.text.codePointAt(end) > 0xffff ? 2 : 1;
  }
  return found;
})()`);

const globals: { job?: unknown } = {};
let context: ReturnType<typeof createContext> | undefined;

/** Limits of a search. */
export interface Search {
  /** Maximum number of matches. */
  readonly limit: number;
  /** Time limit, in milliseconds; default: that of the caller's script. */
  readonly timeoutMs?: number;
}

/** Thrown when a search exceeds its time limit. */
export class SearchTimeout extends Error {}

/** Returns matches of JavaScript's engine. Throws {@link SearchTimeout}. */
export function nativeMatches(
  { first, again }: NativePattern,
  text: string,
  { limit, timeoutMs }: Search,
): readonly NativeMatch[] {
  context ??= createContext(globals);
  globals.job = { first: first.source, again: again?.source, flags: first.flags, text, limit };
  try {
    // The last lines of the script determine this type.
    return script.runInContext(
      context,
      timeoutMs === undefined ? {} : { timeout: timeoutMs },
    ) as readonly NativeMatch[];
  } catch (error) {
    if (!isTimeout(error)) throw error;
    throw new SearchTimeout();
  } finally {
    delete globals.job;
  }
}

/** The error may be an instance of the context's own Error. */
const isTimeout = (error: unknown): boolean =>
  typeof error === 'object' && error !== null && 'code' in error && error.code === 'ERR_SCRIPT_EXECUTION_TIMEOUT';

/** Throws if JavaScript's engine cannot compile the pattern. */
export const assertNative = ({ source, flags }: EmittedNative): void => {
  new RegExp(source, `${flags}v`);
};
