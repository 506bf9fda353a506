import type { Keys, RunKeys } from '../../location/keys.ts';

/** Keys and arguments of commit.lua; a list among the arguments stands for its entries. */
export interface ScriptCall {
  /** Version that the caller knows. */
  readonly version: number;
  readonly keys: readonly string[];
  readonly args: readonly (string | readonly string[])[];
}

/** Arguments of one command inside the script: Lua's `unpack` gives up near 8,000. Even, so that pairs stay together. */
const chunkSize = 4000;

/** A key that must exist, or must not, for a commit. */
export interface RequiredKey {
  readonly key: string;
  readonly exists: boolean;
}

/** Arguments before the writes of a commit; see commit.lua. */
export interface CommitHeader {
  readonly version: number;
  /** The version that the commit makes; absent: the next one. */
  readonly makes?: number;
  readonly nonce: string;
  readonly next: string;
  /** Maximum number of missed commits in the reply. */
  readonly missed: number;
  readonly required?: readonly RequiredKey[];
}

/** Number of keys from which on their positions are kept in a map: to search a few is cheaper. */
const searchedKeys = 16;

/** The writes of one call of commit.lua, as they are put together. */
export class CommandList {
  readonly #format: number;
  readonly #header: CommitHeader;
  readonly #keys: string[];
  /** Positions of the keys, if there are many. */
  #positions: Map<string, number> | undefined;
  #commands = '';
  readonly #values: (readonly string[])[] = [];

  /** Creates a list without writes. */
  constructor(
    { format }: Pick<Keys, 'format'>,
    { state, journal }: Pick<RunKeys, 'state' | 'journal'>,
    header: CommitHeader,
  ) {
    this.#format = format;
    this.#header = header;
    this.#keys = [state, journal];
    for (const { key } of header.required ?? []) this.#keys.push(key);
  }

  /** Adds a command, as several ones when it has many arguments, and not at all when it has none. */
  add(command: string, key: string, values: readonly string[]): void {
    for (let from = 0; from < values.length; from += chunkSize) {
      this.addPlain(command, key, values.length <= chunkSize ? values : values.slice(from, from + chunkSize));
    }
  }

  addPlain(command: string, key: string, values: readonly string[]): void {
    this.#commands += `${command} ${this.#positionOf(key)} ${values.length} `;
    this.#values.push(values);
  }

  /** Returns the call that executes these writes. */
  call(): ScriptCall {
    const { version, makes = version + 1, nonce, next, missed, required = [] } = this.#header;
    const expected = required.map(({ exists }) => (exists ? '1' : '0')).join('');
    const header = `${version} ${nonce} ${next} ${this.#format} ${missed} ${makes} ${expected}`;
    return { version, keys: this.#keys, args: [header, this.#commands, ...this.#values] };
  }

  /** Returns the position of a key in the script, from 1; adds the key if it is new. */
  #positionOf(key: string): number {
    const keys = this.#keys;
    if (keys.length < searchedKeys) {
      const found = keys.indexOf(key);
      return found < 0 ? keys.push(key) : found + 1;
    }
    this.#positions ??= new Map(keys.map((known, at) => [known, at + 1]));
    const known = this.#positions.get(key);
    if (known !== undefined) return known;
    this.#positions.set(key, keys.push(key));
    return keys.length;
  }
}
