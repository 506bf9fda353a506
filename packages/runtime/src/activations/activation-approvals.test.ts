import type { Event } from '@millrace/core';
import { expect, it } from 'vitest';
import type { Approvals } from './activation-approvals.ts';
import { withApproval } from './activation-approvals.ts';

const asked = (place: number, hash: string): Event => ({
  type: 'tool.asked',
  activation: 'a1',
  ...{ place, hash, tool: 'refund', arguments: '{"amount":80}', parameters: '{}', rule: 'refund' },
});
const decided = (place: number, hash: string, more: object = {}): Event => ({
  type: 'tool.decided',
  activation: 'a1',
  ...{ place, hash, decision: 'approve', ...more },
});
const made = (approval: string): Event => ({
  ...{ type: 'step.started', activation: 'a1', step: 4, name: 'tool refund', request: 'r', approval },
});

/** What is known of the calls after these events, of which each happens one millisecond after the one before. */
const after = (...events: readonly Event[]): readonly object[] => {
  let approvals: Approvals = new Map();
  for (const [at, event] of events.entries()) approvals = withApproval(approvals, { id: `${at}-1`, at, event });
  return [...approvals.values()];
};

it('tells who has decided on a call, what was sent instead, and which step has made it', () => {
  const edited = decided(1, 'h2', { arguments: '{"amount":40}', reason: 'Half.', by: 'Ann' });

  expect(after(asked(1, 'h1'), asked(2, 'h3'), edited, made('h2'))).toEqual([
    {
      ...{ place: 1, tool: 'refund', rule: 'refund', askedAt: 0 },
      ...{ arguments: '{"amount":80}', sent: '{"amount":40}', hash: 'h2' },
      ...{ decision: 'approve', decidedAt: 2, by: 'Ann', reason: 'Half.', step: 4 },
    },
    { place: 2, tool: 'refund', rule: 'refund', arguments: '{"amount":80}', hash: 'h3', askedAt: 1 },
  ]);
});

it('forgets the decision on a call that is asked about again', () => {
  expect(after(asked(1, 'h1'), decided(1, 'h1'), asked(1, 'h4'))).toMatchObject([{ hash: 'h4', askedAt: 2 }]);
  expect(after(asked(1, 'h1'), decided(1, 'h1'), asked(1, 'h4'))[0]).not.toHaveProperty('decision');
});

it('is not changed by other steps', () => {
  expect(after(asked(1, 'h1'), decided(1, 'h1'), made('h9'))[0]).not.toHaveProperty('step');
});

it('is withdrawn when its activation is woken without a decision', () => {
  const renewed: Event = { type: 'activation.renewed', activation: 'a1', token: 't' };

  expect(after(asked(1, 'h1'), asked(2, 'h2'), decided(1, 'h1'), renewed)).toMatchObject([{ place: 1 }]);
});

it('is forgotten where its run is forked at its activation', () => {
  const forked: Event = { type: 'run.forked', of: 'run_1', activation: 'a1', until: 1, token: 't' };

  expect(after(asked(1, 'h1'), decided(1, 'h1'), forked)).toEqual([]);
});
