import { randomUUID } from 'node:crypto';
import type { Extensions, ProcessorFunction, TerminationFunction } from '@millrace/catalog';
import { createVocabulary } from '@millrace/catalog';
import type { ActivationRecord, JournalEntry, Vocabulary } from '@millrace/core';
import type { Queue, Store } from '@millrace/runtime';
import {
  connect,
  createBullQueue,
  createInlineQueue,
  createMemoryStore,
  createRedisStore,
  createShard,
} from '@millrace/runtime';
import { describe, expect, it } from 'vitest';
import { usuallyOr } from '../../support/exhaustive.ts';
import type { Installation } from '../../support/redis/installation.ts';
import { newInstallation } from '../../support/redis/installation.ts';
import { audit, journalOf } from '../../support/runs/audit.ts';
import type { InProcess } from '../../support/runs/process.ts';
import { startInProcess } from '../../support/runs/process.ts';
import { workflowIn } from '../../support/runs/stage.ts';
import { untilEnded } from '../../support/runs/watching.ts';

/** Workers that know nothing of each other but what is in the store. */
interface Crowd {
  readonly store: Store;
  readonly vocabulary: Vocabulary;
  readonly workers: readonly InProcess[];
  close(): Promise<void>;
}

function crowdInMemory(size: number): Crowd {
  const vocabulary = createVocabulary();
  const store = createMemoryStore();
  const queue: Queue = createInlineQueue({ onError: (error) => expect.fail(String(error)) });
  const workers = Array.from({ length: size }, () => startInProcess(store, queue, vocabulary));
  return { store, vocabulary, workers, close: async () => void (await Promise.all(workers.map((one) => one.stop()))) };
}

function crowdInRedis(size: number, installation: Installation, extensions: Extensions = {}): Crowd {
  const vocabulary = createVocabulary(extensions);
  const prefix = installation.prefix.replace('}', `-${randomUUID()}}`);
  const onError = () => undefined;
  const members = Array.from({ length: size }, () => {
    const connection = connect(installation.url, 'test');
    // No wake is lost here: a slow worker must not count as dead.
    const store = createRedisStore({ shard: createShard(connection, prefix), graceMs: 120_000 });
    const worker = startInProcess(
      store,
      createBullQueue({ shard: createShard(connection, prefix), onError }),
      vocabulary,
    );
    return { store, worker, close: () => worker.stop().finally(() => connection.disconnect()) };
  });
  const [first] = members;
  if (first === undefined) throw new Error('there are no workers');
  return {
    store: first.store,
    vocabulary,
    workers: members.map(({ worker }) => worker),
    close: async () => void (await Promise.all(members.map((one) => one.close()))),
  };
}

interface EndedRun {
  readonly run: string;
  readonly journal: readonly JournalEntry[];
  /** Records of activations in the state of the run after its end. */
  readonly live: readonly ActivationRecord[];
  readonly reason: string | undefined;
  readonly status: string | undefined;
  times(type: JournalEntry['event']['type']): number;
}

/** Plays a run to its end; each crowd member is asked to start one in turn. */
async function play({ store, vocabulary, workers }: Crowd, text: string, turn = 0): Promise<EndedRun> {
  const { runs } = workers[turn % workers.length] ?? expect.fail('there are no workers');
  const run = await runs.start({ workflow: workflowIn(text, vocabulary), input: 'x' });
  await untilEnded(runs, run);
  const journal = await journalOf(store, run);
  const { state } = (await store.load(run)) ?? expect.fail('the run is gone');
  const live = [...state.keys('activation/')].map((key) => state.get(key as `activation/a${number}`)); // the prefix asked for
  // An audit folds the whole journal; of many runs that are alike, some are enough.
  if (turn % 5 === 0) expect(await audit(store, run, vocabulary)).toEqual([]);
  return {
    run,
    journal,
    live: live.filter((record) => record !== undefined),
    reason: state.get('run')?.stop?.text,
    status: state.get('run')?.status,
    times: (type) => journal.filter(({ event }) => event.type === type).length,
  };
}

const numbers = (count: number) => Array.from({ length: count }, (_, n) => n).join('|');

