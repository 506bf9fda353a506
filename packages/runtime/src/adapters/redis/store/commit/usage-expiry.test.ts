import { expect, it } from 'vitest';
import { UsageExpiry } from './usage-expiry.ts';

const usage = [{ day: '2026-01-02', field: 'w//calls', by: 1 }];

it('has the expiry of a day set once for each tenant', () => {
  const expiry = new UsageExpiry();
  const first = { run: 'run_1', usage };

  const due = expiry.due(first);
  expiry.noteSet(first, due);

  expect([...due]).toEqual(['2026-01-02']);
  expect([...expiry.due({ run: 'run_2', usage })]).toEqual([]);
  expect([...expiry.due({ run: 'acme~run_3', usage })]).toEqual(['2026-01-02']);
});

it('has it set again after the store has lost commits', () => {
  const expiry = new UsageExpiry();
  expiry.noteSet({ run: 'run_1' }, new Set(['2026-01-02']));

  expiry.clear();

  expect([...expiry.due({ run: 'run_1', usage })]).toEqual(['2026-01-02']);
});
