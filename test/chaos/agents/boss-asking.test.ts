import { createVocabulary } from '@millrace/catalog';
import type { JournalEntry } from '@millrace/core';
import { questionOf, textMessage, textOf } from '@millrace/core';
import { expect, it } from 'vitest';
import { openBeforeEach } from '../../support/fixtures.ts';
import { bossOf, choosing } from '../../support/runs/bosses.ts';
import { openFleet } from '../../support/runs/fleet.ts';
import { workflowIn } from '../../support/runs/stage.ts';

const vocabulary = createVocabulary();

const fleet = openBeforeEach(openFleet);

it('waits for a person without a live worker, and continues in the same round', async () => {
  const text = bossOf({ executor: '{ branches: { ask_user: { builtin: ask_user } } }' });
  const script = choosing(['ask_user', { question: 'Which colour?' }], ['finish', { summary: 'it is blue' }]);
  const workflow = { ...workflowIn(text, vocabulary), ...(script === undefined ? {} : { script }) };
  const { runs } = fleet.runtime;
  const first = await fleet.startWorker();
  const run = await runs.start({ workflow, input: 'the goal' });
  const { event } = await fleet.until(run, (entry: JournalEntry) => entry.event.type === 'activation.suspended');
  if (event.type !== 'activation.suspended') throw new Error('no person was asked');
  await first.kill();
  // No worker is active meanwhile, and no job is needed.
  await fleet.wipeQueue();

  await runs.answer(run, questionOf(event), { message: textMessage('user', 'blue', 'person') });
  await fleet.startWorker();
  await fleet.until(run, (entry: JournalEntry) => entry.event.type === 'run.finished');

  const description = await runs.describe(run);
  expect(description?.output && textOf(description.output)).toBe('it is blue');
  expect(description?.output?.content).toMatchObject([{ data: { rounds: 2, status: 'finished' } }]);
  const logs = await runs.memories.memory(`run:${run}:memory:path:memory_file:memory/logs.txt`, '0', 10);
  expect(logs.items.map((item) => item.text)).toEqual(['ask_user: blue']);
  expect(await fleet.inspect([run])).toEqual({ violations: [], leftovers: [] });
});
