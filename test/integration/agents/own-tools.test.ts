import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createVocabulary } from '@millrace/catalog';
import type { MessageId, ToolDefinition } from '@millrace/core';
import { defineTool, readWorkflow } from '@millrace/core';
import { openRuntime } from '@millrace/runtime';
import { startWorker } from '@millrace/worker';
import { pino } from 'pino';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { entriesOf } from '../../support/runs/watching.ts';

const document = (tool: string) => `
graph:
  id: own-tools
  start: [A, B]
  nodes:
${['A', 'B']
  .map(
    (id) => `    - id: ${id}
      type: agent
      config:
        provider: scripted
        name: m
        params:
          rules:
            - { when: { last_role: tool }, reply: done }
            - { when: {}, reply: { tool_calls: [{ name: ${tool}, arguments: {} }] } }
        tooling: [{ type: function, config: { tools: [{ name: ${tool} }] } }]`,
  )
  .join('\n')}
    - { id: join, type: passthrough, config: { only_last_message: false } }
  edges:
    - { from: A, to: join }
    - { from: B, to: join }
`;

/**
 * Runs two agents at once that call this tool. Returns the sizes of the files that they change, the results of their steps, and
 * the folders of workspaces.
 */
async function runWith(tool: ToolDefinition) {
  const vocabulary = createVocabulary({ tools: [tool] });
  const text = document(tool.name);
  const { workflow, issues } = readWorkflow({ file: 'tools.yaml', text }, { vocabulary, mode: 'run', environment: {} });
  if (workflow === undefined) throw new Error(JSON.stringify(issues));
  const workspaces = await mkdtemp(join(tmpdir(), 'millrace-own-tools-'));
  const runtime = await openRuntime({ local: true }, vocabulary, (message) => process.stderr.write(message));
  const log = pino({ level: 'silent' });
  const worker = startWorker({ runtime, vocabulary, concurrency: 2, name: 'w', log, workspaces });
  try {
    const run = await runtime.runs.start({ workflow, input: 'go' });
    const sizes: unknown[] = [];
    const results: MessageId[] = [];
    for await (const { event } of entriesOf(runtime.runs, run)) {
      if (event.type === 'files.changed') sizes.push(...event.files.map(({ file }) => file?.size));
      if (event.type === 'step.completed') results.push(event.result);
    }
    const status = (await runtime.runs.describe(run))?.status;
    const answers = JSON.stringify(await runtime.runs.bodies(run, results));
    return { status, sizes, answers, folders: await readdir(workspaces) };
  } finally {
    await worker.close();
    await runtime.close();
    await rm(workspaces, { recursive: true });
  }
}

it('executes agents with own tools in parallel, without a workspace', async () => {
  const bothCalled = countdown(2);
  const meet = defineTool({
    name: 'meet',
    description: 'Waits for the other agent.',
    parameters: z.object({}),
    async execute() {
      bothCalled.one();
      await bothCalled.all;
      return 'met';
    },
  });

  const { status, folders } = await runWith(meet);

  expect({ status, folders }).toEqual({ status: 'completed', folders: [] });
});

it('executes agents whose tool asks for the workspace one after the other', async () => {
  let underWay = 0;
  let most = 0;
  const append = defineTool({
    name: 'append',
    description: 'Appends a line.',
    workspace: true,
    parameters: z.object({}),
    async execute(_args, { workspace, node }) {
      underWay += 1;
      most = Math.max(most, underWay);
      await workspace.write('lines.txt', `${node}\n`, 'append');
      underWay -= 1;
      return 'appended';
    },
  });

  const { status, sizes } = await runWith(append);

  expect({ status, most, sizes }).toEqual({ status: 'completed', most: 1, sizes: [2, 4] });
});

it('tells the model of a tool that uses the workspace without asking for it', async () => {
  const careless = defineTool({
    name: 'careless',
    description: 'Uses files.',
    parameters: z.object({}),
    execute: (_args, context) => String(Reflect.get(context, 'workspace')),
  });

  const { status, answers } = await runWith(careless);

  expect(status).toBe('completed');
  expect(answers).toContain('uses the workspace without asking for it: define it with `workspace: true`');
});

/** Something that so many have to reach. */
function countdown(count: number) {
  let left = count;
  let resolve = () => {};
  const all = new Promise<void>((done) => {
    resolve = done;
  });
  return {
    all,
    one() {
      left -= 1;
      if (left === 0) resolve();
    },
  };
}
