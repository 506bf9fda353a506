import type { Event, JournalEntry, RunId } from '@millrace/core';
import { textOf } from '@millrace/core';
import { expect, it } from 'vitest';
import { usuallyOr } from '../../support/exhaustive.ts';
import { onBothStores } from '../../support/runs/both-stores.ts';
import type { Stage } from '../../support/runs/stage.ts';
import { workflowIn } from '../../support/runs/stage.ts';
import { entriesOf } from '../../support/runs/watching.ts';

const linesOf = (count: number): string => Array.from({ length: count }, (_, at) => `unit ${at}`).join('\n');

/** A text that is fanned out line by line to a node that passes its line on. */
const mapOfLines = ({ vocabulary }: Stage) =>
  workflowIn(
    `graph:
  id: lines
  nodes:
    - {id: Text, type: passthrough, config: {}}
    - {id: Line, type: passthrough, config: {}}
    - {id: Join, type: passthrough, config: {only_last_message: false}}
  edges:
    - {from: Text, to: Line, dynamic: {type: map, config: {split_type: lines, max_parallel: 100}}}
    - {from: Line, to: Join}
`,
    vocabulary,
  );

/** The journal of a run up to the first entry for which the condition holds. */
async function until(stage: Stage, run: RunId, holds: (entry: JournalEntry) => boolean): Promise<JournalEntry> {
  for await (const entry of entriesOf(stage.runtime.runs, run)) {
    if (entry.event.type === 'run.finished') throw new Error(JSON.stringify(entry.event));
    if (holds(entry)) return entry;
  }
  throw new Error('the journal ended');
}

onBothStores('large fan-outs', (stage) => {
  it.each(usuallyOr([60_000], [60_000, 200_000]))('opens a map over %i lines and executes its units', async (units) => {
    const { runs } = stage.runtime;
    const run = await runs.start({ workflow: mapOfLines(stage), input: linesOf(units) });

    const entered = await until(stage, run, ({ event }) => event.type === 'fanout.entered');
    const { before = 0, units: last } = entered.event as Extract<Event, { type: 'fanout.entered' }>;
    expect(before + last.length).toBe(units);
    let completed = 0;
    await until(stage, run, ({ event }) => event.type === 'activation.completed' && ++completed === 300);

    await runs.submit(run, { type: 'cancel', reason: 'enough' });
    expect((await runs.describe(run))?.status).toBe('cancelled');
  });

  it('passes on the results of 2,500 units in parts, in their order', async () => {
    const { runs } = stage.runtime;
    const run = await runs.start({ workflow: mapOfLines(stage), input: linesOf(2_500) });
    const parts: number[] = [];
    const ended = await until(stage, run, ({ event }) => {
      if (event.type === 'units.joined') parts.push(event.units);
      return event.type === 'activation.completed' && event.outputs.length > 1;
    });
    const { outputs } = ended.event as Extract<Event, { type: 'activation.completed' }>;

    expect(parts).toEqual([1000, 1000, 500]);
    expect((await runs.messages(run, outputs)).map(textOf).join('\n')).toBe(linesOf(2_500));
  });
});
