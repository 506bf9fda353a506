import type { FakeProvider } from './provider.ts';
import type { Json } from './turn.ts';

const keys = { authorization: 'Bearer k', 'x-api-key': 'k', 'x-goog-api-key': 'k', 'anthropic-version': '2023-06-01' };

/** Sends a body to a path of a provider, with a key for each vendor. A stream comes back as text. */
export async function post(
  { url }: FakeProvider,
  path: string,
  body: object,
  headers: Readonly<Record<string, string>> = keys,
): Promise<{ status: number; text: string; body: Json }> {
  const response = await fetch(`${url}/${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
  const text = await response.text();
  return { status: response.status, text, body: text.startsWith('{') ? (JSON.parse(text) as Json) : {} };
}
