import { createVocabulary } from '@millrace/catalog';
import type { ActivationId, JournalEntry, Plan } from '@millrace/core';
import { Draft, evolve, inputOf, State } from '@millrace/core';
import { connect, createTenantRuntime, openRuntime } from '@millrace/runtime';
import { describe, expect, it } from 'vitest';
import { openBeforeAll } from '../../support/fixtures.ts';
import { bothPlaces, newInstallation } from '../../support/redis/installation.ts';
import { audit, journalOf } from '../../support/runs/audit.ts';
import { continueRun, writeLongRun } from '../../support/runs/long-run.ts';
import { waitFor } from '../../support/waiting.ts';

const vocabulary = createVocabulary();
const installation = openBeforeAll(newInstallation);
const connection = openBeforeAll(() => connect(installation.url, 'test'));

/** Number of archived parts from which on a run is long, and of activations after which there is one more. */
const enoughParts = 3;
const activationsPerPart = 30;

/** The input of a settled activation, and the version that settled it. */
interface SettledInput {
  readonly version: number;
  readonly input: readonly string[];
}

/** Returns the inputs of settled activations by a fold from the beginning. */
function inputsIn(plan: Plan, journal: readonly JournalEntry[]): ReadonlyMap<ActivationId, SettledInput> {
  const inputs = new Map<ActivationId, SettledInput>();
  const state = new State();
  for (const { id, at, event } of journal) {
    if (event.type === 'activation.completed') {
      const input = inputOf(plan, state, event.activation).map((message) => message.id);
      inputs.set(event.activation, { version: Number.parseInt(id, 10), input });
    }
    const draft = new Draft(state);
    evolve({ plan, draft, at }, event);
    state.apply(draft.writes());
  }
  return inputs;
}

describe.each(bothPlaces())('inputs of settled activations, runs kept in %s', (_, place) => {
  const runtime = openBeforeAll(() =>
    openRuntime({ ...place, journalWindow: 60 }, vocabulary, (message, error) =>
      process.stderr.write(`${message}: ${String(error)}\n`),
    ),
  );

  it('are those of a fold from the beginning, and are read from the nearest archived part', async () => {
    const site = { runtime, connection, prefix: installation.prefix, vocabulary };
    const run = await writeLongRun(site, 4);
    const partsOf = async () => (await runtime.store.load(run))?.state.list('archive/journal') ?? [];
    for (let parts = 1; parts <= enoughParts; parts += 1) {
      await continueRun(site, run, parts * activationsPerPart);
      await waitFor(async () => expect((await partsOf()).length).toBeGreaterThanOrEqual(parts));
    }
    const journal = await journalOf(runtime.store, run);
    const plan = (await runtime.runs.refresh(run))?.plan;
    if (plan === undefined) throw new Error(`there is no run ${run}`);
    const expected = inputsIn(plan, journal);
    const [first] = await partsOf();
    const readFrom: string[] = [];
    const read = runtime.store.journal;
    Object.assign(runtime.store, {
      journal: (...asked: Parameters<typeof read>) => {
        readFrom.push(asked[1]);
        return read(...asked);
      },
    });

    expect(expected.size).toBeGreaterThan(40);
    for (const [id, { version, input }] of expected) {
      readFrom.length = 0;
      const shown = await createTenantRuntime(runtime, 'default').run(run).activation(id);
      expect([id, shown?.input.map((message) => message.id)]).toEqual([id, input]);
      if (version > (first?.checkpoint ?? version)) expect(readFrom, id).not.toContain('0');
    }
    expect(first?.checkpoint).toBeLessThan(Number.parseInt(journal.at(-1)?.id ?? '', 10) / 2);
    expect(await audit(runtime.store, run, vocabulary)).toEqual([]);
  });
});
