import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { textMessage, textOf } from '@millrace/core';
import type { Runtime } from '@millrace/runtime';
import { createTenantRuntime, localArchive } from '@millrace/runtime';
import { expect, it } from 'vitest';
import { directoryBeforeAll, openBeforeAll } from '../../support/fixtures.ts';
import { openReplayStage } from '../../support/runs/replay-stage.ts';
import { workflowIn } from '../../support/runs/stage.ts';
import { turning } from '../../support/runs/turning.ts';
import { waitUntil } from '../../support/waiting.ts';

const replays = openBeforeAll(openReplayStage);
const directory = directoryBeforeAll();
const tenant = (runtime: Runtime, name = 'default') => createTenantRuntime(runtime, name);

it('is what replays read, without tenants, tokens and paths of webhooks', async () => {
  const { runs, runtime } = { ...replays, ...replays.stage };
  const workflow = workflowIn(`graph: {id: g, nodes: [${replays.agent('A')}]}`, replays.stage.vocabulary);
  const webhook = { url: 'https://example.com/hidden' };
  const run = await runs.start({ workflow, input: 'go', run: 'acme~one', webhook });
  const first = await replays.idle(run);

  const { pieces, name } = await tenant(runtime, 'acme').run('one').archive();
  const file = join(directory, name);
  await writeFile(file, pieces);

  const text = await readFile(file, 'utf8');
  expect(text).toContain('https://example.com');
  expect(text).not.toMatch(/hidden|acme|"token":"[^"]/);
  replays.reset();
  const replay = await replays.idle(await runs.replay({ file: localArchive(file) }));
  expect([replay.output && textOf(replay.output), replays.asked()]).toEqual([first.output && textOf(first.output), 0]);
});

it('is made piece by piece, and ends where the run was when it began', async () => {
  const { runs, runtime, vocabulary } = { ...replays, ...replays.stage };
  const long = await replays.idle(await runs.start({ workflow: turning(400, vocabulary), input: 'go' }));
  const sizes: number[] = [];
  for await (const piece of (await tenant(runtime).run(long.run).archive()).pieces) sizes.push(piece.length);
  expect(sizes.length).toBeGreaterThan(2);
  expect(Math.max(...sizes)).toBeLessThan(1024 * 1024);

  const asking = await replays.start('graph: {id: g, nodes: [{id: H, type: human, config: {}}]}');
  await replays.idle(asking);
  const { pieces } = await tenant(runtime).run(asking).archive();
  const reading = pieces[Symbol.asyncIterator]();
  const read = [await reading.next()];
  await runs.answer(asking, undefined, { message: textMessage('user', 'yes', 'H') });
  await waitUntil(async () => (await runs.describe(asking))?.status === 'completed');
  while (read.at(-1)?.done !== true) read.push(await reading.next());
  const text = read.map(({ value }) => Buffer.from((value as Uint8Array | undefined) ?? []).toString()).join('');
  expect(text).toContain('activation.suspended');
  expect(text).not.toMatch(/activation.answered|run.finished/);
});
