import { createVocabulary } from '@millrace/catalog';
import type { JournalEntry } from '@millrace/core';
import { textOf } from '@millrace/core';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { z } from 'zod';
import { bossOf } from '../support/bosses.ts';
import type { Answered, JsonServer } from '../support/json-server.ts';
import { startJsonServer } from '../support/json-server.ts';
import { workflowIn } from '../support/stage.ts';
import type { Workshop } from '../support/workshop.ts';
import { openWorkshop } from '../support/workshop.ts';

const vocabulary = createVocabulary();
const rounds = 20;
/** The round in whose command workers die, and how many of them. */
const deadly = { round: 17, deaths: 2 };

const Request = z.object({ model: z.string() });

/** A model API: the controller's model chooses a command and at last finishes, the command's model says a number. */
interface Models extends JsonServer {
  /** Requests by model. */
  count(model: string): number;
  /** Resolves when a request has come that is left without an answer. */
  stuck(times: number): Promise<void>;
}

async function startModels(): Promise<Models> {
  const counts = new Map<string, number>();
  const waiting: (() => void)[] = [];
  let stuck = 0;
  const counted = (model: string) => {
    counts.set(model, (counts.get(model) ?? 0) + 1);
    return counts.get(model) ?? 0;
  };
  const server = await startJsonServer(({ body }): Answered | Promise<Answered> => {
    const { model } = Request.parse(body);
    const n = counted(model);
    if (model === 'controller')
      return n < rounds ? call('work', { goal: `step ${n}` }) : call('finish', { summary: 'done' });
    if (n >= deadly.round && n < deadly.round + deadly.deaths) {
      stuck++;
      for (const tell of waiting.splice(0)) tell();
      return new Promise(() => undefined);
    }
    return said(`result of request ${n}`);
  });
  return {
    ...server,
    count: (model) => counts.get(model) ?? 0,
    async stuck(times) {
      while (stuck < times) await new Promise<void>((resolve) => waiting.push(resolve));
    },
  };
}

const reply = (message: unknown): Answered => ({
  body: { choices: [{ message, finish_reason: 'stop' }], usage: { prompt_tokens: 1, completion_tokens: 1 } },
});
const said = (content: string) => reply({ role: 'assistant', content });
const call = (name: string, args: unknown) =>
  reply({
    role: 'assistant',
    content: null,
    tool_calls: [{ id: 'c', type: 'function', function: { name, arguments: JSON.stringify(args) } }],
  });

const agent = (model: string, url: string) => `{ provider: openai, name: ${model}, base_url: "${url}", api_key: k }`;

let workshop: Workshop;
let models: Models;
beforeEach(async () => {
  [workshop, models] = await Promise.all([openWorkshop(), startModels()]);
});
afterEach(async () => {
  await workshop.close();
  await models.close();
});

it('goes on in round 17 after two workers were killed in it, and repeats none of the 16 before', async () => {
  const text = bossOf({
    controller: `{ config: ${agent('controller', models.url)} }`,
    executor: `{ branches: { work: { description: Work., type: agent, config: ${agent('worker', models.url)} } } }`,
  });
  const first = await workshop.hire();
  const run = await workshop.runtime.runs.start({ workflow: workflowIn(text, vocabulary), input: 'the goal' });
  await models.stuck(1);
  await first.kill();
  const second = await workshop.hire();
  await models.stuck(2);
  await second.kill();
  expect([models.count('controller'), models.count('worker')]).toEqual([17, 18]);

  await workshop.hire();
  await workshop.until(run, ({ event }: JournalEntry) => event.type === 'run.finished');

  expect([models.count('controller'), models.count('worker')]).toEqual([rounds, rounds - 1 + deadly.deaths]);
  const description = await workshop.runtime.runs.describe(run);
  expect(description?.output && textOf(description.output)).toBe('done');
  const { items } = await workshop.runtime.runs.memories.memory(
    `run:${run}:memory:path:memory_file:memory/logs.txt`,
    '0',
    100,
  );
  const requests = Array.from({ length: rounds - 1 }, (_, at) =>
    at < deadly.round - 1 ? at + 1 : at + 1 + deadly.deaths,
  );
  expect(items.map((item) => item.text)).toEqual(requests.map((n) => `work: result of request ${n}`));
  expect(await workshop.inspect([run])).toEqual({ violations: [], leftovers: [] });
});
