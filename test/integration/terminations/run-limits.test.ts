import type { RunLimits } from '@millrace/core';
import type { RuntimeLocation } from '@millrace/runtime';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openBeforeAll } from '../../support/fixtures.ts';
import { startFakeProvider } from '../../support/provider/provider.ts';
import { newInstallation } from '../../support/redis/installation.ts';
import { startRedis } from '../../support/redis/redis.ts';
import { audit } from '../../support/runs/audit.ts';
import type { Site, Stage } from '../../support/runs/stage.ts';
import { openStage, workflowIn } from '../../support/runs/stage.ts';
import { untilEnded } from '../../support/runs/watching.ts';

const linesOf = (count: number, length = 8): string =>
  Array.from({ length: count }, (_, at) => `${at}`.padEnd(length, '.')).join('\n');

const fanOut = ({ vocabulary }: Stage, type: 'map' | 'tree', unit = 'type: passthrough, config: {}') =>
  workflowIn(
    `graph:
  id: lines
  start: [Text, Static]
  end: [Line]
  nodes:
    - {id: Text, type: passthrough, config: {}}
    - {id: Static, type: passthrough, config: {}}
    - {id: Line, ${unit}}
  edges:
    - {from: Text, to: Line, dynamic: {type: ${type}, config: {split_type: lines, group_size: 2}}}
    - {from: Static, to: Line}
`,
    vocabulary,
  );

/** A loop in which every round forwards its whole input, and what it has kept of the rounds before. */
const multiplying = ({ vocabulary }: Stage) =>
  workflowIn(
    `graph:
  id: multiplying
  start: [Collector]
  end: [Collector]
  nodes:
    - {id: Collector, type: passthrough, context_window: -1, config: {only_last_message: false}}
  edges:
    - {from: Collector, to: Collector}
`,
    vocabulary,
  );

const installation = newInstallation();

async function open(where: RuntimeLocation, more: Partial<Site> = {}): Promise<Stage> {
  const stage = await openStage({ where, ...more });
  onTestFinished(stage.close);
  return stage;
}

const inRedis = (): RuntimeLocation => installation.where;

