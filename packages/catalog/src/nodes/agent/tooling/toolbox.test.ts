import type { ServerTool, ToolEffect } from '@millrace/core';
import { NodeError } from '@millrace/core';
import { expect, it } from 'vitest';
import { fakeHost } from '../../../../../../test/support/fakes/fake-host.ts';
import { MappedTools, mappedTools } from '../../../tools/mapped-tools.ts';
import { AgentConfig } from '../agent-config.ts';
import { openToolbox } from './toolbox.ts';

const tool = (annotations?: ServerTool['annotations']): ServerTool => ({
  name: 'pay',
  description: 'Pays.',
  parameters: { type: 'object' },
  ...(annotations === undefined ? {} : { annotations }),
});

/** Returns the tools of a server that an entry with these fields binds. */
async function open(served: ServerTool, { compat = false, ...fields }: Record<string, unknown> = {}) {
  const calls: unknown[] = [];
  const host = fakeHost({
    compat: compat === true,
    mcp: () => ({
      tools: async () => [served],
      call: async (_name, _args, { meta }) => {
        calls.push(meta);
        return { content: 'paid' };
      },
    }),
  });
  const entry = { type: 'mcp_remote', config: { server: 'https://bank.example/mcp' }, ...fields };
  const { tooling } = AgentConfig.parse({ provider: 'openai', name: 'm', tooling: [entry] });
  const box = await openToolbox(tooling ?? [], { functions: new Map(), host });
  return { work: box.get('pay')?.work, spec: box.get('pay')?.spec, calls };
}

const trusting = { trust_annotations: true };

it.each<[string, ToolEffect, ServerTool, Record<string, unknown>]>([
  ['nothing is known', 'once', tool(), {}],
  ['hints are not trusted', 'once', tool({ readOnlyHint: true, idempotentHint: true }), {}],
  ['it is read-only by a trusted hint', 'read', tool({ readOnlyHint: true }), trusting],
  ['it is idempotent by a trusted hint', 'idempotent', tool({ idempotentHint: true }), trusting],
  ['a trusted server promises nothing', 'once', tool({ destructiveHint: false }), trusting],
  ['a run needs the behaviour of the original engine', 'idempotent', tool(), { compat: true }],
  ['the author says so', 'read', tool(), { effects: { 'p*': 'read' } }],
  [
    'the author knows better than the hint',
    'once',
    tool({ readOnlyHint: true }),
    { ...trusting, effects: { pay: 'once' } },
  ],
])('gives a tool of a server its effect: %s', async (_why, effect, served, fields) => {
  const { work, spec } = await open(served, fields);

  expect(work).toMatchObject({ type: 'action', effect });
  expect(spec).not.toHaveProperty('annotations');
});

it.each([
  [{}, 'dev.millrace/idempotencyKey'],
  [{ idempotency_meta: 'example.org/key' }, 'example.org/key'],
])('sends the key of a call beside its arguments (%j)', async (fields, name) => {
  const { work, calls } = await open(tool(), fields);
  if (work?.type !== 'action') throw new Error('the tool is an action');

  await work.run(
    {},
    { key: 'k1', signal: new AbortController().signal, emit: () => undefined, sleep: async () => undefined },
  );

  expect(calls).toEqual([{ [name]: 'k1' }]);
});

it('refuses a server that lacks the tool which is to verify calls', async () => {
  const opened = open(tool(), { on_unknown: { pay: { verify: { tool: 'find' } } } });

  await expect(opened).rejects.toThrow(NodeError);
  await expect(opened).rejects.toMatchObject({ code: 'TOOL_UNKNOWN', message: expect.stringContaining('"find"') });
});

it('names the tool and the server that a function is mapped to, without secrets', async () => {
  const file = MappedTools.parse({ web_search: { mcp: 'https://me:pw@search.example/mcp?key=x', tool: 'find' } });
  const functions = new Map(mappedTools(file).map((mapped) => [mapped.name, mapped] as const));
  const entry = { type: 'function', config: { tools: [{ name: 'web_search' }] } };
  const { tooling } = AgentConfig.parse({ provider: 'openai', name: 'm', tooling: [entry] });
  const host = fakeHost({ mcp: () => ({ tools: async () => [], call: async () => ({ content: '' }) }) });

  const box = await openToolbox(tooling ?? [], { functions, host });

  expect(box.get('web_search')?.server).toBe('find at https://search.example/mcp');
});
