import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { directoryBeforeAll, openBeforeAll } from '../../support/fixtures.ts';
import { command, startCommand } from '../../support/processes/command.ts';
import type { CommandResult, RunningCommand } from '../../support/processes/millrace.ts';
import { startWorkerProcess } from '../../support/processes/worker-process.ts';
import { startRedis } from '../../support/redis/redis.ts';

/** A person between two agents: the run waits until a command changes it. */
const asking = `
version: 0.4.0
graph:
  id: asking
  start: [Draft]
  end: [Final]
  nodes:
    - {id: Draft, type: literal, config: {content: a draft}}
    - {id: Reader, type: human, config: {description: Well?}}
    - {id: Final, type: passthrough, config: {only_last_message: false}}
  edges:
    - {from: Draft, to: Reader}
    - {from: Reader, to: Final}
`;

const agent = (script: string, more = '') => `
version: 0.4.0
graph:
  id: agent
  nodes:
    - {id: Writer, type: agent, ${more}config: {provider: scripted, name: m, params: ${script}}}
`;
const refusedFirst = agent('{rules: [{replies: [{error: {status: 400, message: not like this}}, in time]}]}');
const tooSlow = agent('{rules: [{reply: {text: late, delay_ms: 60000}}]}', 'timeout: 1, ');

const directory = directoryBeforeAll();
const redis = openBeforeAll(startRedis);
const worker = openBeforeAll(async () => {
  const policy = join(directory, 'policy.yaml');
  await writeFile(policy, '- {tool: save_fil, do: deny}\n');
  return startWorkerProcess(redis.url, { MILLRACE_TOOL_POLICY: policy });
});

const env = () => ({ REDIS_URL: redis.url, MILLRACE_DIR: directory });
const call = (...args: string[]): Promise<CommandResult> => command(args, env());
const statusOf = ({ stdout }: CommandResult): unknown => JSON.parse(stdout).status;

async function start(name: string, yaml: string, ...more: string[]): Promise<string> {
  const file = join(directory, name);
  await writeFile(file, yaml);
  const { stdout, stderr } = await call('run', file, '--input', 'go', '--detach', '--json', ...more);
  const { runId } = JSON.parse(stdout);
  if (typeof runId !== 'string') throw new Error(stderr);
  return runId;
}

/** Follows a run, which asks a person by now. */
async function asked(run: string): Promise<Pick<RunningCommand, 'ended'>> {
  const watching = startCommand(['watch', run], env());
  await watching.says(/millrace answer/);
  return watching;
}

it('pauses a run, accepts an answer meanwhile, and continues when it is resumed', async () => {
  const run = await start('asking.yaml', asking);
  const watching = await asked(run);

  expect(statusOf(await call('pause', run, '--json'))).toBe('paused');
  expect((await call('answer', run, 'fine')).code).toBe(0);
  expect((await call('pause', run)).code).toBe(4);
  expect((await call('resume', run)).code).toBe(0);

  expect(await watching.ended).toMatchObject({ code: 0, stdout: 'fine\n' });
  // It is completed now, and takes a further task.
  expect(await call('resume', run)).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('RESUME_INPUT_REQUIRED'),
  });
  expect(['running', 'waiting']).toContain(statusOf(await call('resume', run, '--input', 'more', '--json')));
});

it('approves a call by the id of its question only, and shows the call', async () => {
  const save = { id: 'c1', name: 'save_file', arguments: { path: 'a.txt', content: 'x\u200b' } };
  const script = JSON.stringify({
    rules: [{ when: { last_role: 'tool' }, reply: 'saved' }, { reply: { tool_calls: [save] } }],
  });
  const tooling = '[{type: function, config: {tools: [{name: save_file}]}, policy: [{do: ask}]}]';
  const run = await start('approving.yaml', agent(`${script}, tooling: ${tooling}`));
  const watching = await asked(run);

  const unnamed = await call('answer', run, '--approve');
  expect([unnamed.code, unnamed.stderr]).toEqual([2, expect.stringContaining(`millrace answer ${run}.a1.1 --approve`)]);
  const named = await call('answer', `${run}.a1.1`, '--approve');
  expect([named.code, named.stderr]).toEqual([0, expect.stringContaining('"content": "x\\u200b"')]);

  expect(await watching.ended).toMatchObject({ code: 0, stdout: 'saved\n' });
});

