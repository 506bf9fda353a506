import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, expect, it } from 'vitest';
import { directoryBeforeAll, openBeforeAll } from '../../support/fixtures.ts';
import { command } from '../../support/processes/command.ts';
import type { CommandResult } from '../../support/processes/millrace.ts';
import { startWorkerProcess } from '../../support/processes/worker-process.ts';
import { startFakeProvider } from '../../support/provider/provider.ts';
import { lastText } from '../../support/provider/turn.ts';
import { startRedis } from '../../support/redis/redis.ts';

const directory = directoryBeforeAll();
const redis = openBeforeAll(startRedis);
const model = openBeforeAll(() => startFakeProvider({ reply: (turn) => `more than ${lastText(turn).slice(-12)}` }));
openBeforeAll(() => startWorkerProcess(redis.url));
let run: string;
beforeAll(async () => {
  await writeFile(at('two.yaml'), two('m'));
  await writeFile(at('better.md'), 'a better one');
  run = JSON.parse((await call('run', at('two.yaml'), '--input', 'go', '--json')).stdout).runId;
});

const agent = (id: string, name = 'm') =>
  `{id: ${id}, type: agent, config: {provider: openai, name: ${name}, base_url: "${model.at('ok')}", api_key: k}}`;
const two = (name: string) =>
  `graph: {id: two, nodes: [${agent('A', name)}, ${agent('B', name)}], edges: [{from: A, to: B}]}`;
const at = (name: string): string => join(directory, name);
const call = (...args: string[]): Promise<CommandResult> =>
  command(args, { REDIS_URL: redis.url, MILLRACE_DIR: directory, MILLRACE_ARCHIVE: at('archive') });

it('replays a run without model calls, and goes live at a given activation', async () => {
  expect(model.requests).toHaveLength(2);

  const replay = await call('replay', run, '--json');
  expect([replay.code, JSON.parse(replay.stdout).output]).toEqual([0, 'more than more than go']);
  expect(JSON.parse(replay.stdout).usage.calls).toBe(0);
  expect(model.requests).toHaveLength(2);

  expect((await call('replay', run, '--live-from', 'a2', '--json')).code).toBe(0);
  expect(model.requests).toHaveLength(3);
});

it('replays a run under another workflow, makes what the change reaches, and shows what it took from the recording', async () => {
  const before = model.requests.length;
  await writeFile(at('other.yaml'), two('m').replace('api_key: k}}]', 'api_key: k, role: Be brief.}}]'));

  const strict = await call('replay', run, '--workflow', at('other.yaml'), '--json');
  expect([strict.code, JSON.parse(strict.stdout).error.code]).toEqual([1, 'REPLAY_DIVERGED']);
  const position = await call('replay', run, '--workflow', at('other.yaml'), '--mode', 'position', '--json');
  expect([position.code, JSON.parse(position.stdout).recorded.calls]).toEqual([0, 2]);
  expect(model.requests).toHaveLength(before);

  const reuse = await call('replay', run, '--workflow', at('other.yaml'), '--mode', 'reuse', '--ttl', '1h', '--json');
  const { runId, usage, recorded } = JSON.parse(reuse.stdout);
  expect([reuse.code, usage.calls, recorded.calls]).toEqual([0, 1, 1]);
  expect(model.requests).toHaveLength(before + 1);
  expect(model.requests.at(-1)?.body).toMatchObject({ messages: [{ content: 'Be brief.' }, {}] });
  expect((await call('show', runId)).stdout).toMatch(
    /Recorded +1 model call, \d+ tokens from the recording, not charged/,
  );
  const both = await call('replay', run, '--live-from', 'a2', '--mode', 'reuse');
  expect([both.code, both.stderr]).toEqual([2, expect.stringContaining('cannot be used with')]);
});

it('forks a run with another input, prompt and text, and previews what that pays again', async () => {
  const before = model.requests.length;
  const preview = await call('fork', run, '--at', 'a2', '--preview');
  expect([preview.code, preview.stdout]).toEqual([0, expect.stringContaining('kept, not paid again:   1 activation,')]);

  const asked = await call('fork', run, '--at', 'a2', '--input', 'Paris', '--json');
  expect([asked.code, JSON.parse(asked.stdout).output]).toEqual([0, 'more than Paris']);
  expect((await call('fork', run, '--at', 'a2', '--prompt', 'Be brief.', '--model', 'n', '--json')).code).toBe(0);
  expect(model.requests.at(-1)?.body).toMatchObject({ model: 'n', messages: [{ content: 'Be brief.' }, {}] });
  expect(model.requests).toHaveLength(before + 2);
  await writeFile(at('one.yaml'), 'graph: {id: one, nodes: [{id: A, type: passthrough, config: {}}]}');
  const refused = await call('fork', run, '--at', 'a2', '--workflow', at('one.yaml'));
  expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining('FORK_PLAN_DIFFERS')]);
});

it('takes the name of a node that has run once for its activation', async () => {
  const named = await call('fork', run, '--at', 'B', '--preview');
  const numbered = await call('fork', run, '--at', 'a2', '--preview');
  const replay = await call('replay', run, '--live-from', 'B', '--json');
  const unknown = await call('fork', run, '--at', 'Z');

  expect(named).toEqual(numbered);
  expect(replay.code).toBe(0);
  expect([unknown.code, unknown.stderr]).toEqual([
    2,
    expect.stringMatching(/no activation of a node "Z".*millrace logs/s),
  ]);
});

