import { expect, it, vi } from 'vitest';
import { openBeforeAll } from '../../support/fixtures.ts';
import { audit } from '../../support/runs/audit.ts';
import { openStage, workflowIn } from '../../support/runs/stage.ts';
import { entriesOf } from '../../support/runs/watching.ts';

const units = 5000;
const stage = openBeforeAll(() => openStage({ where: { local: true, limits: { unitsPerCommit: 1 } } }));

const text = `graph:
  id: stopped
  start: [A]
  end: [End]
  scopes: [{id: parts, nodes: [B], termination: {type: external}}]
  nodes:
    - {id: A, type: passthrough, config: {}}
    - {id: B, type: passthrough, config: {}}
    - {id: End, type: passthrough, config: {}}
  edges:
    - {from: A, to: B, dynamic: {type: map, config: {split_type: lines}}}
    - {from: B, to: End}
`;

it('stops to store the units of a fan-out when its scope is stopped', async () => {
  const { runs, store } = stage.runtime;
  const input = Array.from({ length: units }, (_, at) => `line ${at}`).join('\n');
  // The scope is stopped right after its first unit was stored.
  const commit = store.commit.bind(store);
  let stopping: Promise<unknown> | undefined;
  vi.spyOn(store, 'commit').mockImplementation(async (given) => {
    const result = await commit(given);
    if (given.decision.events.some(({ type }) => type === 'units.stored'))
      stopping ??= runs.signal(given.run, { name: 'external' });
    return result;
  });
  const run = await runs.start({ workflow: workflowIn(text, stage.vocabulary), input });
  let stored = 0;
  let dropped = 0;
  for await (const { event } of entriesOf(runs, run)) {
    if (event.type === 'units.stored') stored += event.units.length;
    if (event.type === 'activation.dropped') dropped += 1;
  }

  await stopping;
  expect((await runs.describe(run))?.status).toBe('completed');
  expect(stored).toBeGreaterThan(0);
  expect(stored).toBeLessThan(10);
  expect(dropped).toBe(1);
  expect(await audit(store, run, stage.vocabulary)).toEqual([]);
});
