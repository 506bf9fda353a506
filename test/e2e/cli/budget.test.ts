import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { directoryBeforeAll, openBeforeAll } from '../../support/fixtures.ts';
import { ask, follow } from '../../support/http/http.ts';
import { command } from '../../support/processes/command.ts';
import type { CommandResult } from '../../support/processes/millrace.ts';
import { startServer } from '../../support/processes/millrace.ts';
import { startFakeProvider } from '../../support/provider/provider.ts';
import { startRedis } from '../../support/redis/redis.ts';

/** Each answer has 100 tokens, and each prompt 100. */
const model = openBeforeAll(() =>
  startFakeProvider({ reply: () => ({ text: 'done', usage: { input: 100, output: 100 } }) }),
);
const redis = openBeforeAll(startRedis);
const cwd = directoryBeforeAll();
const env = () => ({ REDIS_URL: redis.url, MILLRACE_DIR: cwd });
const up = openBeforeAll(() => startServer(['up', '--port', '0'], { cwd, env: env() }));

const agent = (id: string) =>
  `{id: ${id}, type: agent, config: {provider: openai, name: m, base_url: '${model.at('ok')}', params: {max_tokens: 100}}}`;
const workflow = (more = '') => `graph:
  id: spending
  ${more}
  prices: {m: {input: 10, output: 10}}
  nodes: [${agent('A')}, ${agent('B')}, ${agent('C')}]
  edges: [{from: A, to: B}, {from: B, to: C}]
`;
const call = (...args: string[]): Promise<CommandResult> => command(args, env());
const run = (yaml: string, ...more: string[]) => {
  writeFileSync(join(cwd, 'spending.yaml'), yaml);
  return call('run', join(cwd, 'spending.yaml'), '--input', 'go', '--json', ...more);
};
/** Returns the result of a run out of the output of `--json`. */
const resultOf = ({ stdout }: CommandResult): Record<string, unknown> & { readonly runId: string } => {
  const printed = JSON.parse(stdout.startsWith('{\n') ? stdout : (stdout.trim().split('\n').at(-1) ?? ''));
  return printed.result ?? printed;
};

describe('a budget on the command line', () => {
  it('in dollars warns of a model without a price, which nobody asks then', async () => {
    const unpriced = workflow().replace(/^ {2}prices:.*\n/m, '');
    const before = model.requests.length;
    const ended = await run(unpriced, '--budget-usd', '1');

    expect(ended.stderr).toContain('there is no price for the model "m"');
    expect(ended.stderr).toContain('[W_PRICE_UNKNOWN]');
    expect({ code: ended.code, ...resultOf(ended) }).toMatchObject({ code: 1, error: { code: 'PRICE_UNKNOWN' } });
    expect(model.requests).toHaveLength(before);
    writeFileSync(join(cwd, 'prices.yaml'), 'm: {input: 10, output: 10}\n');
    const priced = await run(unpriced, '--budget-usd', '1', '--prices', join(cwd, 'prices.yaml'));
    expect({ code: priced.code, ...resultOf(priced) }).toMatchObject({ code: 0, usage: { microUsd: 6000 } });
    // Tokens are counted without a price.
    const counted = await run(unpriced, '--budget-tokens', '5000');
    expect([counted.code, counted.stderr.includes('W_PRICE_UNKNOWN')]).toEqual([0, false]);
  });

  it('stops a run, which continues with a larger budget', async () => {
    const before = model.requests.length;
    const ended = await run(workflow('budget: {tokens: 10}'), '--budget-tokens', '600');
    const { runId, ...result } = resultOf(ended);
    expect({ code: ended.code, ...result }).toMatchObject({ code: 1, status: 'terminated', stop: { code: 'budget' } });
    const made = model.requests.length - before;
    expect(made).toBeGreaterThan(0);
    expect(made).toBeLessThan(3);

    expect((await call('resume', runId, '--budget-tokens', '5000')).code).toBe(0);
    const watched = await call('watch', runId, '--json');

    expect({ code: watched.code, ...resultOf(watched) }).toMatchObject({ code: 0, status: 'completed' });
    expect(model.requests.length - before).toBe(3);
  });

  it('asks a person where it is so configured, and continues with the answer', async () => {
    writeFileSync(join(cwd, 'answers.yaml'), '[5000 tokens]');
    const ended = await run(
      workflow('budget: {tokens: 600, on_exceeded: ask}'),
      '--budget-usd',
      '1',
      '--answers',
      join(cwd, 'answers.yaml'),
    );

    expect({ code: ended.code, ...resultOf(ended) }).toMatchObject({ code: 0, status: 'completed' });
  });

  it('is refused when it is not an amount', async () => {
    expect(await run(workflow(), '--budget-usd', 'much')).toMatchObject({ code: 2 });
  });
});

describe('a budget over HTTP', () => {
  it('stops a run, is part of its description, and is raised by a resume', async () => {
    const asked = { workflow: { yaml: workflow() }, input: 'go', budget: { usd: 0.006 } };
    const { body } = await ask(`${up.url}/v1/runs`, asked);
    const stopped = await ask(`${up.url}/v1/runs/${String(body['runId'])}?wait=20s`);
    expect(stopped.body).toMatchObject({
      status: 'terminated',
      stop: { code: 'budget' },
      budget: { limit: { microUsd: 6000 }, reserved: { microUsd: 0 } },
    });
    const { body: list } = await ask(`${up.url}/v1/runs?status=terminated`);
    expect(list['data']).toMatchObject([
      { title: 'go', activations: expect.any(Number), budget: { limit: { microUsd: 6000 }, spent: { tokens: 400 } } },
    ]);

    const resumed = await ask(`${up.url}/v1/runs/${String(body['runId'])}/resume`, {
      budget: { usd: 1, tokens: 5000 },
    });
    expect(resumed.status).toBe(200);
    const ended = await ask(`${up.url}/v1/runs/${String(body['runId'])}?wait=20s`);

    expect(ended.body).toMatchObject({ status: 'completed', usage: { calls: 3 }, budget: { spent: { tokens: 600 } } });
  });

  it('asks a person with an ordinary task', async () => {
    const yaml = workflow('budget: {tokens: 600, on_exceeded: ask}');
    const { body } = await ask(`${up.url}/v1/runs`, { workflow: { yaml }, input: 'go' });
    const waiting = await ask(`${up.url}/v1/runs/${String(body['runId'])}?wait=20s`);
    const [task] = waiting.body['tasks'] as { id: string; prompt: string }[]; // as the contract says
    expect(task?.prompt).toMatch(/The budget of 600 tokens is used up/);

    await ask(`${up.url}/v1/tasks/${task?.id}/answer`, { text: 'stop' });
    await follow(`${up.url}/v1/runs/${String(body['runId'])}/events`);
    const ended = await ask(`${up.url}/v1/runs/${String(body['runId'])}?wait=20s`);

    expect(ended.body).toMatchObject({ status: 'terminated', stop: { code: 'budget' } });
  });
});
