import { randomUUID } from 'node:crypto';
import { createVocabulary } from '@millrace/catalog';
import type { Runtime } from '@millrace/runtime';
import { connect, openRuntime } from '@millrace/runtime';
import { expect, it } from 'vitest';
import { openBeforeAll } from '../../support/fixtures.ts';
import { newInstallation } from '../../support/redis/installation.ts';
import { openRedisProxy } from '../../support/redis/redis-proxy.ts';
import { journalOf } from '../../support/runs/audit.ts';
import { workflowIn } from '../../support/runs/stage.ts';

const vocabulary = createVocabulary();
const installation = newInstallation();
const open = () => openRuntime(installation.where, vocabulary, () => undefined);
const runtime = openBeforeAll(open);
const other = openBeforeAll(open);

const waiting = `
graph:
  id: waiting
  nodes: [{ id: Wait, type: wait_for, config: { event: go } }]
`;

/** Lets the reply to the next commit be lost: the connection sends the commit again, after others have committed. */
function loseNextReply({ store }: Runtime, meanwhile: () => Promise<unknown>): void {
  const { commit } = store;
  Object.assign(store, {
    commit: async (made: Parameters<typeof commit>[0]) => {
      Object.assign(store, { commit });
      await commit(made);
      await meanwhile();
      return commit(made);
    },
  });
}

async function started(): Promise<string> {
  const run = `run_${randomUUID().replaceAll('-', '')}`;
  await runtime.runs.start({ workflow: workflowIn(waiting, vocabulary), input: 'x', run });
  return run;
}

it('commits a signal once when the reply to its commit is lost and others commit before it is sent again', async () => {
  const run = await started();
  loseNextReply(runtime, () => other.runs.signal(run, { name: 'go', data: 'other' }));
  await runtime.runs.signal(run, { name: 'go', data: 'own' });

  const events = (await journalOf(other.store, run)).map(({ event }) => event.type);
  expect(events.filter((type) => type === 'signal.received')).toHaveLength(2);
  // The process goes on from what others have committed.
  await runtime.runs.signal(run, { name: 'go', data: 'last' });
  expect((await journalOf(other.store, run)).filter(({ event }) => event.type === 'signal.received')).toHaveLength(3);
});

it('accepts what has been done when the reply to its commit is lost', async () => {
  const run = await started();
  loseNextReply(runtime, () => other.runs.signal(run, { name: 'go' }));
  await runtime.runs.control(run, 'pause');
  expect((await other.runs.describe(run))?.status).toBe('paused');

  loseNextReply(runtime, () => other.runs.control(run, 'pause'));
  await runtime.runs.resume(run);
  expect((await runtime.runs.describe(run))?.status).toBe('paused');
});

const connection = openBeforeAll(() => connect(installation.url, 'test'));
const proxy = openBeforeAll(() => openRedisProxy(installation.url));
const cutOff = openBeforeAll(() =>
  openRuntime({ ...installation.where, redisUrl: proxy.url }, vocabulary, () => undefined),
);

/** Runs a write of an entry; the connection breaks between its execution and its reply, and others write in between. */
async function withoutReply<T>(
  entry: string,
  write: (store: Runtime['store']) => Promise<T>,
  meanwhile: (store: Runtime['store']) => Promise<unknown> = async () => undefined,
): Promise<T> {
  let hasBroken = false;
  proxy.loseReply(
    (request) => request.includes(entry),
    async () => {
      hasBroken = true;
      await meanwhile(other.store);
    },
  );
  const result = await write(cutOff.store);
  expect(hasBroken).toBe(true);
  return result;
}

it.each([
  ['nobody else', undefined],
  ['others', 'theirs'],
])('writes an entry once when the reply is lost and %s have written it meanwhile', async (_, theirs) => {
  const id = randomUUID();
  const read = () => other.store.registry.read('things', id);
  const change = (before: string | undefined, after: string | undefined) => ({
    write: ({ registry }: Runtime['store']) => registry.exchange('things', id, { before, after }),
    meanwhile: async ({ registry }: Runtime['store']) => theirs && registry.write('things', id, theirs),
  });
  const added = await withoutReply(
    id,
    ({ registry }) => registry.add('things', id, 'one'),
    change(undefined, undefined).meanwhile,
  );
  expect([added, await read()]).toEqual([true, theirs ?? 'one']);

  const changing = change(theirs ?? 'one', 'two');
  expect([await withoutReply(id, changing.write, changing.meanwhile), await read()]).toEqual([true, theirs ?? 'two']);

  const removing = change(theirs ?? 'two', undefined);
  expect([await withoutReply(id, removing.write, removing.meanwhile), await read()]).toEqual([true, theirs]);

  await other.store.registry.write('things', id, 'last');
  const removed = await withoutReply(
    id,
    ({ registry }) => registry.remove('things', id),
    change(undefined, undefined).meanwhile,
  );
  expect([removed, await read()]).toEqual([true, theirs]);
});

it('holds and swaps a text once when the reply is lost', async () => {
  const name = randomUUID();
  const held = async () => (await other.store.registry.held([name]))[0];
  const hold = await withoutReply(name, ({ registry }) => registry.hold(name, 'mine', 60_000));
  expect([hold, await held()]).toEqual([undefined, 'mine']);

  const swapped = await withoutReply(
    name,
    ({ registry }) => registry.swap(name, { before: 'mine', after: { text: 'other', forMs: 60_000 } }),
    ({ registry }) => registry.replace(name, 'theirs', 60_000),
  );
  expect([swapped, await held()]).toEqual([true, 'theirs']);
  const dropped = await withoutReply(name, ({ registry }) => registry.swap(name, { before: 'theirs' }));
  expect([dropped, await held()]).toEqual([true, undefined]);
});

it('moves a row once, and adds what it has spent once, when the reply is lost', async () => {
  const batch = randomUUID();
  const { rows } = other.store;
  await rows.put(batch, [{ row: 1, status: 'running', json: '{}' }]);
  const moved = await withoutReply(
    batch,
    (store) => store.rows.move(batch, { row: 1, from: ['running'], to: 'failed', spent: { promptTokens: 7 } }),
    (store) => store.rows.move(batch, { row: 1, from: ['failed'], to: 'running' }),
  );
  expect([moved, await rows.usage(batch)]).toEqual([true, { promptTokens: 7 }]);
  expect(await rows.read(batch, [1])).toMatchObject([{ status: 'running' }]);
});

it('says that a write was not done when it was not', async () => {
  const id = randomUUID();
  await other.store.registry.write('things', id, 'theirs');
  expect(await withoutReply(id, ({ registry }) => registry.add('things', id, 'mine'))).toBe(false);
  const change = { before: 'mine', after: 'more' };
  expect(await withoutReply(id, ({ registry }) => registry.exchange('things', id, change))).toBe(false);
});

it('keeps nothing of writes whose replies have arrived', async () => {
  const id = randomUUID();
  await withoutReply(id, ({ registry }) => registry.add('things', id, 'one'));
  // Sent after what the write has left to be removed.
  await cutOff.store.registry.read('things', id);
  expect(await connection.keys(`${installation.prefix}:held:written/*`)).toEqual([]);
});
