import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, it } from 'vitest';
import { directoryBeforeAll } from '../../support/fixtures.ts';
import { command, startCommand } from '../../support/processes/command.ts';
import type { CommandResult } from '../../support/processes/millrace.ts';
import { millrace, startMillrace } from '../../support/processes/millrace.ts';

const examples = fileURLToPath(new URL('../../../examples/', import.meta.url));
const review = `${examples}review-loop.yaml`;
const scripted = ['--script', `${examples}review-loop.script.yaml`, '--input', 'The library opens on Sundays.'];
const lastDraft =
  'Sundays belong to readers. From 4 May the library and its café are open from ten to four. Entry is free.';

const cwd = directoryBeforeAll();
/** Ten seconds is a Redis waited for: that continues while the others run. */
let unreachable: Promise<CommandResult>;

beforeAll(() => {
  unreachable = command(['runs'], { REDIS_URL: 'redis://127.0.0.1:1' });
  writeFileSync(join(cwd, 'accept.yaml'), '- Shorter, please.\n- ACCEPT\n');
  writeFileSync(
    join(cwd, 'greeting.yaml'),
    'graph:\n  id: greeting\n  nodes:\n    - {id: Hello, type: literal, config: {content: "Hello ${NAME}"}}\n',
  );
  writeFileSync(
    join(cwd, 'failing.script.yaml'),
    'default: {error: {type: AuthenticationError, status: 401, message: no key}}\n',
  );
  writeFileSync(
    join(cwd, 'busy.script.yaml'),
    'default: {error: {type: RateLimitError, status: 429, message: not now}}\n',
  );
  writeFileSync(
    join(cwd, 'busy.yaml'),
    'graph:\n  id: busy\n  nodes: [{id: A, type: agent, config: {provider: openai, name: m, retry: {max_attempts: 3, min_wait_seconds: 0, max_wait_seconds: 0}}}]\n',
  );
  writeFileSync(
    join(cwd, 'keyless.yaml'),
    'graph:\n  id: keyless\n  nodes: [{id: A, type: agent, config: {provider: openai, name: m}}]\n',
  );
  writeFileSync(join(cwd, 'same.yaml'), 'graph:\n  id: same\n  nodes: [{id: A, type: passthrough, config: {}}]\n');
  writeFileSync(join(cwd, 'slow.script.yaml'), 'default: {text: a draft, delay_ms: 1000}\n');
});

const file = (name: string): string => join(cwd, name);
const local = (args: readonly string[]) => command(['run', ...args, '--local', '--json'], {});

describe('millrace run --local', () => {
  it('reports the retry of a model call between its other lines', async () => {
    const { stderr } = await command(['run', file('busy.yaml'), '--script', file('busy.script.yaml'), '--local'], {});

    const lines = stderr.trim().split('\n');
    expect(lines.filter((line) => line.startsWith('! A: a model call failed and is retried'))).toHaveLength(2);
    expect(lines.filter((line) => line.startsWith('{'))).toEqual([]);
    expect(lines.findLastIndex((line) => line.startsWith('!'))).toBeLessThan(
      lines.findIndex((line) => line.startsWith('✖ failed')),
    );
  });

  it('ends at once without the key of a model', async () => {
    const began = performance.now();
    const { code, stderr } = await command(['run', file('keyless.yaml'), '--local'], { OPENAI_API_KEY: '' });

    expect([code, stderr]).toEqual([1, expect.stringContaining('MODEL_AUTH')]);
    expect(stderr).not.toContain('made again');
    expect(performance.now() - began).toBeLessThan(5000);
  });

  it('runs the review loop until its guard ends it', async () => {
    const { code, stdout, stderr } = await local([
      review,
      ...scripted,
      '--answers',
      `${examples}review-loop.answers.yaml`,
    ]);
    const result = JSON.parse(stdout);
    expect(code).toBe(0);
    expect(result).toMatchObject({ status: 'completed', output: lastDraft, error: null });
    expect(result.outputs.Writer).toContain('Entry is free');
    expect(result.runId).toMatch(/^run_/);
    expect(result.usage.calls).toBe(3);
    expect(stderr.match(/Loop Guard has no output/g)).toHaveLength(2);
  });

  it('ends the loop when the reviewer accepts, with the draft', async () => {
    const { code, stdout } = await local([review, ...scripted, '--answers', file('accept.yaml')]);
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({
      status: 'completed',
      output: expect.stringContaining('and so is its café'),
    });
  });

  it('prints the output alone on stdout, without --json', async () => {
    const args = ['run', review, ...scripted, '--answers', `${examples}review-loop.answers.yaml`, '--local'];
    expect((await command(args, {})).stdout).toBe(`${lastDraft}\n`);
  });

  it('prints an output completely, however slowly it is read', async () => {
    const text = 'long '.repeat(60_000);
    writeFileSync(join(cwd, 'long.txt'), text);
    const { code, stdout } = await millrace(['run', 'same.yaml', '--input', '@long.txt', '--local'], { cwd });
    expect({ code, length: stdout.length }).toEqual({ code: 0, length: text.length + 1 });
  });

  it('exits with 6 without an answer', async () => {
    const { code, stdout } = await local([review, ...scripted]);
    const result = JSON.parse(stdout);
    expect({ code, status: result.status }).toEqual({ code: 6, status: 'waiting' });
    expect(result.tasks).toMatchObject([{ node: 'Reviewer', id: `${result.runId}.a2` }]);
  });

  it('exits with 1 and the reason when the run fails', async () => {
    const { code, stdout } = await local([review, '--script', file('failing.script.yaml'), '--input', 'x']);
    expect(code).toBe(1);
    expect(JSON.parse(stdout)).toMatchObject({ status: 'failed', output: null, error: { node: 'Writer' } });
  });

  it('fills in variables', async () => {
    const { stdout } = await local([file('greeting.yaml'), '--var', 'NAME=Ada']);
    expect(JSON.parse(stdout)).toMatchObject({ output: 'Hello Ada' });
  });

  it('reads the task from standard input or a file', async () => {
    writeFileSync(file('task.txt'), 'A task');
    const stdin = 'A task\n';
    expect((await millrace(['run', file('same.yaml'), '--local', '--input', '-'], { stdin })).stdout).toBe(stdin);
    const args = ['run', file('same.yaml'), '--local', '--input', `@${file('task.txt')}`];
    expect((await command(args, {})).stdout).toBe(stdin);
  });
});

