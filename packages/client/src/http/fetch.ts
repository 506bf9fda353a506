/** The part of `fetch` that the client uses. */
export type Fetch = (address: string, request: RequestInit) => Promise<HttpResponse>;

/** The part of a response that the client uses. */
export interface HttpResponse extends Pick<Response, 'status' | 'url' | 'body' | 'json' | 'text' | 'blob'> {
  readonly headers: Pick<Headers, 'get' | 'has'>;
}
