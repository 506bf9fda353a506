import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Millrace } from '@millrace/client';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { beforeAll, describe, expect, it } from 'vitest';
import { directoryBeforeAll, openBeforeAll } from '../../support/fixtures.ts';
import { serveApi } from '../../support/http/api.ts';
import { command } from '../../support/processes/command.ts';
import { bossOf } from '../../support/runs/bosses.ts';

const say = (words: string) => ({ tool_calls: [{ id: 'c', name: 'say', arguments: { words } }] });
const params = JSON.stringify({ rules: [{ when: { has_tools: true }, replies: [say('one'), say('two')] }] });
/** A boss that never finishes, with two rounds to do it. */
const boss = bossOf({
  controller: `{ config: { provider: scripted, name: m, role: R, params: ${params} } }`,
  max_round: '2',
});
/** The same before a node whose output is the result of the run. */
const followed = boss
  .trimEnd()
  .concat('\n    - { id: After, type: literal, config: { content: over } }\n  edges: [{ from: B, to: After }]\n');

const summary = 'B: The limit of 2 rounds was reached before the goal.';
const data = {
  result: 'The limit of 2 rounds was reached before the goal.',
  summary,
  status: 'unfinished',
  rounds: 2,
};

const directory = directoryBeforeAll({
  'boss.yaml': boss,
  'followed.yaml': followed,
});
const api = openBeforeAll(serveApi);
const acme = openBeforeAll(() => api.tenant('acme', 'admin'));
beforeAll(async () => {
  await new Millrace({ url: api.orchestrator.url, apiKey: acme.key }).workflows.publish('boss', boss);
});

const run = (file: string, ...more: readonly string[]) =>
  command(['run', join(directory, file), '--input', 'go', '--local', ...more], {});

describe('the result of a boss that did not reach its goal', () => {
  it('is in the JSON of its run, whether or not it is the output', async () => {
    const [alone, before] = await Promise.all([run('boss.yaml', '--json'), run('followed.yaml', '--json')]);

    expect(JSON.parse(alone.stdout)).toMatchObject({ status: 'completed', data, dataByNode: { B: data } });
    expect(JSON.parse(before.stdout)).toMatchObject({ output: 'over', data: null, dataByNode: { B: data } });
    expect([alone.code, before.code]).toEqual([0, 0]);
  });

  it('is shown on a terminal', async () => {
    const { stdout, stderr } = await run('followed.yaml');

    expect(stdout).toBe('over\n');
    expect(stderr).toContain(`! "B" did not reach its goal: ${summary}`);
  });

  it('is in the run of the API and its client', async () => {
    const client = new Millrace({ url: api.orchestrator.url, apiKey: acme.key });
    const handle = await client.runs.start('boss', { input: 'go' });

    const result = await handle.result({ timeout: '30s' });
    const described = await handle.describe();
    const plain = await acme.ask(`/v1/runs/${handle.id}/result`);

    expect(result).toMatchObject({ status: 'completed', data, dataByNode: { B: data } });
    expect(described).toMatchObject({ data, dataByNode: { B: data } });
    expect(plain.body).toMatchObject({ data, dataByNode: { B: data } });
  });

  it('is shown by the command line over the API', async () => {
    const env = acme.env;
    const args = ['run', join(directory, 'boss.yaml'), '--input', 'go'];
    const [json, plain] = await Promise.all([command([...args, '--json'], env), command(args, env)]);

    expect(JSON.parse(json.stdout)).toMatchObject({ output: data.result, data, dataByNode: { B: data } });
    expect(plain.stderr).toContain(`! "B" did not reach its goal: ${summary}`);
  });

  it('is in the handle of an MCP tool', async () => {
    const client = new Client({ name: 'test', version: '1' });
    const requestInit = { headers: { authorization: `Bearer ${acme.key}` } };
    await client.connect(new StreamableHTTPClientTransport(new URL(`${api.orchestrator.url}/mcp`), { requestInit }));

    const { structuredContent } = await client.callTool({ name: 'run_boss', arguments: { task: 'go' } });
    await client.close();

    expect(structuredContent).toMatchObject({ status: 'completed', output: data.result, data });
  });

  it('is described in the contract of the API', async () => {
    const { body } = await acme.ask('/openapi.json');

    expect(body).toMatchObject({
      components: {
        schemas: {
          Run: { properties: { data: {}, dataByNode: {} } },
          RunResult: { properties: { data: {}, dataByNode: {} } },
        },
      },
    });
  });
});

it('is absent for a boss that reached its goal', async () => {
  const finish = { tool_calls: [{ id: 'c', name: 'finish', arguments: { summary: 'all said' } }] };
  const rules = JSON.stringify({ rules: [{ when: { has_tools: true }, replies: [finish] }] });
  const text = bossOf({ controller: `{ config: { provider: scripted, name: m, role: R, params: ${rules} } }` });
  await writeFile(join(directory, 'finished.yaml'), text);

  const { stdout, stderr } = await run('finished.yaml');

  expect(stdout).toBe('all said\n');
  expect(stderr).not.toContain('did not reach');
});