/** A map over so many items, whose units execute at the same time. */
const mapOf = (count: number, termination: string) => `graph:
  id: many
  end: [Join]
  termination: ${termination}
  nodes:
    - { id: S, type: literal, config: { content: "${numbers(count)}" } }
    - { id: W, type: literal, config: { content: done } }
    - { id: Join, type: passthrough, config: {} }
  edges:
    - from: S
      to: W
      dynamic: { type: map, split: { type: regex, config: { pattern: "[0-9]+" } }, config: { max_parallel: ${count} } }
    - { from: W, to: Join, processor: { type: function, config: { name: noted } } }
`;

/** A function that counts what it sees, and how often it looked; each look takes a moment, so that others come in between. */
function counted() {
  const asked = { looks: 0, units: 0 };
  const counting: TerminationFunction = {
    init: () => 0,
    async evaluate(_delta, state) {
      asked.looks++;
      await new Promise((resolve) => setImmediate(resolve));
      return { stop: false, state: Number(state) + 1 };
    },
  };
  const noted: ProcessorFunction = (text) => {
    asked.units++;
    return text;
  };
  const extensions: Extensions = {
    terminations: new Map([['counting', counting]]),
    processors: new Map([['noted', noted]]),
  };
  return { asked, extensions };
}

describe('terminations with many workers', () => {
  const installation = newInstallation();

  it('stop a run once, at the hundredth of two hundred messages, and count none after it', async () => {
    const crowd = crowdInRedis(8, installation, counted().extensions);
    const text = mapOf(200, '{ type: max_messages, config: { max_messages: 100, sources: [W] } }');
    try {
      for (let repetition = 0; repetition < usuallyOr(5, 20); repetition++) {
        const { journal, live, reason, times } = await play(crowd, text, repetition);
        const units = new Set(
          journal.flatMap(({ event }) =>
            event.type === 'activation.ready' && event.part === 'unit' ? [event.activation] : [],
          ),
        );
        const ended = journal.flatMap(({ event }) =>
          event.type === 'activation.completed' && units.has(event.activation) ? [event.late === true] : [],
        );

        expect([reason, times('run.stopping'), times('run.finished')]).toEqual(['max_messages: 100 of 100', 1, 1]);
        expect(ended.filter((late) => !late)).toHaveLength(100);
        expect(ended.length + live.length).toBe(units.size);
        expect(live.filter(({ startedAt }) => startedAt !== undefined)).toEqual([]);
      }
    } finally {
      await crowd.close();
    }
  }, 120_000);

  it('share the state of a function, and execute no node again for it', async () => {
    const { asked, extensions } = counted();
    const crowd = crowdInRedis(8, installation, extensions);
    try {
      const { journal, status } = await play(
        crowd,
        mapOf(400, '{ type: function, config: { name: counting, include_task: false, sources: [W] } }'),
      );
      const moved = journal.flatMap(({ event }) => (event.type === 'termination.moved' ? [event.cells['$.0']] : []));

      expect(status).toBe('completed');
      // The source, the units and the join were decided; a commit that came too late was decided again.
      expect(moved.at(-1)?.state).toEqual({ version: 402, value: 402 });
      expect(asked.looks).toBeGreaterThan(402);
      expect(asked.units).toBe(400);
    } finally {
      await crowd.close();
    }
  }, 120_000);

  it.each([
    ['memory', usuallyOr(100, 500)],
    ['Redis', usuallyOr(20, 100)],
  ])(
    'stop a run once when two conditions are satisfied at the same time, in %s',
    async (place, repetitions) => {
      const crowd = place === 'Redis' ? crowdInRedis(3, installation) : crowdInMemory(3);
      const either = `graph:
  id: either
  start: [A]
  end: [B, C]
  termination: [{ type: source_match, config: { sources: [B] } }, { type: source_match, config: { sources: [C] } }]
  nodes:
    - { id: A, type: literal, config: { content: a } }
    - { id: B, type: literal, config: { content: b } }
    - { id: C, type: literal, config: { content: c } }
  edges: [{ from: A, to: B }, { from: A, to: C }]
`;
      const reasons = new Set<string | undefined>();
      try {
        for (let repetition = 0; repetition < repetitions; repetition++) {
          const { status, reason, times } = await play(crowd, either, repetition);
          reasons.add(reason);
          expect([status, times('run.stopping'), times('run.finished')]).toEqual(['terminated', 1, 1]);
        }
      } finally {
        await crowd.close();
      }
      expect([...reasons].every((reason) => reason?.startsWith('source_match: '))).toBe(true);
    },
    120_000,
  );
});