it('forks a run with an output from a file, and without one', async () => {
  const before = model.requests.length;

  const edited = await call('fork', run, '--at', 'a1', '--output', `@${at('better.md')}`, '--json');
  const last = await call('fork', run, '--at', 'a2', '--output', 'the end', '--json');

  expect(JSON.parse(edited.stdout).outputs).toEqual({ A: 'a better one', B: 'more than a better one' });
  expect(JSON.parse(last.stdout).output).toBe('the end');
  expect(model.requests).toHaveLength(before + 1);
});

it('replays a replay of a fork with the output that the fork was given', async () => {
  const fork = await call('fork', run, '--at', 'a1', '--output', 'a better one', '--json');
  const before = model.requests.length;

  let of: string = JSON.parse(fork.stdout).runId;
  for (const _generation of ['replay', 'replay of the replay', 'and of that']) {
    const replayed = await call('replay', of, '--json');
    expect([replayed.code, JSON.parse(replayed.stdout).output]).toEqual([0, 'more than a better one']);
    of = JSON.parse(replayed.stdout).runId;
  }

  expect(model.requests).toHaveLength(before);
});

it('replays and forks a run that was removed, from its archive', async () => {
  const { runId: gone } = JSON.parse((await call('replay', run, '--json')).stdout);
  expect((await call('rm', gone)).code).toBe(0);
  const file = at(join('archive', `${gone}.jsonl`));

  const replay = await call('replay', '--file', file, '--json');
  const fork = await call('fork', '--file', file, '--at', 'a2', '--output', 'the end', '--json');

  expect(JSON.parse(replay.stdout).output).toBe('more than more than go');
  expect(JSON.parse(fork.stdout).output).toBe('the end');
});

it('forks an archived run with another input, prompt and text, as one that still exists', async () => {
  const { runId: gone } = JSON.parse((await call('replay', run, '--json')).stdout);
  expect((await call('rm', gone)).code).toBe(0);
  const fork = (...changed: string[]) =>
    call('fork', '--file', at(join('archive', `${gone}.jsonl`)), '--at', 'a2', ...changed, '--json');

  const prompted = await fork('--prompt', 'Be brief.', '--model', 'n', '--input', 'Paris');
  expect(JSON.parse(prompted.stdout).output).toBe('more than Paris');
  expect(model.requests.at(-1)?.body).toMatchObject({ model: 'n', messages: [{ content: 'Be brief.' }, {}] });
  await writeFile(at('three.yaml'), two('three'));
  expect((await fork('--workflow', at('three.yaml'))).code).toBe(0);
  expect(model.requests.at(-1)?.body).toMatchObject({ model: 'three' });
});

it('forks an archived run with other values of variables, and names what an archive of an early version lacks', async () => {
  await writeFile(
    at('vars.yaml'),
    `vars: {NAME: m, API_KEY: k}\n${two(`"\${NAME}"`).replaceAll('api_key: k', `api_key: "\${API_KEY}"`)}`,
  );
  const started = await call('run', at('vars.yaml'), '--input', 'go', '--var', 'NAME=first', '--json');
  const { runId: gone } = JSON.parse(started.stdout);
  expect((await call('rm', gone)).code).toBe(0);
  const archive = at(join('archive', `${gone}.jsonl`));

  const fork = await call('fork', '--file', archive, '--at', 'a2', '--set', 'NAME=second', '--json');
  const again = await call('fork', JSON.parse(fork.stdout).runId, '--at', 'a2', '--set', 'NAME=third', '--json');

  expect([fork.code, again.code]).toEqual([0, 0]);
  expect(model.requests.slice(-3).map(({ body }) => (body as { model: string }).model)).toEqual([
    'first',
    'second',
    'third',
  ]);
  const early = at('early.jsonl');
  await writeFile(early, (await readFile(archive, 'utf8')).replace(/^{"definition".*\n/m, ''));
  const refused = await call('fork', '--file', early, '--at', 'a2', '--set', 'NAME=x');
  expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining('FORK_TEXT_MISSING')]);
});

it('forks with another prompt of a node in the file of a subgraph, and says so in the text of the fork', async () => {
  await writeFile(at('inner.yaml'), `graph: {id: inner, nodes: [${agent('Inside')}]}`);
  await writeFile(
    at('outer.yaml'),
    'graph: {id: outer, nodes: [{id: Team, type: subgraph, config: {type: file, config: {path: inner.yaml}}}]}',
  );
  const { runId } = JSON.parse((await call('run', at('outer.yaml'), '--input', 'go', '--json')).stdout);

  const forked = await call('fork', runId, '--at', 'a2', '--prompt', 'Be brief.', '--json');

  expect(forked.code).toBe(0);
  expect(model.requests.at(-1)?.body).toMatchObject({ messages: [{ content: 'Be brief.' }, { content: 'go' }] });
});

it.each([
  [3, 'ACTIVATION_UNKNOWN', ['fork', 'RUN', '--at', 'a99']],
  [2, 'ARCHIVE_UNREADABLE', ['replay', '--file', 'FILE']],
  [2, 'Give the id of a run, or --file', ['replay']],
  [2, 'Give the id of a run, or --file', ['fork', 'RUN', '--file', 'two.yaml', '--at', 'a1']],
  [2, 'better.txt', ['fork', 'RUN', '--at', 'a1', '--output', '@better.txt']],
])('ends with %s and prints %s', async (code, word, args) => {
  const { code: exit, stderr } = await call(
    ...args.map((arg) => (arg === 'RUN' ? run : arg === 'FILE' ? at('two.yaml') : arg)),
  );
  expect(stderr).toContain(word);
  expect(exit).toBe(code);
});
