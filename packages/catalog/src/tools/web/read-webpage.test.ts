import { createServer } from 'node:http';
import { describe, expect, it } from 'vitest';
import { openBeforeAll } from '../../../../../test/support/fixtures.ts';
import { listen } from '../../../../../test/support/http/listen.ts';
import { realSleep } from '../../../test-support/real-sleep.ts';
import { readWebpage } from './read-webpage.ts';

const sentences = 'The mill grinds what the miller brings, and the wheel turns with the stream. '.repeat(20);
const article = `<!doctype html><html><head><title>Mills</title><script>track()</script></head><body>
<nav><a href="/a">Menu entry</a></nav>
<article><h2>Wheels</h2><p>${sentences}</p><p>See <a href="https://mills.example/list">the list</a>.</p></article>
<footer>Imprint</footer></body></html>`;

const html = { 'content-type': 'text/html; charset=utf-8' };
const pages: Readonly<Record<string, { headers?: Record<string, string>; status?: number; body: string | Buffer }>> = {
  '/article': { headers: html, body: article },
  '/text': { headers: { 'content-type': 'text/plain' }, body: 'plain <b>text</b>' },
  '/latin': {
    headers: { 'content-type': 'text/html' },
    body: Buffer.from('<meta charset="iso-8859-1"><title>Müller</title><p>Grüße</p>', 'latin1'),
  },
  '/large': { headers: html, body: 'x'.repeat(6 * 1024 * 1024) },
  '/long': { headers: { 'content-type': 'text/plain' }, body: 'y'.repeat(200_000) },
  '/picture': { headers: { 'content-type': 'image/png' }, body: 'png' },
  '/missing': { status: 404, body: 'no' },
};

const site = openBeforeAll(async () => {
  const server = createServer((request, response) => {
    const { status = 200, headers = {}, body } = pages[request.url ?? ''] ?? { status: 500, body: '' };
    response.writeHead(status, headers).end(body);
  });
  const port = await listen(server);
  return { url: `http://127.0.0.1:${port}`, close: () => server.close() };
});

async function read(url: string): Promise<string> {
  if (!('execute' in readWebpage) || readWebpage.workspace === true) throw new Error('it has no workspace');
  const context = {
    run: 'run_1',
    node: 'A',
    key: 'k',
    compat: false,
    signal: new AbortController().signal,
    fetch,
    emit: () => undefined,
    now: () => 0,
    sleep: realSleep,
  };
  return String(await readWebpage.execute({ url }, context));
}

describe('a page of the web', () => {
  it('is read as the Markdown of its article', async () => {
    const text = await read(`${site.url}/article`);

    expect(text).toMatch(/^# Mills\n/);
    expect(text).toContain('## Wheels');
    expect(text).toContain('[the list](https://mills.example/list)');
    expect(text).not.toMatch(/track|Menu entry|Imprint/);
  });

  it('is read as it is when it is a plain text', async () => {
    expect(await read(`${site.url}/text`)).toBe('plain <b>text</b>');
  });

  it('is decoded as its markup says', async () => {
    expect(await read(`${site.url}/latin`)).toBe('# Müller\n\nGrüße');
  });

  it('is cut when it is long', async () => {
    expect(await read(`${site.url}/long`)).toMatch(/y{100000}\n\[cut: the first 100000 of 200000 characters\]$/);
  });

  it.each([
    ['/large', 'the page has more than 5 MiB'],
    ['/picture', 'the page is "image/png", which is no text'],
    ['/missing', 'the server answered with the status 404'],
  ])('is refused at %s', async (path, problem) => {
    await expect(read(`${site.url}${path}`)).rejects.toThrow(problem);
  });

  it.each(['file:///etc/passwd', 'mills.example', 'http://'])('has no address like %s', async (url) => {
    await expect(read(url)).rejects.toThrow('is no address of a page');
  });
});
