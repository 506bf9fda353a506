import { existsSync } from 'node:fs';
import { readdir, readFile, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { textMessage } from '@millrace/core';
import { startWorker } from '@millrace/worker';
import { pino } from 'pino';
import { expect, it } from 'vitest';
import { directoryBeforeEach, openBeforeEach } from '../../support/fixtures.ts';
import { newInstallation } from '../../support/redis/installation.ts';
import { openStage, workflowIn } from '../../support/runs/stage.ts';
import { untilEnded } from '../../support/runs/watching.ts';

const workspaces = directoryBeforeEach();
const stage = openBeforeEach(() => openStage({ where: newInstallation().where, workspaces }));

/** An agent that calls a tool once. */
const calling = (tool: { name: string; arguments: object }): string => {
  const script = { rules: [{ when: { last_role: 'tool' }, reply: 'done' }, { reply: { tool_calls: [tool] } }] };
  const tooling = [{ type: 'function', config: { tools: [{ name: tool.name }] } }];
  return JSON.stringify({ provider: 'scripted', name: 's', params: script, tooling });
};

/** An agent leaves a file, which another one reads after an answer. */
const twoAgents = `
graph:
  id: two
  nodes:
    - {id: A, type: agent, config: ${calling({ name: 'save_file', arguments: { path: 'kept.txt', content: 'kept' } })}}
    - {id: H, type: human, config: {}}
    - {id: B, type: agent, config: ${calling({ name: 'read_file', arguments: { path: 'kept.txt' } })}}
  edges: [{from: A, to: H}, {from: H, to: B}]
`;

/** Starts a worker, an hour later by all clocks, that looks at the folders of all runs, and waits until one is removed. */
async function removeLater(removed: string): Promise<void> {
  const { runtime, vocabulary } = stage;
  const hourAgo = Date.now() / 1000 - 3600;
  for (const name of await readdir(workspaces)) await utimes(join(workspaces, name), hourAgo, hourAgo);
  const { now } = runtime.runs;
  const runs = { ...runtime.runs, now: () => now() + 3_600_000 };
  const log = pino({ level: 'silent' });
  const options = { runtime: { ...runtime, runs }, vocabulary, concurrency: 1, name: 'later', log, workspaces };
  const worker = startWorker({ ...options, queues: ['other'] });
  await expect.poll(() => existsSync(removed)).toBe(false);
  await worker.close();
}

it('are those of runs that have ended, also from before the start of the worker; forks find their files', async () => {
  const { runs } = stage.runtime;
  const isAsked = (run: string) => expect.poll(() => runs.tasks(run)).toHaveLength(1);
  const start = () => runs.start({ workflow: workflowIn(twoAgents, stage.vocabulary), input: 'go' });
  const [ended, waiting] = [await start(), await start()];
  await isAsked(waiting);
  const answer = async (run: string) => {
    await isAsked(run);
    await runs.answer(run, undefined, { message: textMessage('user', 'go on', 'H') });
    await untilEnded(runs, run);
    const { status } = (await runs.describe(run)) ?? {};
    return [status, await readFile(join(workspaces, run, 'code_workspace/kept.txt'), 'utf8')];
  };
  expect(await answer(ended)).toEqual(['completed', 'kept']);

  await removeLater(join(workspaces, ended));

  expect(existsSync(join(workspaces, waiting))).toBe(true);
  expect(await answer(waiting)).toEqual(['completed', 'kept']);
  const fork = await runs.fork(ended, { at: 'a2' });
  expect(await answer(fork)).toEqual(['completed', 'kept']);
});

it('are those of runs that were removed before the start of the worker', async () => {
  const { runs } = stage.runtime;
  const run = await runs.start({ workflow: workflowIn(twoAgents, stage.vocabulary), input: 'go' });
  await expect.poll(() => runs.tasks(run)).toHaveLength(1);
  await runs.cancel(run, 'not needed');
  await runs.remove(run);
  expect(existsSync(join(workspaces, run))).toBe(true);

  await removeLater(join(workspaces, run));
});
