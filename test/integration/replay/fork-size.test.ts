import { createVocabulary } from '@millrace/catalog';
import { RequestError } from '@millrace/core';
import { connect, openRuntime } from '@millrace/runtime';
import { expect, it } from 'vitest';
import { openBeforeAll } from '../../support/fixtures.ts';
import { newInstallation } from '../../support/redis/installation.ts';
import { writeLongRun } from '../../support/runs/long-run.ts';

const vocabulary = createVocabulary();
const installation = openBeforeAll(newInstallation);
const connection = openBeforeAll(() => connect(installation.url, 'test'));
const runtime = openBeforeAll(() =>
  openRuntime({ local: true, limits: { commitCharacters: 20_000 } }, vocabulary, () => undefined),
);

it('refuses a fork whose history does not fit in one commit, and starts one earlier', async () => {
  const run = await writeLongRun({ runtime, connection, prefix: installation.prefix, vocabulary }, 150);

  const tooLong = await runtime.runs.fork(run, { at: 'a140' }).catch((error: unknown) => error);

  expect(tooLong).toBeInstanceOf(RequestError);
  expect(tooLong).toMatchObject({ code: 'COMMIT_TOO_LARGE' });
  expect(await runtime.runs.fork(run, { at: 'a10' })).toMatch(/^run_/);
});
