import type { McpServer } from '@millrace/core';
import { readWorkflow, textMessage } from '@millrace/core';
import { describe, expect, it } from 'vitest';
import { fakeHost } from '../../../../test/support/fakes/fake-host.ts';
import { createVocabulary } from '../index.ts';
import { MappedTools, mappedTools } from './mapped-tools.ts';

const search = {
  mcp: 'https://search.example/mcp',
  tool: 'search',
  arguments: { q: '$.query', limit: 5 },
  headers: { Authorization: 'Bearer ${KEY}' },
};

const problems = (file: unknown): string[] =>
  (MappedTools.safeParse(file).error?.issues ?? []).map(({ path, message }) => `${path.join('.')}: ${message}`);

describe('a file that maps functions to tools of MCP servers', () => {
  it('maps any function that needs what is not part of Millrace', () => {
    const names = ['web_search', 'read_webpage_content', 'execute_code', 'uv_run', 'render_manim', 'report_export_pdf'];

    expect(problems(Object.fromEntries(names.map((name) => [name, search])))).toEqual([]);
  });

  it.each([
    [{ web_serch: search }, /^web_serch: No such function can be mapped. .*"web_search"/],
    [{ save_file: search }, /^save_file: No such function can be mapped. These can: .*web_search/],
    [{ web_search: { ...search, mcp: 'search.example' } }, /^web_search.mcp: Write the URL/],
    [{ web_search: { ...search, arguments: { q: '$.[' } } }, /^web_search.arguments.q: .*is not a JSONPath/],
    [{ web_search: { mcp: search.mcp } }, /^web_search.tool: /],
    [{ web_search: { ...search, key: 1 } }, /key/],
  ])('refuses %j', (file, expected) => {
    expect(problems(file)).toEqual([expect.stringMatching(expected)]);
  });
});

describe('a function that is mapped', () => {
  const tools = mappedTools(MappedTools.parse({ web_search: search }));
  const vocabulary = createVocabulary({ tools });
  const config = {
    provider: 'openai',
    name: 'gpt-6-sol',
    tooling: [{ type: 'function', config: { tools: [{ name: 'web_search' }] } }],
  };

  it('is available', () => {
    const text = JSON.stringify({ graph: { id: 'g', nodes: [{ id: 'A', type: 'agent', config }] } });
    const codes = (known: typeof vocabulary) =>
      readWorkflow({ file: 'w.yaml', text }, { vocabulary: known, mode: 'check' }).issues.map(({ code }) => code);

    expect(codes(vocabulary)).not.toContain('W_TOOL_UNAVAILABLE');
    expect(codes(createVocabulary())).toContain('W_TOOL_UNAVAILABLE');
  });

  it('calls the tool of the server, with its own arguments and a key', async () => {
    const called: unknown[] = [];
    const servers: McpServer[] = [];
    const host = fakeHost({
      replies: [
        { text: '', toolCalls: [{ id: 'c1', name: 'web_search', arguments: '{"query":"millrace"}' }] },
        { text: 'done' },
      ],
      mcp(server) {
        servers.push(server);
        return {
          tools: async () => [],
          call: async (name, args, { meta }) => {
            called.push([name, args, Object.keys(meta ?? {})]);
            return { content: 'found' };
          },
        };
      },
    });
    const agent = vocabulary.nodes.get('agent');

    await agent?.execute(agent.config.parse(config), [textMessage('user', 'search', 'TASK')], host);

    expect(called).toEqual([['search', { q: 'millrace', limit: 5 }, ['dev.millrace/idempotencyKey']]]);
    expect(servers).toMatchObject([{ type: 'remote', url: search.mcp, headers: search.headers }]);
    expect(host.asked.at(-1)?.messages.at(-1)).toMatchObject({ content: 'found' });
  });
});
