/** A request that Swagger UI is about to send. */
interface SentRequest {
  readonly url: string;
  readonly method?: string;
  readonly headers: Record<string, string>;
}

let token: Promise<string | undefined> | undefined;

/**
 * Returns a request with the header that shows, if a browser is signed in to the dashboard, that the request comes from
 * a page of the server. Requests with a key need none.
 */
export async function withSession(request: SentRequest): Promise<SentRequest> {
  const { method = 'GET', headers } = request;
  if (method === 'GET' || headers['Authorization'] !== undefined) return request;
  token ??= readToken();
  const found = await token;
  return found === undefined ? request : { ...request, headers: { ...headers, 'X-Millrace-UI': found } };
}

async function readToken(): Promise<string | undefined> {
  const response = await fetch('/v1/me');
  if (!response.ok) return undefined;
  const { csrf } = (await response.json()) as { readonly csrf?: string };
  return csrf;
}
