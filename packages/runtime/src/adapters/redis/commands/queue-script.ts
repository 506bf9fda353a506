import { scriptOf } from './script.ts';
import type { Script, ScriptValues } from './script-command.ts';

/*
 * BullMQ's scripts get the names of up to 14 keys with each call, all of them of one queue: a quarter of the bytes of an
 * activation. These scripts make the names themselves: a call passes the prefix of the queue as its only key, which finds
 * the node of a cluster as the others do, and after its arguments the rest of those names that differ from call to call.
 */

/** Names of the keys of a queue that are the same in all calls, without their prefix. Other names are ids of jobs. */
const fixedNames: ReadonlySet<string> = new Set([
  'active',
  'completed',
  'de',
  'delayed',
  'events',
  'failed',
  'id',
  'limiter',
  'marker',
  'meta',
  'metrics:completed',
  'metrics:failed',
  'paused',
  'pc',
  'prioritized',
  'repeat',
  'stalled',
  'stalled-check',
  'wait',
  'waiting-children',
]);

/** A script for calls with these keys. */
interface Variant {
  readonly prefix: string;
  /** Undefined: the name is passed. */
  readonly keys: readonly (string | undefined)[];
  readonly script: Script;
}

/** A script, and its values in a call. */
export interface QueueCall {
  readonly script: Script;
  readonly call: ScriptValues;
}

/** Most variants of a script: one for each queue, and few more. Further ones are sent with all of their keys. */
const mostVariants = 64;

/** One of BullMQ's scripts. */
export class QueueScript {
  readonly #plain: Script;
  readonly #keyCount: number;
  readonly #variants: Variant[] = [];

  constructor(lua: string, keyCount: number) {
    this.#plain = scriptOf(lua);
    this.#keyCount = keyCount;
  }

  /** Returns what is sent for a call with these keys and arguments, in one list. */
  callWith(values: readonly unknown[]): QueueCall {
    const keyCount = this.#keyCount;
    const variant = this.#variantOf(values) ?? this.#variantFor(values.slice(0, keyCount));
    if (variant === undefined) return { script: this.#plain, call: { keyCount, values } };
    const { prefix, keys, script } = variant;
    const sent = values.slice(keyCount - 1);
    sent[0] = prefix;
    for (let at = 0; at < keyCount; at++)
      if (keys[at] === undefined) sent.push(String(values[at]).slice(prefix.length));
    return { script, call: { keyCount: 1, values: sent } };
  }

  #variantOf(values: readonly unknown[]): Variant | undefined {
    for (const variant of this.#variants) if (fits(variant, values)) return variant;
    return undefined;
  }

  #variantFor(keys: readonly unknown[]): Variant | undefined {
    const [first] = keys;
    if (typeof first !== 'string' || this.#variants.length === mostVariants) return undefined;
    const prefix = first.slice(0, first.lastIndexOf(':') + 1);
    const fixed: (string | undefined)[] = [];
    for (const key of keys) {
      if (typeof key !== 'string' || !key.startsWith(prefix)) return undefined;
      fixed.push(fixedNames.has(key.slice(prefix.length)) ? key : undefined);
    }
    const names = fixed.map((key) => key?.slice(prefix.length));
    const variant = { prefix, keys: fixed, script: scriptOf(`${namingKeys(names)}\n${this.#plain.text}`) };
    this.#variants.push(variant);
    return variant;
  }
}

function fits({ prefix, keys }: Variant, values: readonly unknown[]): boolean {
  for (let at = 0; at < keys.length; at++) {
    const [key, value] = [keys[at], values[at]];
    if (key === undefined ? typeof value !== 'string' || !value.startsWith(prefix) : value !== key) return false;
  }
  return true;
}

/** Returns the beginning of a script that makes its keys of their names, and takes those that are passed from its arguments. */
function namingKeys(names: readonly (string | undefined)[]): string {
  const passed = names.filter((name) => name === undefined).length;
  let position = passed;
  const keys = names.map((name) => `prefix .. ${name === undefined ? `ARGV[#ARGV - ${--position}]` : `'${name}'`}`);
  const shortened = Array.from({ length: passed }, () => 'ARGV[#ARGV] = nil');
  return ['local prefix = KEYS[1]', `local KEYS = { ${keys.join(', ')} }`, ...shortened].join('\n');
}
