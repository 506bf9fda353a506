import { expect, it } from 'vitest';
import type { Pages } from './http/pages.ts';
import { Millrace } from './millrace.ts';

const asked: URL[] = [];
const millrace = new Millrace({
  url: 'http://127.0.0.1:1',
  fetch: async (address) => {
    asked.push(new URL(address));
    return new Response(JSON.stringify({ data: [], nextCursor: null }));
  },
});
const run = millrace.runs.get('run_1');
const limit = 7;

it.each<readonly [string, Pages<unknown>]>([
  ['runs', millrace.runs.list({ limit })],
  ['questions', millrace.tasks.list({ limit })],
  ['questions of a run', run.tasks({ limit })],
  ['journal', run.journal(undefined, { limit })],
  ['events', run.searchEvents({ limit })],
  ['activations', run.activations({ limit })],
  ['workflows', millrace.workflows.list({ limit })],
  ['versions', millrace.workflows.versions('poem', { limit })],
  ['batches', millrace.batches.list({ limit })],
  ['rows', millrace.batches.rows('b', {}, { limit })],
  ['schedules', millrace.schedules.list({ limit })],
  ['ticks', millrace.schedules.ticks('s', { limit })],
  ['deliveries', millrace.webhooks.deliveries('w', {}, { limit })],
  ['keys', millrace.keys.list({ limit })],
  ['refused jobs', millrace.intake.refused({ limit })],
])('pages of %s have the size that was asked for', async (_name, pages) => {
  await pages.page();

  expect(asked.at(-1)?.searchParams.getAll('limit')).toEqual(['7']);
});