describe.each([
  ['memory', (limits: Partial<RunLimits>): RuntimeLocation => ({ local: true, limits })],
  ['Redis', (limits: Partial<RunLimits>): RuntimeLocation => ({ ...inRedis(), limits })],
])('limits of runs that are kept in %s', (_name, where) => {
  it('fail a map with too many items before one of them is stored', async () => {
    const stage = await open(where({ fanOutItems: 100 }));

    const { description, journal } = await stage.run(fanOut(stage, 'map'), linesOf(101));

    expect(description).toMatchObject({ status: 'failed', error: { code: 'FAN_OUT_TOO_LARGE', node: 'Line' } });
    expect(description.error?.message).toContain('101 items');
    expect(journal.some(({ event }) => event.type === 'fanout.entered')).toBe(false);
    expect(await audit(stage.runtime.store, description.run, stage.vocabulary)).toEqual([]);
  });

  it('accept a map with the maximum number of items', async () => {
    const stage = await open(where({ fanOutItems: 100 }));

    const { description } = await stage.run(fanOut(stage, 'map'), linesOf(100));

    expect(description.status).toBe('completed');
  });

  it('fail a tree whose groups return more than they receive', async () => {
    const stage = await open(where({ fanOutItems: 100 }));
    const growing = fanOut(stage, 'tree', 'type: passthrough, config: {only_last_message: false}');
    const { description } = await stage.run(growing, linesOf(99));

    expect(description).toMatchObject({ status: 'failed', error: { code: 'FAN_OUT_TOO_LARGE' } });
    expect(await audit(stage.runtime.store, description.run, stage.vocabulary)).toEqual([]);
  });

  it('fail a loop that multiplies its messages before it has stored too many of them', async () => {
    const stage = await open(where({ waitingMessages: 1000 }));

    const { description } = await stage.run(multiplying(stage), 'go');

    expect(description).toMatchObject({ status: 'failed', error: { code: 'INBOX_TOO_LARGE' } });
    expect(description.error?.message).toContain('1,000 messages would wait at node "Collector"');
    const stored = await stage.runtime.runs.refresh(description.run);
    expect(stored?.state.list('recent/s0/Collector').length).toBeLessThanOrEqual(1000);
    expect(await audit(stage.runtime.store, description.run, stage.vocabulary)).toEqual([]);
  });

  it('fail a step that exceeds the size of a commit', async () => {
    const stage = await open(where({ commitCharacters: 200_000 }));

    const { description } = await stage.run(fanOut(stage, 'map'), linesOf(300, 1000));

    expect(description).toMatchObject({ status: 'failed', error: { code: 'COMMIT_TOO_LARGE' } });
    expect(await audit(stage.runtime.store, description.run, stage.vocabulary)).toEqual([]);
  });

  it('keep the paid answer of a model when what follows from it exceeds the size of a commit', async () => {
    const stage = await open(where({ commitCharacters: 30_000 }));
    const workflow = {
      ...workflowIn(
        `graph:
  id: expanding
  start: [A]
  end: [B]
  nodes:
    - {id: A, type: agent, config: {provider: openai, name: m}}
    - {id: B, type: passthrough, config: {}}
  edges:
    - {from: A, to: B, process: {type: template, config: {template: "{{ answer }}{% for _ in range(400) %}${'.'.repeat(100)}{% endfor %}"}}}
`,
        stage.vocabulary,
      ),
      script: { default: '{"answer": 1}' },
    };

    const { description, journal } = await stage.run(workflow, 'go');

    expect(description).toMatchObject({ status: 'failed', error: { code: 'COMMIT_TOO_LARGE' } });
    expect(journal.filter(({ event }) => event.type === 'step.completed')).toHaveLength(1);
    expect(await audit(stage.runtime.store, description.run, stage.vocabulary)).toEqual([]);
  });

  it.each([
    ['fails its run', '', { status: 'failed', error: { code: 'COMMIT_TOO_LARGE', node: 'A' } }],
    ['follows its policy', ', on_error: continue', { status: 'completed' }],
  ])(
    'fail a node, once, whose paid reply alone exceeds the size of a commit, and which %s',
    async (_how, policy, ended) => {
      const model = await startFakeProvider({});
      onTestFinished(() => model.close());
      // The data of the reply are short, but not its text: in a journal, each of these tabs is two characters.
      const reply = `{"verdict":"accept"}${'\t'.repeat(9000)}`;
      model.say('m', reply);
      const stage = await open(where({ commitCharacters: 15_000 }), {
        extensions: { processors: new Map([['passing', (text: string) => text]]) },
      });
      const form = 'output: {schema: {type: object, properties: {verdict: {type: string}}}}';
      const { description } = await stage.run(
        `graph:
  id: long
  start: [A]
  end: [B]
  nodes:
    - {id: A, type: agent${policy}, config: {provider: openai, name: m, base_url: '${model.at('ok')}', api_key: k, ${form}}}
    - {id: B, type: passthrough, config: {}}
  edges:
    - {from: A, to: B, process: {type: function, config: {name: passing}}}
`,
        'go',
      );

      expect(description).toMatchObject(ended);
      expect(model.requests).toHaveLength(1);
      expect(await audit(stage.runtime.store, description.run, stage.vocabulary)).toEqual([]);
    },
  );

  it('commit steps separately that are too large together', async () => {
    const stage = await open(where({ commitCharacters: 40_000 }));
    const unit = `type: literal, config: {content: ${'x'.repeat(20_000)}}`;

    const { description } = await stage.run(fanOut(stage, 'map', unit), linesOf(20));

    expect(description.status).toBe('completed');
  });
});

it('allow a run to continue after its limit was raised', async () => {
  const narrow = await openStage({ where: { ...inRedis(), limits: { fanOutItems: 10 } } });
  const { description } = await narrow.run(fanOut(narrow, 'map'), linesOf(20));
  expect(description.status).toBe('failed');
  await narrow.close();

  const wide = await open(inRedis());
  await wide.runtime.runs.control(description.run, 'retry');
  await untilEnded(wide.runtime.runs, description.run);

  expect((await wide.runtime.runs.describe(description.run))?.status).toBe('completed');
});

describe('with a Redis that refuses long values', () => {
  const redis = openBeforeAll(() => startRedis(['--proto-max-bulk-len', '1mb']));

  it('fails a run with the reason when one of its steps can never be stored', async () => {
    const stage = await open({ redisUrl: redis.url, limits: { unitsPerCommit: 100_000 } });

    const { description } = await stage.run(fanOut(stage, 'map'), linesOf(40_000, 4));

    expect(description).toMatchObject({ status: 'failed', error: { code: 'COMMIT_FAILED' } });
    expect(description.error?.message).toContain('invalid bulk length');
  });
});
