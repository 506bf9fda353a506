import { createVocabulary } from '@millrace/catalog';
import { connect, openRuntime } from '@millrace/runtime';
import { expect, it, onTestFinished } from 'vitest';
import { openBeforeAll } from '../../support/fixtures.ts';
import { newInstallation } from '../../support/redis/installation.ts';
import { audit } from '../../support/runs/audit.ts';
import { writeLongRun } from '../../support/runs/long-run.ts';
import { openStage } from '../../support/runs/stage.ts';

const vocabulary = createVocabulary();
const installation = openBeforeAll(newInstallation);
const connection = openBeforeAll(() => connect(installation.url, 'test'));
const runtime = openBeforeAll(() =>
  openRuntime({ local: true, limits: { commitCharacters: 20_000 } }, vocabulary, () => undefined),
);

it('forks a run whose history does not fit in one commit', async () => {
  const run = await writeLongRun({ runtime, connection, prefix: installation.prefix, vocabulary }, 150);

  for (const at of ['a140', 'a10'] as const) {
    const fork = await runtime.runs.fork(run, { at });
    expect(await audit(runtime.store, fork, vocabulary)).toEqual([]);
    expect(await runtime.runs.describe(fork)).toMatchObject({ status: 'running' });
  }
});

/** Runs a workflow within a commit of few characters. */
async function runSmall(yaml: string, input: string) {
  const stage = await openStage({ where: { local: true, limits: { commitCharacters: 30_000, unitsPerCommit: 20 } } });
  onTestFinished(stage.close);
  return { ...(await stage.run(yaml, input)), runs: stage.runtime.runs };
}

it('says where else to fork a run inside a fan-out whose state does not fit in one commit', async () => {
  const { description, journal, runs } = await runSmall(
    fanOut,
    JSON.stringify(Array.from({ length: 700 }, (_, at) => at)),
  );
  expect(description.status).toBe('completed');
  const unit = journal.find(({ event }) => event.type === 'activation.ready' && event.unit === 350)?.event;
  if (unit?.type !== 'activation.ready') throw new Error('the run has no such unit');
  const before = await runs.list({ limit: 10 });

  await expect(runs.fork(description.run, { at: unit.activation })).rejects.toMatchObject({
    code: 'COMMIT_TOO_LARGE',
    message: expect.stringMatching(
      new RegExp(`forked at activation ${unit.activation}: .*before or after the fan-out.*MILLRACE_MAX_COMMIT_MB`, 's'),
    ),
  });

  expect((await runs.list({ limit: 10 })).runs).toEqual(before.runs);
  expect(await runs.fork(description.run, { at: 'a1' })).toMatch(/^run_/);
});

const fanOut = `graph:
  id: rows
  start: [Rows]
  end: [Row]
  nodes:
    - {id: Rows, type: passthrough, config: {}}
    - {id: Row, type: literal, config: {content: done}}
  edges:
    - {from: Rows, to: Row, dynamic: {type: map, config: {split_type: json_path, json_path: '$[*]', max_parallel: 5}}}
`;
