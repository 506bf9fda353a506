import { createVocabulary } from '@millrace/catalog';
import type { JournalEntry, Workflow } from '@millrace/core';
import { compile, textOf } from '@millrace/core';
import { describe, expect } from 'vitest';
import { startWorkerProcess } from '../../support/processes/worker-process.ts';
import type { FakeProvider } from '../../support/provider/provider.ts';
import { startFakeProvider } from '../../support/provider/provider.ts';
import type { Said } from '../../support/provider/reply.ts';
import { openRedisProxy } from '../../support/redis/redis-proxy.ts';
import { bossOf } from '../../support/runs/bosses.ts';
import type { Fleet } from '../../support/runs/fleet.ts';
import { workflowIn } from '../../support/runs/stage.ts';
import { withFleet as it } from '../../support/runs/with-fleet.ts';

const vocabulary = createVocabulary();
const rounds = 20;
/** The round in whose command workers die, and the number of deaths. */
const deadly = { round: 17, deaths: 2 };

/** A model API: the controller's model chooses a command and at last finishes, the command's model says a number. */
interface Models extends Pick<FakeProvider, 'close' | 'requests'> {
  readonly url: string;
  /** Requests by model. */
  count(model: string): number;
  /** Resolves when a request has come that is left without an answer. */
  stuck(times: number): Promise<void>;
}

async function startModels(deaths: number): Promise<Models> {
  const counts = new Map<string, number>();
  const waiting: (() => void)[] = [];
  let stuck = 0;
  const counted = (model: string) => {
    counts.set(model, (counts.get(model) ?? 0) + 1);
    return counts.get(model) ?? 0;
  };
  const provider = await startFakeProvider({
    reply({ model }) {
      const n = counted(model);
      if (model === 'controller')
        return n < rounds ? call('work', { goal: `step ${n}` }) : call('finish', { summary: 'done' });
      if (n >= deadly.round && n < deadly.round + deaths) {
        stuck++;
        for (const tell of waiting.splice(0)) tell();
        return { silence: true };
      }
      return said(`result of request ${n}`);
    },
  });
  return {
    url: provider.at('ok'),
    requests: provider.requests,
    close: () => provider.close(),
    count: (model) => counts.get(model) ?? 0,
    async stuck(times) {
      while (stuck < times) await new Promise<void>((resolve) => waiting.push(resolve));
    },
  };
}

const usage = { input: 1, output: 1 };
const said = (text: string): Said => ({ text, usage });
const call = (name: string, args: unknown): Said => ({ calls: [{ id: 'c', name, arguments: args }], usage });

const agent = (model: string, url: string) => `{ provider: openai, name: ${model}, base_url: "${url}", api_key: k }`;

const working = (models: Models) =>
  workflowIn(
    bossOf({
      controller: `{ config: ${agent('controller', models.url)} }`,
      executor: `{ branches: { work: { description: Work., type: agent, config: ${agent('worker', models.url)} } } }`,
    }),
    vocabulary,
  );
const begin = (fleet: Fleet, workflow: Workflow) => fleet.runtime.runs.start({ workflow, input: 'the goal' });

/** Texts of the log of a run's boss. */
async function noted(fleet: Fleet, run: string): Promise<readonly string[]> {
  const { memories } = fleet.runtime.runs;
  const { items } = await memories.memory(`run:${run}:memory:path:memory_file:memory/logs.txt`, '0', 100);
  return items.map(({ text }) => text);
}

/** Time without a sign of life after which a wake counts as lost, and interval of the caretaker. */
const [overdueMs, caretakerMs] = [8000, 1000];
const slackMs = 5000;

const versionOf = (entry: JournalEntry | undefined): number => Number(entry?.id.split('-')[0]);

// Each test has a Redis and workers of its own, and mostly waits for locks.
describe.concurrent('a boss', () => {
  it('continues in round 17 after two workers were killed in it, and repeats none of the 16 rounds before', async ({
    fleet,
    onTestFinished,
  }) => {
    const models = await startModels(deadly.deaths);
    onTestFinished(() => models.close());
    const first = await fleet.startWorker();
    const run = await begin(fleet, working(models));
    await models.stuck(1);
    await first.kill();
    const second = await fleet.startWorker();
    await models.stuck(2);
    await second.kill();
    expect([models.count('controller'), models.count('worker')]).toEqual([17, 18]);

    await fleet.startWorker();
    await fleet.until(run, ({ event }: JournalEntry) => event.type === 'run.finished');

    expect([models.count('controller'), models.count('worker')]).toEqual([rounds, rounds - 1 + deadly.deaths]);
    const description = await fleet.runtime.runs.describe(run);
    expect(description?.output && textOf(description.output)).toBe('done');
    const requests = Array.from({ length: rounds - 1 }, (_, at) =>
      at < deadly.round - 1 ? at + 1 : at + 1 + deadly.deaths,
    );
    expect(await noted(fleet, run)).toEqual(requests.map((n) => `work: result of request ${n}`));
    expect(await fleet.inspect([run])).toEqual({ violations: [], leftovers: [] });
  });

  it('notes a round once, and starts its next step soon after a worker was killed between the commit of the note and its wakes', async ({
    fleet,
    onTestFinished,
  }) => {
    const models = await startModels(0);
    onTestFinished(() => models.close());
    const proxy = await openRedisProxy(fleet.redis.url);
    const doomed = await startWorkerProcess(proxy.url);
    const note = `work: result of request ${deadly.round}`;
    const end = proxy.endAfter((request) => request.includes('memory_file:memory/logs.txt') && request.includes(note));
    const workflow = working(models);
    const run = await begin(fleet, workflow);
    await end;
    const commit = await fleet.until(run, notesRound(workflow, deadly.round));
    await doomed.kill();
    await proxy.close();
    expect([models.count('controller'), models.count('worker')]).toEqual([deadly.round, deadly.round]);
    const last = (await fleet.journal(run)).at(-1);
    expect(versionOf(last)).toBe(versionOf(commit));

    await fleet.startWorker();
    const startedAt = Date.now();
    const next = await fleet.until(run, (entry) => versionOf(entry) > versionOf(commit));
    await fleet.until(run, ({ event }) => event.type === 'run.finished');

    expect(next.at).toBeLessThan(Math.max(commit.at + overdueMs + caretakerMs, startedAt) + slackMs);
    expect([models.count('controller'), models.count('worker')]).toEqual([rounds, rounds - 1]);
    expect(await noted(fleet, run)).toEqual(
      Array.from({ length: rounds - 1 }, (_, at) => `work: result of request ${at + 1}`),
    );
    expect(await fleet.inspect([run])).toEqual({ violations: [], leftovers: [] });
  });
});

/** Returns a predicate for the entry that ends the step that notes the result of a round. */
function notesRound(workflow: Workflow, round: number): (entry: JournalEntry) => boolean {
  const step = compile(workflow, vocabulary)
    .graphs.get('B')
    ?.nodes.find(({ id }) => id === 'memory_writing')?.index;
  let times = 0;
  let activation: string | undefined;
  return ({ event }) => {
    if (event.type === 'activation.ready' && event.scope !== 's0' && event.node === step && ++times === round)
      activation = event.activation;
    return event.type === 'activation.completed' && event.activation === activation;
  };
}
