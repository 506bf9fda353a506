/**
 * What was read lately, so that it is not asked for each time. Who asks while it is being read waits for that. What was
 * not asked for for longest goes first.
 */
export class Recent<T> {
  readonly #forMs: number;
  readonly #limit: number;
  readonly #entries = new Map<string, { readonly value: Promise<T>; readonly until: number }>();

  /** Without `forMs`, it is read anew only when it has gone. */
  constructor({ forMs = Number.POSITIVE_INFINITY, limit }: { readonly forMs?: number; readonly limit: number }) {
    this.#forMs = forMs;
    this.#limit = limit;
  }

  /** What is known under a name, or else what reading it comes to; a failure is not remembered. */
  of(name: string, read: () => Promise<T>): Promise<T> {
    const now = performance.now();
    const known = this.#entries.get(name);
    const isKnown = known !== undefined && known.until > now;
    const entry = isKnown ? known : { value: read(), until: now + this.#forMs };
    this.#entries.delete(name);
    this.#entries.set(name, entry);
    if (isKnown) return entry.value;
    entry.value.catch(() => {
      if (this.#entries.get(name) === entry) this.#entries.delete(name);
    });
    const oldest = this.#entries.keys().next();
    if (this.#entries.size > this.#limit && !oldest.done) this.#entries.delete(oldest.value);
    return entry.value;
  }
}
