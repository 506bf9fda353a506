/** Route of an operation, as the generated table has it. */
export interface Route {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly path: string;
  readonly query?: readonly string[];
  readonly headers?: readonly string[];
  readonly body?: true;
  readonly kind?: 'content' | 'events';
  readonly upload?: 'required' | 'optional';
  readonly idempotency?: 'never' | 'needless';
}

/** Parts of a request that the fields of an input belong to. */
export interface RequestParts {
  /** Path with its parameters filled in, as in `/v1/runs/run_1/pause`. */
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  readonly headers: Readonly<Record<string, string>>;
  /** Absent where the operation takes no body. */
  readonly body?: Readonly<Record<string, unknown>>;
}

/** Splits the input of an operation into the parts of its request. Fields that no part names belong to the body. */
export function partsOf({ path, query = [], headers = [], body }: Route, input: object): RequestParts {
  const fields = new Map<string, unknown>(Object.entries(input).filter(([, value]) => value !== undefined));
  const take = (name: string): string | undefined => {
    const value = fields.get(name);
    fields.delete(name);
    return value === undefined ? undefined : String(value);
  };
  const filled = path.replaceAll(/:(\w+)/g, (_, name: string) => encodeURIComponent(take(name) ?? ''));
  const given = (names: readonly string[]): Record<string, string> =>
    Object.fromEntries(
      names.flatMap((name) => {
        const value = take(name);
        return value === undefined ? [] : [[name, value]];
      }),
    );
  const parts = { path: filled, query: given(query), headers: given(headers) };
  return body === undefined && fields.size === 0 ? parts : { ...parts, body: Object.fromEntries(fields) };
}
