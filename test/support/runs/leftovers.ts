import type { RunId, State } from '@millrace/core';
import { defaultTenant } from '@millrace/core';
import type { Store } from '@millrace/runtime';
import type { Redis } from 'ioredis';
import type { RunKeys } from '../../../packages/runtime/src/adapters/redis/location/keys.ts';
import { createKeys, isMessageList, listOf } from '../../../packages/runtime/src/adapters/redis/location/keys.ts';
import { fileSweep } from '../../../packages/runtime/src/ports/store/registry.ts';

/** Keys of a state that only an unfinished run has. */
const transient = /^(activation|step|result|fired|item|pending|due|units)\//;
/** Keys that BullMQ keeps of a queue without jobs. */
const ofAnEmptyQueue =
  /:(?:jobs(?:-[\w-]+)?|millrace-intake|webhooks|batches|bulk):(meta|id|events|marker|stalled-check|stalled)$/;

/** Keys of memory files that live as long as their run. */
const memoryOfRun = /:run:[^:]+:(s\d+:)?memory:/;

/** Keys of the lists of a state that are not in its hash. */
const keysOf = (run: RunKeys, { lists }: State): readonly string[] =>
  [...lists].flatMap(([key, entries]) => (isMessageList(key) && entries.length === 1 ? [] : [listOf(run, key)]));

/** Everything in Redis that is neither of the installation itself nor what a completed run leaves for its readers. */
export async function leftovers(connection: Redis, store: Store, runs: readonly RunId[]): Promise<readonly string[]> {
  const keys = createKeys();
  const { summaries, queues, blobs, held, outbox, register, ids, stored, storedTenants } = keys;
  const ofTheInstallation = [register('installation'), ids('installation'), stored(defaultTenant), storedTenants];
  const documented = new Set([summaries, queues, blobs, held(fileSweep), outbox, ...ofTheInstallation]);
  const found: string[] = [];
  for (const run of runs) {
    const ofRun = keys.run(run);
    for (const key of [ofRun.state, ofRun.journal, ofRun.messages, ofRun.memories, ofRun.contents]) documented.add(key);
    const loaded = await store.load(run);
    if (loaded === undefined) continue;
    const { records, lists } = loaded.state;
    // What a replay is answered from goes with it.
    for (const { digest } of loaded.state.get('origin')?.replay?.journal ?? []) documented.add(keys.blob(digest));
    found.push(
      ...[...records.keys(), ...lists.keys()].filter((key) => transient.test(key)).map((key) => `${run} ${key}`),
    );
    for (const key of keysOf(ofRun, loaded.state)) documented.add(key);
  }
  const present = await connection.keys(`${keys.prefix.replaceAll(/[[\]*?\\]/g, '\\$&')}:*`);
  // They outlive runs: workflows and their texts, which others may start again, and usage.
  const plans = keys.plan('');
  const texts = keys.text('');
  const usage = keys.usageTenants.replace(/tenants$/, '');
  const lists = keys.lists(defaultTenant).all;
  // They belong to models, not to runs, and expire by themselves.
  const rates = keys.rate('');
  // The reports of workers expire by themselves, ten seconds after a worker was killed, and the counts of requests after
  // a minute.
  const reports = keys.held('worker/');
  const requests = keys.held('requests/');
  // They belong to processes, and expire by themselves.
  const leases = keys.lease('');
  // Numbers of wakes in the queues.
  const share = keys.slots.replace(/slots$/, '');
  return [
    ...found,
    ...present.filter(
      (key) =>
        !documented.has(key) &&
        !key.startsWith(share) &&
        !key.startsWith(plans) &&
        !key.startsWith(texts) &&
        !key.startsWith(lists) &&
        !key.startsWith(rates) &&
        !key.startsWith(reports) &&
        !key.startsWith(requests) &&
        !key.startsWith(leases) &&
        !key.startsWith(usage) &&
        !key.startsWith(keys.ended('')) &&
        !ofAnEmptyQueue.test(key) &&
        !memoryOfRun.test(key),
    ),
  ];
}