describe('millrace on an embedded Redis', () => {
  const env = { MILLRACE_DIR: '.millrace' };
  const here = () => ({ MILLRACE_DIR: file('.millrace') });
  const redis = (...args: string[]) => command(args, here());

  it('runs, and keeps the run after Redis has stopped', async () => {
    const args = ['run', review, ...scripted, '--answers', `${examples}review-loop.answers.yaml`, '--json'];
    const ran = await redis(...args);
    expect(ran.code).toBe(0);
    expect(ran.stderr).toContain('this process works on the run itself');
    const { runId, output } = JSON.parse(ran.stdout);
    expect(output).toBe(lastDraft);

    const listed = JSON.parse((await redis('runs', '--json')).stdout);
    expect(listed).toContainEqual(expect.objectContaining({ runId, status: 'completed', workflow: 'review_loop' }));
    expect((await redis('runs')).stdout).toContain(runId);

    const journal = (await redis('journal', runId, '--json')).stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(journal.at(0).event.type).toBe('run.started');
    expect(journal.at(-1).event).toMatchObject({ type: 'run.finished', status: 'completed' });

    const watched = await redis('watch', runId);
    expect(watched).toMatchObject({ code: 0, stdout: `${lastDraft}\n` });
    expect(watched.stderr).toContain('✔ completed');
  });

  it('continues from one process to another: detach, up, answer, watch', async () => {
    const detached = await redis('run', review, ...scripted, '--detach');
    const run = detached.stdout.trim();
    expect(detached.stderr).toContain(`millrace watch ${run}`);
    expect(detached.stderr).toContain('millrace up');

    const up = startMillrace(['up'], { cwd, env });
    await up.says(/Working on runs/);
    const watch = startCommand(['watch', run, '--json'], here());
    await watch.says(/millrace answer \S+/);
    expect(await redis('answer', run, 'ACCEPT', '--json')).toMatchObject({ code: 0 });
    const watched = await watch.ended;
    const last = JSON.parse(watched.stdout.trim().split('\n').at(-1) ?? '');
    expect({ code: watched.code, result: last.result.status }).toEqual({ code: 0, result: 'completed' });
    expect(await redis('answer', run, 'once more')).toMatchObject({ code: 3 });
    up.signal('SIGINT');
    expect((await up.ended).code).toBe(0);
  });

  it('cancels a run that waits', async () => {
    const ran = await redis('run', review, ...scripted, '--json');
    const { runId } = JSON.parse(ran.stdout);
    expect(ran.code).toBe(6);
    expect(ran.stderr).toContain(`millrace answer ${runId}.`);
    expect(JSON.parse((await redis('cancel', runId, '--json')).stdout)).toEqual({ runId, status: 'cancelled' });
    expect((await redis('watch', runId)).code).toBe(1);
  });

  it('leaves the run to other processes when it is interrupted', async () => {
    const running = startMillrace(['run', review, '--script', 'slow.script.yaml', '--input', 'x'], { cwd, env });
    const [, run] = await running.says(/▶ (run_\w+)/);
    await running.says(/works on the run itself/);
    running.signal('SIGINT');
    const { code, stderr } = await running.ended;
    expect(code).toBe(130);
    expect(stderr).toContain(`millrace watch ${run}`);
  });

  it('executes the run itself when all workers have left', async () => {
    const other = startMillrace(['worker'], { cwd, env });
    await other.says(/Working on runs/);
    const replies = ['--script', file('slow.script.yaml'), '--answers', file('accept.yaml')];
    const running = startCommand(['run', review, ...replies, '--input', 'x'], here());
    await running.says(/▶ run_/);
    other.signal('SIGINT');
    const { code, stderr } = await running.ended;
    expect(code).toBe(0);
    expect(stderr).toContain('works on the run itself');
    await other.ended;
  });

  it.each(['watch', 'journal', 'cancel'])('exits with 3 when %s refers to no run', async (named) => {
    expect((await redis(named, 'run_none')).code).toBe(3);
  });
});

describe('millrace without a Redis', () => {
  it('exits with 5', async () => {
    const { code, stderr } = await unreachable;
    expect(code).toBe(5);
    expect(stderr).toContain('REDIS_UNREACHABLE');
  });
});
