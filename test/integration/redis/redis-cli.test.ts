import { execFileSync, spawnSync } from 'node:child_process';
import { createVocabulary } from '@millrace/catalog';
import type { Workflow } from '@millrace/core';
import { questionOf, readWorkflow, textMessage } from '@millrace/core';
import { expect, it } from 'vitest';
import { newInstallation } from '../../support/redis/installation.ts';
import { openStage } from '../../support/runs/stage.ts';
import { entriesOf } from '../../support/runs/watching.ts';

const loop = `
graph:
  id: guarded
  start: [Draft]
  end: [Done]
  max_iterations: unlimited
  nodes:
    - {id: Draft, type: literal, config: {content: a draft}}
    - {id: Reviewer, type: human, context_window: -1, config: {}}
    - {id: Guard, type: loop_counter, config: {max_iterations: 3}}
    - {id: Clock, type: loop_timer, config: {max_duration: 1, duration_unit: hours}}
    - {id: Done, type: passthrough, config: {}}
  edges:
    - {from: Draft, to: Reviewer}
    - {from: Reviewer, to: Draft}
    - {from: Reviewer, to: Guard}
    - {from: Reviewer, to: Clock}
    - {from: Guard, to: Draft}
    - {from: Guard, to: Done}
    - {from: Clock, to: Draft}
    - {from: Clock, to: Done}
`;

const program = ['redis-cli', 'valkey-cli'].find((name) => spawnSync(name, ['--version']).status === 0) ?? 'redis-cli';

/** Runs a redis-cli command on a Redis, as a person would, and returns its output. */
function redisCli(url: string, ...command: string[]): string {
  const at = url.startsWith('unix://') ? ['-s', url.slice('unix://'.length)] : ['-u', url];
  return execFileSync(program, [...at, '--raw', ...command], { encoding: 'utf8' }).trim();
}

it('shows counters, timers and contexts of a waiting run to redis-cli', async () => {
  const { url, prefix, where } = newInstallation();
  const stage = await openStage({ where });
  const { workflow } = readWorkflow({ file: 'loop.yaml', text: loop }, { vocabulary: createVocabulary(), mode: 'run' });
  const { runs } = stage.runtime;
  const run = await runs.start({ workflow: workflow as Workflow, input: 'go' }); // the text above is valid
  let asked = 0;
  for await (const { event } of entriesOf(runs, run)) {
    if (event.type !== 'activation.suspended') continue;
    if (++asked === 3) break;
    await runs.answer(run, questionOf(event), { message: textMessage('user', `remark ${asked}`, 'person') });
  }
  const key = (name: string) => `${prefix}:run:${run}:${name}`;

  expect(redisCli(url, 'hget', key('records'), 'counters/s0/Guard')).toBe('2');
  expect(JSON.parse(redisCli(url, 'hget', key('records'), 'timers/s0/Clock')).startedAt).toBeGreaterThan(0);
  const context = redisCli(url, 'lrange', key('context:Reviewer'), '0', '-1')
    .split('\n')
    .map((entry) => JSON.parse(entry));
  expect(context.map(({ role, source }) => `${role} ${source}`)).toEqual([
    'user Draft',
    'assistant Reviewer',
    'user Draft',
    'assistant Reviewer',
    'user Draft',
  ]);

  await runs.cancel(run, 'seen enough');
  await stage.close();
});
