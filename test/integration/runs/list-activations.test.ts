import { createVocabulary } from '@millrace/catalog';
import { textMessage } from '@millrace/core';
import type { Activation, Store, TenantRuntime } from '@millrace/runtime';
import { createTenantRuntime } from '@millrace/runtime';
import { beforeAll, expect, it } from 'vitest';
import { openBeforeAll } from '../../support/fixtures.ts';
import { openStage, workflowIn } from '../../support/runs/stage.ts';
import { untilEnded } from '../../support/runs/watching.ts';

const iterations = 600;
/** A person who is asked all the while, and a loop that calls a graph in each of its iterations. */
const workflow = workflowIn(
  `
graph:
  id: long
  start: [Begin]
  end: [End]
  nodes:
    - {id: Begin, type: literal, config: {content: Well?}}
    - {id: Ask, type: human, config: {description: What?}}
    - {id: Inner, type: subgraph, config: {type: config, config: {id: inner, start: [Say], end: [Say], nodes: [{id: Say, type: literal, config: {content: So.}}], edges: []}}}
    - {id: Guard, type: loop_counter, config: {max_iterations: ${iterations}}}
    - {id: End, type: passthrough, config: {}}
  edges:
    - {from: Begin, to: Ask}
    - {from: Begin, to: Inner}
    - {from: Inner, to: Guard, clear_context: true}
    - {from: Guard, to: Inner}
    - {from: Inner, to: Inner, clear_context: true}
    - {from: Guard, to: End}
    - {from: Ask, to: End}
`,
  createVocabulary(),
);

const stage = openBeforeAll(() => openStage({ where: { local: true } }));
let run = '';
let tenantRuntime: TenantRuntime;
/** Events that were read. */
let read = 0;
let events = 0;

beforeAll(async () => {
  const { runs, store } = stage.runtime;
  run = await runs.start({ workflow, input: 'go' });
  const over = new AbortController();
  for await (const { event } of runs.watch(run, '0', over.signal)) {
    events += 1;
    // The loop ends with the iteration in which its guard lets go: then only the person is left.
    if (event.type === 'cycle.left') over.abort();
  }
  const counting: Store = Object.assign(Object.create(store) as Store, {
    async journal(...asked: Parameters<Store['journal']>) {
      const entries = await store.journal(...asked);
      read += entries.length;
      return entries;
    },
  });
  tenantRuntime = createTenantRuntime({ runs, store: counting }, 'default');
});

async function page(after: number, limit: number): Promise<readonly Activation[]> {
  read = 0;
  const found = await tenantRuntime.run(run).activations({ after, limit });
  if (found === undefined) throw new Error('the run is not there');
  return found.activations;
}

it('lists the activations of a long run, page by page, as in the fold of the journal', async () => {
  const all: Activation[] = [];
  for (let found = await page(0, 200); found.length > 0; found = await page(all.length, 200)) all.push(...found);

  expect(all.map(({ id }) => id)).toEqual(all.map((_, at) => `a${at + 1}`));
  expect(all.length).toBeGreaterThan(iterations * 4);
  expect(all.filter(({ node, graph }) => node === 'Say' && graph === 'Inner')).toHaveLength(iterations);
  for (let at = 0; at < all.length; at += 307) {
    const { input: _input, output: _output, ...detail } = (await tenantRuntime.run(run).activation(`a${at + 1}`)) ?? {};
    expect(all[at]).toEqual(detail);
  }
});

it('finds the activations of a node, a state or a loop', async () => {
  const says: Activation[] = [];
  let looked = 0;
  for (let after = 0; ; ) {
    const query = { after, limit: 100, node: 'Say', graph: 'Inner', states: ['completed'] as const };
    const found = await tenantRuntime.run(run).activations(query);
    says.push(...(found?.activations ?? []));
    looked += found?.looked ?? 0;
    if (found?.next === undefined) break;
    after = found.next;
  }

  expect(says).toHaveLength(iterations);
  // Each iteration of the loop calls the graph once.
  expect(says.map(({ iteration }) => iteration)).toEqual(says.map((_, at) => at + 1));
  expect(looked).toBeGreaterThanOrEqual(iterations * 4);
  const scope = says[400]?.scope ?? '';
  const [only, ...others] =
    (await tenantRuntime.run(run).activations({ after: 1500, limit: 5, scope }))?.activations ?? [];
  expect(only).toMatchObject({ scope, iteration: 401, node: 'Say' });
  expect(others).toEqual([]);
});

it('reads only the relevant part of the journal for a page', async () => {
  const last = iterations * 4;
  expect(await page(last - 20, 20)).toHaveLength(20);
  expect(read).toBeLessThan(events / 2);

  // A person who does not answer is not waited for until the end of the journal.
  const first = await page(0, 5);
  expect(first.find(({ node }) => node === 'Ask')).toMatchObject({ state: 'waiting', wait: { prompt: 'What?' } });
  expect(read).toBeLessThan((events * 4) / 5);
});

it('reads the entries of an activation from where it became ready until it settled', async () => {
  const late = `a${iterations * 4 - 10}` as const;
  const entries = [];
  read = 0;
  for await (const { event } of tenantRuntime.run(run).entriesOf(late)) entries.push(event);

  expect(entries.every((event) => 'activation' in event && event.activation === late)).toBe(true);
  expect([entries[0]?.type, entries.at(-1)?.type]).toEqual(['activation.ready', 'activation.completed']);
  expect(read).toBeLessThan(events / 2);
  for await (const entry of tenantRuntime.run(run).entriesOf(`a${iterations * 100}`)) expect(entry).toBeUndefined();
});

it('finds activations that have not settled by the state of the run', async () => {
  const all = await page(0, iterations * 5);
  const states = ['ready', 'working', 'waiting'] as const;
  const expected = all.filter(({ state }) => states.some((one) => one === state)).map(({ id }) => id);
  read = 0;

  const found = await tenantRuntime.run(run).activations({ after: 0, limit: 50, states });

  expect(found?.activations.map(({ id }) => id)).toEqual(expected);
  expect(expected).not.toEqual([]);
  expect(found).toMatchObject({ looked: expected.length });
  expect(read).toBeLessThan((events * 4) / 5);
});

it('reads the input of a settled activation from nearby once the past was looked at', async () => {
  const inputOf = async (id: `a${number}`) => {
    read = 0;
    return (await tenantRuntime.run(run).activation(id))?.input.map(({ text }) => text);
  };
  const late = iterations * 4 - 10;
  const expected = await inputOf(`a${late}`);

  // The activations of an iteration are given the same as those of the next one.
  expect(await inputOf(`a${late - 4}`)).toEqual(expected);
  expect(expected).not.toEqual([]);
  expect(read).toBeLessThan(events / 2);
});

it('returns activations that settled long after they became ready', async () => {
  const [asked] = (await page(0, 5)).filter(({ node }) => node === 'Ask');
  await stage.runtime.runs.answer(run, asked && { activation: asked.id }, {
    message: textMessage('user', 'That.', 'Ask'),
  });
  await untilEnded(stage.runtime.runs, run);

  const [answered] = (await page(0, 5)).filter(({ node }) => node === 'Ask');
  expect(answered).toMatchObject({ id: asked?.id, state: 'completed', asked: { prompt: 'What?' } });
});
