import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { directoryBeforeAll, openBeforeAll } from '../../support/fixtures.ts';
import { serveApi } from '../../support/http/api.ts';
import { commandsOf } from '../../support/http/commands.ts';

const asking = `graph:
  id: asking
  nodes:
    - { id: Draft, type: literal, config: { content: "a draft" } }
    - { id: Reader, type: human, config: { description: "Is the draft good enough to be printed?" } }
  edges: [{ from: Draft, to: Reader }]
`;
const paying = `graph:
  id: paying
  nodes:
    - { id: Paid, type: wait_for, config: { event: payment.received, timeout: 2h } }
    - { id: Later, type: delay, config: { for: 1d } }
  start: [Paid, Later]
  end: [Paid]
`;
const failing = `graph:
  id: failing
  nodes:
    - id: Writer
      type: agent
      config: { provider: scripted, name: m, params: { rules: [{ replies: [{ error: { status: 400, message: not like this } }] }] } }
`;

const api = openBeforeAll(serveApi);
const cwd = directoryBeforeAll({
  'asking.yaml': asking,
  'paying.yaml': paying,
  'failing.yaml': failing,
});
const operator = openBeforeAll(() => api.tenant('default', 'admin'));

const { remote, local } = commandsOf(api, operator, cwd);

/** Returns the id of a run that has ended or waits for an answer. */
async function run(name: string, ...more: string[]): Promise<string> {
  const { stdout, stderr } = await remote('run', join(cwd, name), '--input', 'go', '--json', ...more);
  const { runId } = JSON.parse(stdout);
  if (typeof runId !== 'string') throw new Error(stderr);
  return runId;
}

describe('millrace tasks', () => {
  it('lists open questions with their age, node and prompt, page by page, over HTTP and on Redis', async () => {
    const [one, other] = [await run('asking.yaml'), await run('asking.yaml')];
    for (const command of [remote, local]) {
      const first = await command('tasks', '--limit', '1');
      expect(first.stdout).toMatch(/^TASK +AGE +WORKFLOW +NODE +CLAIMED BY +PROMPT\n/);
      expect(first.stdout).toMatch(
        new RegExp(`^${other}\\.a\\d+ +\\d+s +asking +Reader +Is the draft good enough`, 'm'),
      );
      const [, cursor = ''] = /--after (\S+)/.exec(first.stderr) ?? [];
      const second = await command('tasks', '--after', cursor, '--json');
      expect(JSON.parse(second.stdout)).toMatchObject([{ runId: one, node: 'Reader', askedAt: expect.any(Number) }]);
    }
    for (const id of [one, other]) await remote('answer', id, 'yes');
    expect(await remote('tasks')).toMatchObject({ code: 0, stdout: '', stderr: 'There are no open questions.\n' });
  });
});

describe('millrace show', () => {
  it('shows what a run waits for, with the command that answers it', async () => {
    const id = await run('asking.yaml');
    for (const command of [remote, local]) {
      const { stdout } = await command('show', id);
      expect(stdout).toMatch(/^Status +waiting$/m);
      expect(stdout).toMatch(/^Nodes +waiting: Reader; 1 of 2 done$/m);
      expect(stdout).toMatch(/^Question +Reader, \d+s ago: Is the draft good enough to be printed\?$/m);
      expect(stdout).toContain(`millrace answer ${id}.a`);
      expect(JSON.parse((await command('show', id, '--json')).stdout)).toMatchObject({
        runId: id,
        status: 'waiting',
        nodes: [
          { node: 'Draft', status: 'done' },
          { node: 'Reader', status: 'waiting' },
        ],
        tasks: [{ node: 'Reader', askedAt: expect.any(Number) }],
      });
    }
    await remote('cancel', id);
  });

  it('shows the event and the time that a run waits for', async () => {
    const { stdout: id } = await remote('run', join(cwd, 'paying.yaml'), '--input', 'go', '--detach');
    await expect.poll(async () => (await remote('show', id.trim())).stdout).toMatch(/^Nodes +waiting: Paid, Later; 0/m);

    for (const command of [remote, local]) {
      const { stdout } = await command('show', id.trim());
      expect(stdout).toMatch(/^Waits +Paid waits for the event payment\.received until \S+Z, since \d+s$/m);
      expect(stdout).toMatch(/^Waits +Later waits until \S+Z, since \d+s$/m);
    }
    await remote('cancel', id.trim());
  });

  it('shows why a run has failed, and at which node', async () => {
    const id = await run('failing.yaml');
    const { stdout } = await remote('show', id);
    expect(stdout).toMatch(/^Status +failed: .*not like this.* \[MODEL_BAD_REQUEST\]/m);
    expect(stdout).toMatch(/^Error +\S+Z Writer \(a\d+\): .*\[MODEL_BAD_REQUEST\]$/m);
    expect(await local('show', 'nothing')).toMatchObject({ code: 3 });
  });
});

