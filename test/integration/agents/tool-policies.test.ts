import { fileURLToPath } from 'node:url';
import { beforeEach, describe, expect, it } from 'vitest';
// biome-ignore lint/correctness/useImportExtensions: a program for node, with its types in a file beside it.
import { createServer } from '../../support/fakes/mcp-server.mjs';
import { openBeforeAll } from '../../support/fixtures.ts';
import { serveMcp } from '../../support/http/mcp-http.ts';
import {
  approve,
  call,
  decide,
  document,
  extensions,
  made,
  output,
  pay,
  repliesWith,
  start,
} from '../../support/runs/approvals.ts';
import { journalOf } from '../../support/runs/audit.ts';
import { openStage } from '../../support/runs/stage.ts';
import { ended } from '../../support/runs/waits.ts';

beforeEach(() => {
  made.length = 0;
});

describe('a call that a policy denies', () => {
  const stage = openBeforeAll(() =>
    openStage({
      where: { local: true },
      extensions,
      toolPolicy: [{ tool: 'transfer', when: { path: 'to', equals: 'eve' }, do: 'deny', reason: 'Eve is blocked.' }],
    }),
  );

  it.each([
    [
      'by its entry',
      document([pay(1)], '[{tool: transfer, do: deny}]'),
      'a rule does not allow it (policy: transfer).',
    ],
    ['by its graph', document([pay(1)], '[]', 'tool_policy: [{tool: "tr*", do: deny, reason: "No."}]'), 'No.'],
    ['by the operator', document([pay(500, 'eve')], '[{do: allow}]'), 'Eve is blocked.'],
    ['by the operator, whatever else asks', document([pay(500, 'eve')]), 'Eve is blocked.'],
  ])('%s is not made, and the model is told', async (_by, text, reason) => {
    const { description } = await stage.run(text, 'pay');

    expect(output(description)).toBe(`Tool transfer was not called: ${reason}`);
    expect(made).toEqual([]);
  });

  it('by the operator is not made with the arguments of a person either', async () => {
    const { run, tasks } = await start(stage, document([pay(500)]));

    for (const task of tasks) await decide(stage, task, { ...approve, arguments: { to: 'eve', amount: 500 } });

    expect(output(await ended(stage, run))).toContain('Eve is blocked.');
    expect(made).toEqual([]);
  });

  it('is allowed by nobody else than the operator', async () => {
    const { description } = await stage.run(document([pay(50)]), 'pay');

    expect([output(description), made.length]).toEqual(['transferred 50 to bob', 1]);
  });
});

describe('a tool of an MCP server', () => {
  const token = 'hunter2-of-the-bank';
  const stage = openBeforeAll(() =>
    openStage({ where: { local: true }, secret: (name) => (name === 'BANK_TOKEN' ? token : undefined) }),
  );
  const program = fileURLToPath(new URL('../../support/fakes/mcp-server.mjs', import.meta.url));
  const http = openBeforeAll(() => serveMcp(createServer));
  const local = () => `mcp_local, config: {command: '${process.execPath}', args: ['${program}']}`;
  const remote = () => `mcp_remote, config: {server: '${http.url}?key=x', headers: {authorization: '\${BANK_TOKEN}'}}`;
  const greeting = (name: string, server: string) => `
graph:
  id: remote
  nodes:
    - id: A
      type: agent
      config:
        provider: scripted
        name: m
        params: ${JSON.stringify(repliesWith([call('my_greet', { name })]))}
        tooling:
          - {type: ${server}, prefix: my, policy: [{annotation: destructive, do: ask}]}
`;

  it('is called as it was approved', async () => {
    const { run, tasks } = await start(stage, greeting('Ann', local()));
    const [task] = tasks;
    if (task?.call === undefined) throw new Error('nobody is asked');
    expect(task.call).toMatchObject({ tool: 'greet', server: expect.stringContaining('mcp-server.mjs') });
    expect(JSON.parse(task.call.parameters)).toMatchObject({ required: ['name'] });

    await decide(stage, task, { ...approve, arguments: { name: 'Bob' } });

    expect(output(await ended(stage, run))).toMatch(/made with \{"name":"Bob"\}\.\n\nHello Bob/);
  });

  it('is shown without secrets, and called as it is shown', async () => {
    const { run, tasks } = await start(stage, greeting(`Ann ${token}`, remote()));
    const shown = tasks[0]?.call?.arguments ?? '';
    expect(tasks[0]?.call?.server).toBe(`${http.url} (my)`);
    expect(shown).toMatch(/^\{"name":"Ann [^"]+"\}$/);
    expect(shown).not.toContain(token);

    for (const task of tasks) await decide(stage, task, approve);

    expect(output(await ended(stage, run))).toBe(`Hello ${JSON.parse(shown).name}`);
    expect(JSON.stringify(await journalOf(stage.runtime.store, run))).not.toContain(token);
  });
});
