import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { RunId } from '@millrace/core';
import { createTenantRuntime } from '@millrace/runtime';
import { describe, expect, it } from 'vitest';
import { directoryBeforeAll, openBeforeAll } from '../../support/fixtures.ts';
import { serveApi } from '../../support/http/api.ts';
import { command } from '../../support/processes/command.ts';
import { startFakeProvider } from '../../support/provider/provider.ts';
import { openStage, workflowIn } from '../../support/runs/stage.ts';

const directory = directoryBeforeAll();
const inside = (...path: readonly string[]) => join(String(directory), ...path);

/** Secrets in their forms: what a person might paste, and what must be in no file. */
const canaries: readonly (readonly [string, string])[] = [
  ['sk-proj-CANARY0123456789abcdef', 'CANARY0123456789abcdef'],
  ['AIzaCANARY89012345678901234567890123456', 'CANARY8901234'],
  ['AKIACANARY0123456789', 'AKIACANARY'],
  ['aws_secret_access_key=CANARYabcdefghijklmnopqrstuvwxyz0123456789', 'CANARYabcdefghij'],
  ['ghp_CANARY7890123456789012345678901234567', 'CANARY78901234'],
  ['xoxb-CANARY-0123456789', 'CANARY-0123456789'],
  ['sk_live_CANARYlive0123456789', 'CANARYlive'],
  ['eyJhbGciOiJIUzI1NiJ9.eyJDQU5BUlkiOiIxMjM0In0.c2lnbmF0dXJlLW9m', 'eyJDQU5BUlkiOiIxMjM0In0'],
  ['-----BEGIN PRIVATE KEY-----\nMIIEowCANARYkey\n-----END PRIVATE KEY-----', 'CANARYkey'],
  ['Authorization: Basic Q0FOQVJZOmhpZGRlbg==', 'Q0FOQVJZOmhpZGRlbg'],
  ['postgres://ann:CANARYdb@db.example.com/x', 'CANARYdb'],
  ['known to the machine: CANARY/known "42"', 'CANARY/known'],
];
const known = { DEPLOY_TOKEN: 'CANARY/known "42"' };
const input = `${canaries.map(([text]) => text).join('\n')}\nann@example.com`;

const writer = (role: string, url: string) => `
    - id: Writer
      type: agent
      config:
        provider: openai
        name: m
        base_url: ${url}
        api_key: \${MODEL_KEY}
        role: ${role}
        memories: [{ name: notes, read: true, write: true, similarity_threshold: 0 }]
        tooling: [{ type: function, config: { tools: [{ name: get_current_time }] } }]
`;
const flow = (role: string, url: string, added = '') =>
  `
graph:
  id: flow
  start: [Code]
  end: [Writer]
  memory: [{ name: notes, type: simple }]
  nodes:
    - { id: Code, type: literal, config: { content: "print(open('said.txt', 'w').write('ann@example.com'))" } }
    - { id: Program, type: python, config: { timeout_seconds: 60 } }
    - { id: Task, type: passthrough, config: { only_last_message: false } }
${writer(role, url)}
    - { id: Reader, type: human, config: { description: Good? } }
${added === '' ? '' : `    - ${added}`}
  edges:
    - { from: Code, to: Program }
    - { from: Program, to: Writer }
    - { from: Task, to: Writer }
    - { from: Writer, to: Reader }
`.replace('start: [Code]', 'start: [Code, Task]');

const short = 'You write short articles.';
const long = 'You write long articles.';

/** A finished run in an archive; its model is gone. */
async function recordedRun() {
  const model = await startFakeProvider({
    reply: ({ rounds }) =>
      rounds === 0
        ? { calls: [{ name: 'get_current_time', arguments: { timezone: 'UTC' } }], usage: { input: 9, output: 4 } }
        : { text: `For ann@example.com, ${canaries[0]?.[0]}`, usage: { input: 20, output: 6 } },
  });
  const url = model.at('ok');
  const stage = await openStage({ where: { local: true }, secret: () => 'key' });
  const { description } = await stage.run(workflowIn(flow(short, url), stage.vocabulary), input, () => 'ok');
  expect(description).toMatchObject({ status: 'completed', usage: { calls: 2 } });
  await keep(stage.runtime, description.run, flow(short, url));
  await stage.close();
  await model.close();
  return { url, close: async () => undefined };
}

