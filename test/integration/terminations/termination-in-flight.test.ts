import type { JournalEntry } from '@millrace/core';
import { expect, it } from 'vitest';
import type { HeldModels } from '../../support/fakes/held-models.ts';
import { startHeldModels } from '../../support/fakes/held-models.ts';
import { openBeforeEach } from '../../support/fixtures.ts';
import { onBothStores } from '../../support/runs/both-stores.ts';
import { workflowIn } from '../../support/runs/stage.ts';
import { untilEntry } from '../../support/runs/watching.ts';

const others = ['X', 'Y', 'Z'] as const;

/** Four agents that execute at the same time; the words of one of them stop the run. */
const four = (models: HeldModels, inFlight: string) => `graph:
  id: four
  start: [A]
  end: [X]
  termination:
    any_of:
      - { type: source_match, config: { sources: [F] } }
      - { type: max_messages, config: { max_messages: 100 } }
    in_flight: ${inFlight}
  nodes:
    - { id: A, type: literal, config: { content: Go. } }
${[...others, 'F'].map((id) => `    - { id: ${id}, type: agent, config: ${models.agent(id)} }`).join('\n')}
  edges:
${[...others, 'F'].map((id) => `    - { from: A, to: ${id} }`).join('\n')}
`;

const models = openBeforeEach(startHeldModels);

onBothStores('an executing activation when a termination is satisfied', (stage) => {
  const begin = async (inFlight: string) => {
    const workflow = workflowIn(four(models, inFlight), stage.vocabulary);
    const run = await stage.runtime.runs.start({ workflow, input: 'x' });
    await Promise.all([...others, 'F'].map((model) => models.asked(model, 1)));
    models.answer('F');
    await untilEntry(stage.runtime.runs, run, ({ event }) => event.type === 'run.stopping');
    return run;
  };
  const describeRun = (run: string) => stage.runtime.runs.describe(run);
  const counted = async (run: string) =>
    (await stage.runtime.runs.refresh(run))?.state.get('termination/s0/')?.cells['$.1']?.state;

  it('can finish, is kept, and is not counted', async () => {
    const run = await begin('drain');
    const before = await counted(run);
    for (const model of others) {
      expect(await describeRun(run)).toMatchObject({ status: 'stopping' });
      models.answer(model);
      await untilEntry(stage.runtime.runs, run, settled(3 + others.indexOf(model)));
    }
    await untilEntry(stage.runtime.runs, run, ends(1));

    const { status, outputs } = (await describeRun(run)) ?? {};
    expect(status).toBe('terminated');
    expect(outputs).toEqual({ A: 'Go.', F: 'F says so', X: 'X says so', Y: 'Y says so', Z: 'Z says so' });
    expect([before, await counted(run)]).toEqual([3, 3]);
  });

  it('is aborted, and executed again when the run continues', async () => {
    const run = await begin('cancel');
    await Promise.all(others.map((model) => models.hungUp(model, 1)));
    await untilEntry(stage.runtime.runs, run, ends(1));
    expect((await describeRun(run))?.outputs).toEqual({ A: 'Go.', F: 'F says so' });

    await stage.runtime.runs.resume(run);
    await Promise.all(others.map((model) => models.asked(model, 2)));
    for (const model of others) models.answer(model);
    await untilEntry(stage.runtime.runs, run, ends(2));

    expect(await describeRun(run)).toMatchObject({ status: 'completed', output: { content: 'X says so' } });
  });
});

const nth = (times: number, holds: (entry: JournalEntry) => boolean) => {
  let seen = 0;
  return (entry: JournalEntry) => holds(entry) && ++seen === times;
};
const ends = (segment: number) => nth(segment, ({ event }) => event.type === 'run.finished');
/** So many have settled, A and F among them. */
const settled = (times: number) => nth(times, ({ event }) => event.type === 'activation.completed');
