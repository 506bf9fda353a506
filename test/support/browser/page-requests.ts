import { expect } from 'vitest';
import type { ServedApi } from '../http/api.ts';
import type { ApiResponse } from '../http/http.ts';

/** Headers by their names; one that is '' is left out. */
export type PageHeaders = Readonly<Record<string, string>>;

interface PageRequest {
  readonly method?: string;
  readonly body?: unknown;
  readonly headers?: PageHeaders;
}

/** A browser that is signed in. */
export interface SignedInBrowser {
  /** `Cookie` header with the cookie that the server has set. */
  readonly cookie: string;
  readonly csrf: string;
  readonly setCookie: string;
}

/** Sends a request as a browser does for a page of the server, unless its headers say otherwise. */
export async function sendFromPage(
  { orchestrator: { url } }: ServedApi,
  path: string,
  { method = 'GET', body, headers = {} }: PageRequest = {},
): Promise<ApiResponse> {
  const own = { 'sec-fetch-site': 'same-origin', ...(method === 'GET' ? {} : { origin: new URL(url).origin }) };
  const json = body === undefined ? {} : { 'content-type': 'application/json' };
  const all = Object.fromEntries(Object.entries({ ...own, ...json, ...headers }).filter(([, value]) => value !== ''));
  const sent = body === undefined ? {} : { body: JSON.stringify(body) };
  const response = await fetch(`${url}${path}`, { method, headers: all, ...sent });
  const text = await response.text();
  return { status: response.status, headers: response.headers, body: text === '' ? {} : JSON.parse(text) };
}

/** Signs a browser in. */
export async function signInFromPage(api: ServedApi, key: string, headers: PageHeaders = {}): Promise<SignedInBrowser> {
  const answer = await sendFromPage(api, '/v1/sign-in', { method: 'POST', body: { key }, headers });
  expect(answer.status).toBe(200);
  const setCookie = answer.headers.get('set-cookie') ?? '';
  return { cookie: setCookie.split(';')[0] ?? '', csrf: String(answer.body['csrf']), setCookie };
}
