/** What was read lately, so that it is not asked for each time. Who asks while it is being read waits for that. */
export class Recent<T> {
  readonly #forMs: number;
  readonly #limit: number;
  readonly #entries = new Map<string, { readonly value: Promise<T>; readonly until: number }>();

  constructor({ forMs, limit }: { readonly forMs: number; readonly limit: number }) {
    this.#forMs = forMs;
    this.#limit = limit;
  }

  /** What is known under a name, or else what reading it comes to; a failure is not remembered. */
  of(name: string, read: () => Promise<T>): Promise<T> {
    const known = this.#entries.get(name);
    if (known !== undefined && known.until > performance.now()) return known.value;
    const value = read();
    this.#entries.delete(name);
    this.#entries.set(name, { value, until: performance.now() + this.#forMs });
    value.catch(() => {
      if (this.#entries.get(name)?.value === value) this.#entries.delete(name);
    });
    const oldest = this.#entries.keys().next();
    if (this.#entries.size > this.#limit && !oldest.done) this.#entries.delete(oldest.value);
    return value;
  }
}
