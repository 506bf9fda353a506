import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { directoryBeforeAll, openBeforeAll } from '../../support/fixtures.ts';
import { serveApi } from '../../support/http/api.ts';
import { commandsOf } from '../../support/http/commands.ts';
import { command } from '../../support/processes/command.ts';

const greeting =
  'graph:\n  id: greeting\n  nodes:\n    - { id: Hello, type: literal, config: { content: "Hello ${NAME}" } }\n';
/** Asks for a file, and copies it. */
const copying = `graph:
  id: copying
  nodes:
    - { id: Ask, type: human, config: { description: "Which file, \${NAME}?" } }
    - id: Say
      type: literal
      config:
        content: |
          import glob
          open("copy.txt", "w").write(" ".join(open(path).read() for path in sorted(glob.glob("attachments/*/*"), key=lambda path: path.split("/")[-1])))
    - { id: Copy, type: python, config: {} }
  start: [Ask]
  end: [Copy]
  edges: [{ from: Ask, to: Say }, { from: Say, to: Copy }]
`;

const api = openBeforeAll(serveApi);
const cwd = directoryBeforeAll();
const operator = openBeforeAll(() => api.tenant('default', 'admin'));
let url: string;
beforeAll(async () => {
  url = api.orchestrator.url;
  await writeFile(at('greeting.yaml'), greeting);
  await writeFile(at('copying.yaml'), copying);
  await writeFile(at('one.txt'), 'one');
  await writeFile(at('two.txt'), 'two');
});

/** A file of this test. */
const at = (name: string): string => join(cwd, name);
const { remote, local, both: inBothWays } = commandsOf(api, operator, cwd, { NAME: 'Ada' });
const both = async (...args: readonly string[]) => (await inBothWays(...args)).stdout;

describe('commands over HTTP', () => {
  it('publish workflows, and run them by their name', async () => {
    const pushed = await remote('workflows', 'push', at('greeting.yaml'));
    expect(pushed.stdout).toMatch(/^greeting@[0-9a-f]{32}\n$/);
    const version = pushed.stdout.trim();

    await remote('workflows', 'push', at('greeting.yaml'), '--note', 'First try');
    expect(await both('workflows', 'list')).toContain(version.split('@')[1]);
    expect(await both('workflows', 'versions', 'greeting')).toMatch(/\w+ +0 +\(current\) First try/);
    expect((await remote('workflows', 'get', version)).stdout).toBe(greeting);
    const ran = await Promise.all(
      [remote, local].map((run) => run('run', version, '--input', '', '--var', 'NAME=Bob')),
    );
    expect(ran.map(({ code, stdout }) => [code, stdout])).toEqual([
      [0, 'Hello Bob\n'],
      [0, 'Hello Bob\n'],
    ]);
    const listed = JSON.parse(await both('runs', '--workflow', 'greeting', '--json'));
    expect(listed).toHaveLength(2);
    // What is published sees no environment.
    expect((await remote('run', 'greeting', '--input', '')).code).toBe(2);
  });

  it('start a run with a file, answer it with another, and show its result as local commands do', async () => {
    const started = await remote('run', at('copying.yaml'), '--input', 'x', '--attach', at('one.txt'), '--json');
    expect(started.code, started.stderr).toBe(6);
    expect(started.stderr).toContain('Which file, Ada?');
    const { runId } = JSON.parse(started.stdout);
    const answered = await remote('answer', runId, 'This.', '--attach', at('two.txt'));
    expect(answered.code, answered.stderr).toBe(0);

    const [one, other] = await Promise.all([remote('watch', runId), local('watch', runId)]);
    // Only a command with access to Redis reports how safe it is.
    const stderr = other.stderr.replace(/^!.*\n/, '');
    expect([one.code, one.stdout, one.stderr]).toEqual([other.code, other.stdout, stderr]);
    expect(one.stderr).toContain('“This.');
    await both('journal', runId, '--json');
    expect(await both('artifacts', runId)).toContain('copy.txt');
    expect((await remote('artifacts', runId, '--get', 'copy.txt')).stdout).toBe('one two');
  });

  it('control runs, replay and fork them, and remove them', async () => {
    const started = await remote('run', at('copying.yaml'), '--input', 'x', '--detach');
    const run = started.stdout.trim();
    expect(JSON.parse((await remote('pause', run, '--json')).stdout)).toMatchObject({ status: 'paused' });
    expect((await remote('resume', run)).code).toBe(0);
    const forked = await remote('fork', run, '--at', 'a1', '--output', 'two.txt', '--json');
    expect(JSON.parse(forked.stdout)).toMatchObject({ status: 'completed' });
    expect((await remote('stop', run, '--note', 'enough')).code).toBe(0);
    expect((await remote('cancel', run)).code).toBe(4);
    expect((await remote('rm', run)).code).toBe(0);
  });

  it('report missing permissions', async () => {
    const listed = JSON.parse(await both('keys', 'list', '--tenant', 'default', '--json'));
    expect(listed).toHaveLength(1);
    const made = await remote('keys', 'create', '--scopes', 'read', '--name', 'ci');
    expect(made.stdout).toMatch(/^mk_default_/);
    const reader = { MILLRACE_URL: url, MILLRACE_API_KEY: made.stdout.trim() };
    const [may, mayNot, other] = await Promise.all([
      command(['runs'], reader),
      command(['run', at('greeting.yaml'), '--input', '', '--var', 'NAME=x'], reader),
      remote('keys', 'create', '--tenant', 'acme'),
    ]);
    expect([may.code, mayNot.code, other.code]).toEqual([0, 4, 4]);
    expect(mayNot.stderr).toContain('[SCOPE_MISSING]');
  });

  it('report errors of the server', async () => {
    await writeFile(at('broken.yaml'), 'graph:\n  id: x\n  nodes:\n    - { id: A, type: humn, config: {} }\n');
    const [unknown, broken, worker, doctor, script, away] = await Promise.all([
      remote('watch', 'run_none'),
      remote('run', at('broken.yaml'), '--input', ''),
      remote('worker'),
      remote('doctor'),
      remote('run', at('greeting.yaml'), '--script', 'x.yaml'),
      command(['runs'], { MILLRACE_URL: 'http://127.0.0.1:9' }),
    ]);
    expect([unknown, broken, worker, doctor, script, away].map(({ code }) => code)).toEqual([3, 2, 2, 2, 2, 5]);
    expect(broken.stderr).toMatch(/4:\d+ .*humn.* \[E_NODE_TYPE_UNKNOWN\]/);
    expect(worker.stderr).toContain('MILLRACE_URL');
    expect(away.stderr).toContain('http://127.0.0.1:9 does not answer');
  });
});
