import { createVocabulary } from '@millrace/catalog';
import { connect, openRuntime } from '@millrace/runtime';
import { expect, it } from 'vitest';
import { openBeforeAll } from '../../support/fixtures.ts';
import { newInstallation } from '../../support/redis/installation.ts';
import { audit } from '../../support/runs/audit.ts';
import { writeLongRun } from '../../support/runs/long-run.ts';

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
