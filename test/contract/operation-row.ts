/** One call of an operation. Calls are made in their order, as later ones need what earlier ones have made. */
export interface Row {
  readonly name: string;
  /** A function is given the value of the last call of an operation. */
  readonly input: object | ((lastOf: (name: string) => Value) => object);
  /** A part of the value, or the code of the refusal. */
  readonly expected: object | string;
  /**
   * `redis`: needs work of servers, so it is refused in memory. `server`: its value also shows what else the place has and
   * does, and may differ.
   */
  readonly differs?: 'redis' | 'server';
}

export type Value = { readonly [name: string]: unknown };

/** Workflow that the calls start. */
export const greeting = 'graph:\n  id: greeting\n  nodes:\n    - { id: A, type: passthrough, config: {} }\n';

/** Returns the input that names the result of the last call of an operation. */
export const idOf = (name: string) => (lastOf: (name: string) => Value) => ({ id: lastOf(name)['id'] ?? absent[name] });

/** Well-formed ids of what cannot be made in memory. */
const absent: Readonly<Record<string, string>> = {
  'webhooks.create': `wh_${'0'.repeat(18)}`,
  'keys.create': '0'.repeat(12),
};
