import type { RunKeys } from '../../keys.ts';

/** Arguments of commit.lua. */
export interface ScriptCall {
  readonly keys: readonly string[];
  readonly args: readonly string[];
}

/** Arguments of one command inside the script: Lua's `unpack` gives up near 8,000. Even, so that pairs stay together. */
const chunkSize = 4000;

/** The writes of one call of commit.lua, as they are put together. */
export interface CommandList extends ScriptCall {
  /** Adds a command, as several ones when it has many arguments, and not at all when it has none. */
  add(command: string, key: string, values: readonly string[]): void;
  addPlain(command: string, key: string, values: readonly string[]): void;
}

/** A key that must exist, or must not, for a commit. */
export interface RequiredKey {
  readonly key: string;
  readonly exists: boolean;
}

/** Arguments before the writes of a commit; see commit.lua. */
export interface CommitHeader {
  readonly version: number;
  readonly nonce: string;
  readonly next: string;
  /** Maximum number of missed commits in the reply. */
  readonly missed: number;
  readonly format: number;
  readonly required?: readonly RequiredKey[];
}

/** Creates a list without writes. */
export function commandList(run: Pick<RunKeys, 'state' | 'journal'>, header: CommitHeader): CommandList {
  const { version, nonce, next, missed, format, required = [] } = header;
  const keys = [run.state, run.journal, ...required.map(({ key }) => key)];
  const expected = required.map(({ exists }) => (exists ? '1' : '0')).join('');
  const args = [String(version), nonce, next, String(missed), String(format), expected];
  const indices = new Map(keys.map((key, index) => [key, index + 1]));
  const indexOf = (key: string): number => {
    const known = indices.get(key);
    if (known !== undefined) return known;
    indices.set(key, keys.push(key));
    return keys.length;
  };
  const addPlain: CommandList['addPlain'] = (command, key, values) => {
    args.push(command, String(indexOf(key)), String(values.length));
    for (const value of values) args.push(value);
  };
  return {
    keys,
    args,
    addPlain,
    add(command, key, values) {
      for (let from = 0; from < values.length; from += chunkSize) {
        addPlain(command, key, values.length <= chunkSize ? values : values.slice(from, from + chunkSize));
      }
    },
  };
}
