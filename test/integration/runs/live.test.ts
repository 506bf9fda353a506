import { createVocabulary } from '@millrace/catalog';
import { defineTool } from '@millrace/core';
import type { LiveEvent, Runtime } from '@millrace/runtime';
import { connect, openRuntime } from '@millrace/runtime';
import type { RunningWorker } from '@millrace/worker';
import { startWorker } from '@millrace/worker';
import { pino } from 'pino';
import { afterEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { startRedis } from '../../support/redis/redis.ts';
import { workflowIn } from '../../support/runs/stage.ts';
import { untilEnded } from '../../support/runs/watching.ts';

let closers: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closers.reverse()) await close();
  closers = [];
});

/** A tool that continues when the test says so, so that the test can inspect it while it is running. */
function gate() {
  let open = (): void => undefined;
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  const tool = defineTool<object>({
    name: 'wait',
    description: 'Waits.',
    parameters: z.object({}),
    async execute(_args, { emit }) {
      emit('half of it is done');
      await opened;
      emit(', all is done');
      return 'waited';
    },
  });
  return { tool, open: () => open() };
}

const writer = workflowIn(
  `
graph:
  id: writer
  nodes:
    - id: W
      type: agent
      config:
        provider: scripted
        name: m
        params:
          rules:
            - when: { last_role: user }
              reply: { chunks: ["I ", "shall ", "wait. "], tool_calls: [{ name: wait }] }
          default: { chunks: [It, " is", " over."] }
        tooling: [{ type: function, config: { tools: [{ name: wait }] } }]
`,
  createVocabulary({ tools: [gate().tool] }),
);

async function open(redisUrl: string | undefined, tools = [gate().tool]) {
  const vocabulary = createVocabulary({ tools });
  const where = redisUrl === undefined ? { local: true as const } : { redisUrl };
  const runtime = await openRuntime(where, vocabulary, () => undefined);
  closers.push(() => runtime.close());
  return { runtime, vocabulary };
}

/** Publishers and listeners in separate processes, as far as Redis can tell; or all in this one. */
async function site(kind: 'Redis' | 'this process', tools = [gate().tool]) {
  const redis = kind === 'Redis' ? await startRedis() : undefined;
  closers.push(() => redis?.stop());
  const speaking = await open(redis?.url, tools);
  const listening = redis === undefined ? speaking : await open(redis?.url, tools);
  const addWorker = (): RunningWorker => {
    const log = pino({ level: 'silent' });
    const worker = startWorker({ ...speaking, concurrency: 2, name: 'w', log });
    closers.push(() => worker.close());
    return worker;
  };
  return { runtime: listening.runtime, addWorker, redisUrl: redis?.url ?? '' };
}

/** Listens until enough was received, and returns it. */
async function hear(runtime: Runtime, run: string, enough: (heard: readonly LiveEvent[]) => boolean) {
  const over = new AbortController();
  const heard: LiveEvent[] = [];
  for await (const utterance of runtime.runs.live.listen(
    run,
    AbortSignal.any([over.signal, AbortSignal.timeout(20_000)]),
  )) {
    heard.push(utterance);
    if (enough(heard)) break;
  }
  over.abort();
  return heard;
}

const ended = (steps: number) => (heard: readonly LiveEvent[]) => heard.filter((each) => each.ended).length >= steps;
const textOf = (heard: readonly LiveEvent[], step: string) =>
  heard.flatMap((each) => (each.step === step ? [each.text] : [])).join('');
const contiguous = (heard: readonly LiveEvent[]) => {
  const ends = new Map<string, number>();
  return heard.every(({ attempt, from, text }) => {
    const fits = from === (ends.get(attempt) ?? 0);
    ends.set(attempt, from + text.length);
    return fits;
  });
};

describe.each(['Redis', 'this process'] as const)('live output of steps, through %s', (kind) => {
  it('is received during the steps, by early and late subscribers', async () => {
    const { tool, open: goOn } = gate();
    const { runtime, addWorker } = await site(kind, [tool]);
    const run = await runtime.runs.start({ workflow: writer, input: 'go' });
    const early = hear(runtime, run, (heard) => ended(2)(heard) && textOf(heard, 'chat m').endsWith('over.'));
    addWorker();
    await hear(runtime, run, (heard) => textOf(heard, 'tool wait') === 'half of it is done');
    const late = hear(runtime, run, (heard) => {
      if (textOf(heard, 'tool wait') === 'half of it is done') goOn();
      return ended(2)(heard);
    });

    const [first, second] = await Promise.all([early, late]);

    expect(textOf(second, 'tool wait')).toBe('half of it is done, all is done');
    expect(textOf(second, 'chat m')).toBe('It is over.');
    expect(textOf(first, 'tool wait')).toBe('half of it is done, all is done');
    expect(contiguous(first) && contiguous(second)).toBe(true);
    expect(first.every(({ node, activation }) => node === 'W' && activation === 'a1')).toBe(true);
  });
});

it('sends nothing to Redis without subscribers, and leaves no data behind', async () => {
  const { tool, open: goOn } = gate();
  const { runtime, addWorker, redisUrl } = await site('Redis', [tool]);
  const connection = connect(redisUrl, 'test');
  closers.push(() => connection.disconnect());
  goOn();
  const run = await runtime.runs.start({ workflow: writer, input: 'go' });
  addWorker();
  await untilEnded(runtime.runs, run);

  // Questions to those who may watch: of each of the two processes when it begins, and of the worker at its first step.
  expect(await connection.info('commandstats')).toMatch(/cmdstat_publish:calls=3,/);
  expect((await connection.keys('*')).filter((key) => key.includes(':live'))).toEqual([]);
  const journal = await connection.xrange(`{millrace}:run:${run}:journal`, '-', '+');
  expect(JSON.stringify(journal)).not.toContain('half of it');
});