it('follows each question of an activation that asks twice, and answers the second one by its id', async () => {
  const ask = (instruction: string, id: string) => ({
    tool_calls: [{ id, name: 'call_user', arguments: { instruction } }],
  });
  const replies = [ask('First?', 'c1'), ask('Second?', 'c2'), 'Done.'];
  const tooling = '[{type: function, config: {tools: [{name: call_user}]}}]';
  const run = await start('twice.yaml', agent(`${JSON.stringify({ rules: [{ replies }] })}, tooling: ${tooling}`));
  const watching = startCommand(['watch', run], env());

  await watching.says(new RegExp(`millrace answer ${run}\\.a1 "`));
  const early = await call('answer', `${run}.a1-2`, 'early');
  expect([early.code, early.stderr]).toEqual([expect.any(Number), expect.not.stringContaining('Answered')]);
  expect(early.code).not.toBe(0);
  expect((await call('answer', `${run}.a1`, 'one')).code).toBe(0);
  await watching.says(new RegExp(`millrace answer ${run}\\.a1-2 "`));
  expect((await call('answer', `${run}.a1`, 'late')).code).not.toBe(0);
  expect((await call('answer', `${run}.a1-2`, 'two')).code).toBe(0);

  const { code, stdout, stderr } = await watching.ended;
  expect([code, stdout]).toEqual([0, 'Done.\n']);
  expect([stderr.split('First?').length, stderr.split('Second?').length]).toEqual([2, 2]);
  expect(stderr).toMatch(/First\?.*one.*Second\?.*two/s);
});

it('logs rules of the operator that are about no tool', async () => {
  await worker.says(/W_POLICY_TOOL_UNKNOWN.*Did you mean .*save_file/);
});

it('refuses an empty answer and keeps the question open, except with --empty', async () => {
  const run = await start('asking.yaml', asking);
  const watching = await asked(run);

  for (const nothing of ['', '  \n']) {
    expect(await call('answer', run, nothing)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('ANSWER_EMPTY'),
    });
  }
  expect((await call('answer', run, '', '--empty')).code).toBe(0);
  expect(await watching.ended).toMatchObject({ code: 0 });
});

it('stops a run, which asks again when it is resumed', async () => {
  const run = await start('asking.yaml', asking);
  await asked(run);
  await call('stop', run, '--note', 'enough');

  const stopped = await call('watch', run, '--json');
  expect(stopped.code).toBe(0);
  expect(JSON.parse(stopped.stdout.trim().split('\n').at(-1) ?? '').result).toMatchObject({
    status: 'terminated',
    stop: { code: 'external', text: expect.stringContaining('enough') },
  });
  expect((await call('answer', run, 'too late')).code).toBe(3);
  expect((await call('resume', run)).code).toBe(0);
  const watching = await asked(run);
  expect((await call('answer', run, 'fine')).code).toBe(0);
  expect(await watching.ended).toMatchObject({ code: 0, stdout: 'fine\n' });
});

it('continues from the failed node with retry', async () => {
  const run = await start('refused.yaml', refusedFirst);

  expect(await call('watch', run)).toMatchObject({ code: 1, stderr: expect.stringContaining('MODEL_BAD_REQUEST') });
  expect((await call('retry', run)).code).toBe(0);
  expect(await call('watch', run)).toMatchObject({ code: 0, stdout: 'in time\n' });
  expect((await call('retry', run)).code).toBe(4);
});

it('times out a node that takes too long', async () => {
  const run = await start('slow.yaml', tooSlow);

  expect(await call('watch', run)).toMatchObject({ code: 1, stderr: expect.stringContaining('NODE_TIMEOUT') });
});

it('times out a run that takes too long', async () => {
  const run = await start('asking.yaml', asking, '--timeout', '1s');

  const { code, stderr } = await call('watch', run);
  expect(code).toBe(1);
  expect(stderr).toContain('RUN_TIMEOUT');
});

it('lists the runs of a tenant', async () => {
  const run = await start('ours.yaml', asking.replace('  id: asking', '  id: asking\n  organization: Ours & Co'));
  await start('theirs.yaml', asking);

  const { stdout } = await call('runs', '--tag', 'Ours & Co', '--json');

  expect(JSON.parse(stdout)).toMatchObject([{ runId: run, tags: ['Ours & Co'] }]);
});

it.each(['pause', 'resume', 'stop', 'retry'])('ends %s with exit code 3 for an unknown run', async (order) => {
  expect((await call(order, 'run_none')).code).toBe(3);
});

it('removes a run that has ended, archives it before, and reads the archive', async () => {
  const run = await start('asking.yaml', asking);
  expect(await call('rm', run)).toMatchObject({ code: 4, stderr: expect.stringContaining('RUN_NOT_ENDED') });
  await call('cancel', run);
  const journal = await call('journal', run);

  const archive = join(directory, 'archive');
  const removed = await command(['rm', run, '--json'], { ...env(), MILLRACE_ARCHIVE: archive });

  expect(JSON.parse(removed.stdout)).toEqual({ runId: run });
  expect((await call('journal', run)).code).toBe(3);
  const archived = await call('journal', '--file', join(archive, `${run}.jsonl`));
  const head = (line: string) => line.split(' {')[0];
  expect(archived.stdout.split('\n').map(head)).toEqual(journal.stdout.split('\n').map(head));
  expect(archived.stdout).not.toContain('token');
  expect((await call('journal', '--file', join(directory, 'asking.yaml'))).code).toBe(2);
  expect((await call('journal')).code).toBe(2);
});
