import { createServer } from 'node:http';
import { textOf } from '@millrace/core';
import { expect, it } from 'vitest';
import { openBeforeAll } from '../../support/fixtures.ts';
import { listen } from '../../support/http/listen.ts';
import { openStage } from '../../support/runs/stage.ts';

const pages: Readonly<Record<string, string>> = {
  '/good': '<title>Mill</title><p>It grinds.</p>',
  '/deep': `<body>${'<div>'.repeat(200_000)}`,
  '/wide': `<body>${'<p>a</p>'.repeat(400_000)}`,
  '/nested': `<body>${'<div>'.repeat(49_000)}`,
  '/attributes': `<body><p ${Array.from({ length: 600_000 }, (_, at) => `a${at.toString(36)}`).join(' ')}>x</p>`,
};

const site = openBeforeAll(async () => {
  const server = createServer((request, response) => {
    response.writeHead(200, { 'content-type': 'text/html' }).end(pages[request.url ?? '']);
  });
  const port = await listen(server);
  return { url: `http://127.0.0.1:${port}`, close: () => server.close() };
});
const stage = openBeforeAll(() => openStage({ where: { local: true }, outbound: ['127.0.0.1'] }));

/** Returns what a model is told that reads a page. */
async function told(url: string): Promise<string> {
  const config = {
    provider: 'scripted',
    name: 'm',
    params: {
      default: { tool_calls: [{ name: 'read_webpage_content', arguments: { url } }] },
      rules: [{ when: { last_role: 'tool' }, reply: '{last}' }],
    },
    tooling: [{ type: 'function', config: { tools: [{ name: 'read_webpage_content' }] } }],
  };
  const graph = { id: 'reading', nodes: [{ id: 'Reader', type: 'agent', config }] };
  const { description } = await stage.run(JSON.stringify({ graph }), 'go');
  return description.output === undefined ? '' : textOf(description.output);
}

it.each(['/deep', '/wide', '/nested', '/attributes'])(
  'bounds what it takes to read the page %s, and reads the next one',
  async (path) => {
    expect(await told(`${site.url}${path}`)).toMatch(/error: the page (cannot be read|takes too long)/);
    expect(await told(`${site.url}/good`)).toBe('# Mill\n\nIt grinds.');
  },
);

it('reaches no address that the run may not reach', async () => {
  expect(await told('http://169.254.169.254/latest/meta-data/')).toContain('169.254.169.254 is no public address');
});
