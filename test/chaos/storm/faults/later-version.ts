import { createVocabulary } from '@millrace/catalog';
import { openRuntime } from '@millrace/runtime';
import { startWorker } from '@millrace/worker';
import { pino } from 'pino';
import { createKeys, defaultPrefix } from '../../../../packages/runtime/src/adapters/redis/location/keys.ts';
import { storedFormat } from '../../../../packages/runtime/src/ports/store/format.ts';
import { driveRun, resultOf, resultWithoutFaults, workflowOf } from '../../../support/runs/scenario.ts';
import { scenarios } from '../../../support/runs/scenarios.ts';
import type { FaultDefinition } from '../fault.ts';

const laterFormat = storedFormat + 1;
const idPrefix = 'laterVersion-';

/** Tells whether a key belongs to a later version, which alone knows its purpose. */
export const isOfLaterVersion = (key: string): boolean =>
  key.startsWith(`${createKeys(defaultPrefix, laterFormat).home}:`) || key.includes(`:${idPrefix}`);

const delayMs = 800;
const vocabulary = createVocabulary();

/** A worker that stores runs in a later format joins, and executes a run of its own in the middle of all else: it takes no other, and loses its own to nobody. */
export const laterVersion: FaultDefinition = {
  times: 1,
  async inject({ chance, fleet, note, inBackground, broken }) {
    const scenario = scenarios[chance.below(scenarios.length)];
    if (scenario === undefined) return;
    const run = `${idPrefix}${scenario.name}-${chance.below(1_000_000)}`;
    const runtime = await openRuntime({ redisUrl: fleet.proxy.url, format: laterFormat }, vocabulary, () => undefined);
    const worker = startWorker({ runtime, vocabulary, concurrency: 2, name: run, log: pino({ level: 'silent' }) });
    const caretaker = runtime.startCaretaker();
    const work = async (): Promise<void> => {
      try {
        const workflow = workflowOf(scenario, vocabulary, delayMs);
        await runtime.runs.start({ run, workflow, input: scenario.input });
        const result = JSON.stringify(resultOf(await driveRun(runtime.runs, run, scenario)));
        const expected = JSON.stringify(await resultWithoutFaults(scenario, vocabulary));
        if (result !== expected) broken.push(`${run} of a later version came to ${result}`);
        note('laterVersion');
      } finally {
        await Promise.all([worker.close(), caretaker.close()]);
        await runtime.close();
      }
    };
    inBackground(work());
  },
};