describe('millrace runs', () => {
  it('filters by status, workflow and time, page by page', async () => {
    const failed = [await run('failing.yaml'), await run('failing.yaml')];
    const filter = ['--status', 'failed', '--workflow', 'failing', '--since', '1h', '--json'];
    for (const command of [remote, local]) {
      const first = await command('runs', ...filter, '--limit', '1');
      expect(JSON.parse(first.stdout)).toMatchObject([{ runId: failed[1], status: 'failed' }]);
      const [, cursor = ''] = /--after (\S+)/.exec(first.stderr) ?? [];
      const second = await command('runs', ...filter, '--limit', '1', '--after', cursor);
      expect(JSON.parse(second.stdout)).toMatchObject([{ runId: failed[0] }]);
      const none = await command('runs', '--since', '2999-01-01');
      expect(none).toMatchObject({ stdout: '', stderr: expect.stringContaining('No runs match.') });
    }
    expect((await remote('runs', '--status', 'lost')).code).toBe(2);
  });
});

describe('the beginning of the id of a run', () => {
  it('stands for the run in all commands while it is unique', async () => {
    const named = async (runId: string) => {
      await operator.ask('/v1/runs', { workflow: { yaml: asking }, input: 'go', runId });
    };
    await Promise.all(['order-1-x', 'order-10', 'order-2'].map(named));
    for (const command of [remote, local]) {
      expect(JSON.parse((await command('show', 'order-1-', '--json')).stdout)).toMatchObject({ runId: 'order-1-x' });
      expect(JSON.parse((await command('show', 'order-10', '--json')).stdout)).toMatchObject({ runId: 'order-10' });
      expect(await command('show', 'order-9')).toMatchObject({ code: 3, stderr: expect.stringContaining('order-9') });
      const ambiguous = await command('cancel', 'order');
      expect(ambiguous).toMatchObject({ code: 2, stderr: expect.stringContaining('RUN_AMBIGUOUS') });
      for (const run of ['order-1-x', 'order-10', 'order-2']) expect(ambiguous.stderr).toContain(run);
    }
    for (const name of ['pause', 'resume', 'stop', 'cancel', 'journal', 'artifacts', 'logs', 'watch', 'rm']) {
      const { code, stderr } = await remote(name, 'order-2');
      expect([name, code === 3 || stderr.includes('RUN_UNKNOWN')]).toEqual([name, false]);
    }
    expect(await local('answer', 'order-1-', 'fine', '--json')).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('"runId":"order-1-x"'),
    });
    expect((await local('audit', 'order-10')).code).toBe(0);
  });

  it('is refused when it is empty, such as an unset variable of a shell', async () => {
    await run('asking.yaml');
    for (const command of [remote, local]) {
      expect(await command('cancel', '')).toMatchObject({
        code: 2,
        stderr: expect.stringContaining('id of the run is empty'),
      });
    }
  });

  it('lists five of the matching runs when it is ambiguous', async () => {
    const ids = Array.from({ length: 7 }, (_, index) => `many-${index}`);
    await Promise.all(ids.map((runId) => operator.ask('/v1/runs', { workflow: { yaml: asking }, input: 'go', runId })));
    const { stderr } = await remote('show', 'many');
    expect(stderr.match(/many-\d/g)).toHaveLength(5);
  });
});

describe('millrace logs', () => {
  it('prints events in sentences with the names of nodes, and follows a run to its end', async () => {
    const id = await run('asking.yaml');
    for (const command of [remote, local]) {
      const { stdout } = await command('logs', id);
      expect(stdout).toMatch(/^\S+Z The run of the workflow asking started\.$/m);
      expect(stdout).toMatch(/^\S+Z Draft completed with one output: a draft$/m);
      expect(stdout).toMatch(/^\S+Z Reader waits for an answer: Is the draft good enough/m);
    }
    const following = remote('logs', id, '--follow', '--json');
    await remote('answer', id, 'yes');
    const { code, stdout } = await following;
    expect(code).toBe(0);
    expect(JSON.parse(stdout.trim().split('\n').at(-1) ?? '')).toMatchObject({
      type: 'run.finished',
      text: 'The run ended with the status completed.',
    });
  });
});