type StageRuntime = Parameters<typeof createTenantRuntime>[0];

/** Writes the archive of a run that was started with a text. */
async function keep(runtime: StageRuntime, run: RunId, yaml: string): Promise<void> {
  const { pieces } = await createTenantRuntime(runtime, 'default').run(run).archive();
  const lines: string[] = [];
  for await (const piece of pieces) lines.push(Buffer.from(piece).toString());
  const [head = '', ...rest] = lines.join('').split('\n');
  const definition = JSON.stringify({ definition: { yaml } });
  await writeFile(inside('run.jsonl'), [head, definition, ...rest].join('\n'));
}

const run = openBeforeAll(recordedRun);
const api = openBeforeAll(() => serveApi({ where: { local: true } }));

/** A folder with the workflow, beside which the run is recorded. */
async function record(name: string, file = inside('run.jsonl')) {
  mkdirSync(inside(name), { recursive: true });
  writeFileSync(inside(name, 'flow.yaml'), flow(short, run.url));
  const recorded = await command(['record', '--file', file, '--out', inside(name), '--mask', 'email'], known);
  return { ...recorded, read: (path: string) => readFileSync(inside(name, path), 'utf8') };
}

const test = (name: string) => command(['test', inside(name)], {});

describe('millrace record', () => {
  it('writes a test that passes at once, also in another folder without keys, and hides all secrets', async () => {
    const { code, stdout, stderr, read } = await record('first');

    expect({ code, stderr }).toMatchObject({
      code: 0,
      stderr: expect.stringMatching(/^hidden: \d+ secrets, 1 email\n/),
    });
    expect(stdout).toContain('flow.test.yaml');
    const texts = [read('flow.test.yaml'), read('recordings/flow.jsonl'), stdout, stderr].join('\n');
    for (const [, canary] of canaries) expect(texts).not.toContain(canary);
    expect(texts).not.toContain('ann@example.com');
    expect(read('flow.test.yaml')).toContain('For «email:1», «secret:');
    cpSync(inside('first'), inside('moved'), { recursive: true });
    expect(await test('moved')).toMatchObject({ code: 0, stderr: '1 passed, 0 failed\n' });
  });

  it('hides nothing with --no-masks', async () => {
    mkdirSync(inside('plain'));
    writeFileSync(inside('plain', 'flow.yaml'), flow(short, run.url));
    const { code } = await command(
      ['record', '--file', inside('run.jsonl'), '--out', inside('plain'), '--no-masks'],
      known,
    );

    expect(code).toBe(0);
    expect(readFileSync(inside('plain', 'flow.test.yaml'), 'utf8')).toContain(
      `For ann@example.com, ${canaries[0]?.[0]}`,
    );
  });

  it('writes the same when a recording is recorded again', async () => {
    const first = await record('again-1');
    const second = await record('again-2', inside('again-1', 'recordings', 'flow.jsonl'));

    expect(second.code).toBe(0);
    for (const path of ['flow.test.yaml', 'recordings/flow.jsonl']) expect(second.read(path)).toBe(first.read(path));
  });

  it('records a run of a server, with the contents of its files', async () => {
    const tenant = await api.tenant('acme', 'run', 'read');
    const save = {
      tool_calls: [{ name: 'save_file', arguments: { path: 'said.txt', content: 'to ann@example.com' } }],
    };
    const params = JSON.stringify({ rules: [{ replies: [save, 'done'] }] });
    const yaml = `graph: {id: files, nodes: [{id: A, type: agent, config: {provider: scripted, name: m, params: ${params}, tooling: [{type: function, config: {tools: [{name: save_file}]}}]}}]}`;
    const id = await tenant.start(yaml);
    expect((await tenant.ask(`/v1/runs/${id}`)).body).toMatchObject({ status: 'completed', output: 'done' });

    const recorded = await command(['record', id, '--out', inside('served'), '--mask', 'email'], tenant.env);

    expect(recorded).toMatchObject({ code: 0, stderr: 'hidden: 1 email\n' });
    // Nothing in the folder had the text of the workflow.
    expect(readFileSync(inside('served', 'files.yaml'), 'utf8')).toBe(yaml.replace('ann@example.com', '«email:1»'));
    const contents = readdirSync(inside('served', 'recordings', 'files.files'));
    const texts = contents.map((name) => readFileSync(inside('served', 'recordings', 'files.files', name), 'utf8'));
    expect(texts).toEqual(['to «email:1»']);
    const recording = readFileSync(inside('served', 'recordings', 'files.jsonl'), 'utf8');
    for (const name of contents) expect(recording).toContain(name);
    expect(await test('served')).toMatchObject({ code: 0 });
  });

  it('refuses a run that has not ended, and one that was cancelled', async () => {
    const tenant = await api.tenant('acme', 'run', 'read');
    const id = await tenant.start('graph: {id: asks, nodes: [{id: H, type: human, config: {}}]}');
    const refused = async () => {
      const { code, stderr } = await command(['record', id, '--out', inside('refused')], tenant.env);
      return [code, stderr];
    };

    expect(await refused()).toEqual([4, expect.stringMatching(/has not ended yet: it is waiting.*REPLAY_IMPOSSIBLE/s)]);
    await tenant.ask(`/v1/runs/${id}/cancel`, {});
    await tenant.ask(`/v1/runs/${id}?wait=20s`);
    expect(await refused()).toEqual([4, expect.stringMatching(/was cancelled before.*REPLAY_IMPOSSIBLE/s)]);
    expect(existsSync(inside('refused'))).toBe(false);
  });

  it('turns red where a prompt changes, and shows both; `match: position` keeps the answers', async () => {
    const { read } = await record('changed');
    writeFileSync(inside('changed', 'flow.yaml'), flow(long, run.url));

    const { code, stdout } = await test('changed');

    expect(code).toBe(1);
    expect(stdout).toContain('the recorded request of "Writer"');
    expect(stdout).toMatch(/role {2}- You write short articles\.\n\s+\+ You write long articles\./);
    writeFileSync(
      inside('changed', 'flow.test.yaml'),
      read('flow.test.yaml').replace('expect:', 'match: position\n    expect:'),
    );
    expect(await test('changed')).toMatchObject({ code: 0 });
  });

  it.each([
    [
      'a node that has another name',
      (text: string) => text.replaceAll('Writer', 'Author'),
      'The recording has no node "Author"; of its nodes, the workflow no longer has "Writer".',
    ],
    [
      'a question that is worded otherwise',
      (text: string) => text.replace('description: Good?', 'description: Right?'),
      'it is "Right?" in place of "Good?"',
    ],
  ])('names %s, and says how to go on', async (name, change, problem) => {
    const folder = name.replaceAll(' ', '-');
    await record(folder);
    writeFileSync(inside(folder, 'flow.yaml'), change(flow(short, run.url)));

    const { code, stdout } = await test(folder);

    expect({ code, stdout }).toEqual({ code: 1, stdout: expect.stringContaining(problem) });
    expect(stdout).toContain('record the changed workflow: millrace run, millrace record');
  });

  it('stays green where a node is added that asks nobody', async () => {
    await record('added');
    writeFileSync(
      inside('added', 'flow.yaml'),
      flow(short, run.url, '{ id: Added, type: passthrough, config: {} }').replace(
        '[Code, Task]',
        '[Added, Code, Task]',
      ),
    );

    expect(await test('added')).toMatchObject({ code: 0, stderr: '1 passed, 0 failed\n' });
  });

  it('writes nothing for a workflow that is not the one of the run, over a test that exists, or for other files', async () => {
    mkdirSync(inside('other'));
    writeFileSync(inside('other', 'flow.yaml'), flow(long, run.url));
    const args = ['record', '--out', inside('other'), '--file'];

    expect(await command([...args, inside('run.jsonl')], {})).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('RECORD_WORKFLOW_DIFFERS'),
    });
    expect(await command([...args, inside('other', 'flow.yaml')], {})).toMatchObject({ code: 2 });
    writeFileSync(inside('other', 'flow.test.yaml'), '');
    expect(await command([...args, inside('run.jsonl')], {})).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/exists already.*\[FILE_EXISTS\]/s),
    });
  });
});
