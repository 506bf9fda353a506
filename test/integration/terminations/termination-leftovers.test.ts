import { createVocabulary } from '@millrace/catalog';
import { startWorker } from '@millrace/worker';
import { pino } from 'pino';
import { expect, it } from 'vitest';
import { openBeforeAll } from '../../support/fixtures.ts';
import { openFleet } from '../../support/runs/fleet.ts';
import { driveRun } from '../../support/runs/scenario.ts';

const vocabulary = createVocabulary();

const fleet = openBeforeAll(openFleet);

it('leaves nothing of a scope that stops with queued activations and open questions', async () => {
  const { runtime } = fleet;
  // One at a time, in order: a person is asked, the next one stops the scope, and the other three are still in the queue.
  const worker = startWorker({ runtime, vocabulary, concurrency: 1, name: 'alone', log: pino({ level: 'silent' }) });
  const inside = ['H', 'F', 'X', 'Y', 'Z'];
  const scenario = {
    name: 'scope',
    input: 'task',
    answers: [],
    yaml: () => `graph:
  id: scope
  start: [${inside.join(', ')}]
  end: O
  scopes:
    - id: talk
      nodes: [${inside.join(', ')}]
      termination: { type: source_match, config: { sources: [F] }, exit_to: [O] }
  nodes:
    - { id: H, type: human, config: {} }
${['F', 'X', 'Y', 'Z'].map((id) => `    - { id: ${id}, type: literal, config: { content: ${id} says so } }`).join('\n')}
    - { id: O, type: passthrough, config: {} }
`,
  };
  const run = await fleet.start(scenario, 0);
  const description = await driveRun({ ...runtime.runs, answer: async () => undefined }, run, scenario);
  const journal = await fleet.journal(run);

  expect(description).toMatchObject({ status: 'completed', tasks: [], outputs: { F: 'F says so', O: 'F says so' } });
  expect(Object.keys(description.outputs).sort()).toEqual(['F', 'O']);
  expect(journal.filter(({ event }) => event.type === 'activation.dropped')).toHaveLength(4);
  expect(await fleet.inspect([run])).toEqual({ violations: [], leftovers: [] });
  await worker.close();
});
