/** Route of an operation in the generated table. */
export interface Route {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly path: string;
  readonly query?: readonly string[];
  readonly headers?: readonly string[];
  readonly body?: true;
  readonly kind?: 'content' | 'events' | 'live';
  readonly upload?: 'required' | 'optional';
  readonly idempotency?: 'never' | 'needless';
}

/** Parts of a request, made from the fields of an input. */
export interface RequestParts {
  /** Path with its parameters filled in, as in `/v1/runs/run_1/cancel`. */
  readonly path: string;
  /** A field with several values is repeated. */
  readonly query: Readonly<Record<string, readonly string[]>>;
  readonly headers: Readonly<Record<string, string>>;
  /** Absent if the operation has no body. */
  readonly body?: Readonly<Record<string, unknown>>;
}

/** Splits the input of an operation into the parts of its request. Fields of no other part belong to the body. */
export function partsOf({ path, query = [], headers = [], body }: Route, input: object): RequestParts {
  const fields = new Map<string, unknown>(Object.entries(input).filter(([, value]) => value !== undefined));
  const takeAll = (name: string): readonly string[] => {
    const value = fields.get(name);
    fields.delete(name);
    return value === undefined ? [] : [value].flat().map(String);
  };
  const take = (name: string): string | undefined => takeAll(name)[0];
  const filled = path.replaceAll(/:(\w+)/g, (_, name: string) => encodeURIComponent(take(name) ?? ''));
  const given = (names: readonly string[]): Record<string, string> =>
    Object.fromEntries(
      names.flatMap((name) => {
        const value = take(name);
        return value === undefined ? [] : [[name, value]];
      }),
    );
  const asked = Object.fromEntries(query.map((name) => [name, takeAll(name)]));
  const parts = { path: filled, query: asked, headers: given(headers) };
  return body === undefined && fields.size === 0 ? parts : { ...parts, body: Object.fromEntries(fields) };
}
