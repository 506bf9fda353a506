import { describe, expect, it } from 'vitest';
import type { Approval, DecisionDraft } from './approval.ts';
import { callQuestion, decisionOf } from './approval.ts';

const approval: Approval = {
  tool: 'refund',
  server: 'https://shop.example/mcp',
  arguments: '{"amount":80,"order":"1001"}',
  parameters: {},
  rule: 'refund when amount above 20',
  hash: 'h1',
};

describe('the decision on a call', () => {
  it.each<[DecisionDraft, object]>([
    [
      { choice: 'approve', edited: '{}', reason: 'left over' },
      { decision: 'approve', hash: 'h1' },
    ],
    [{ choice: 'reject' }, { decision: 'reject', hash: 'h1' }],
    [
      { choice: 'reject', reason: ' Too much. ' },
      { decision: 'reject', reason: 'Too much.', hash: 'h1' },
    ],
    [
      { choice: 'edit', edited: '{"amount": 40, "order": "1001"}', reason: 'Half of it.' },
      { decision: 'approve', arguments: { amount: 40, order: '1001' }, reason: 'Half of it.', hash: 'h1' },
    ],
  ])('is for %j the answer %j, which names the call that was read', (draft, data) => {
    expect(decisionOf(approval, draft)).toMatchObject({ type: 'made', data });
  });

  it.each<[DecisionDraft, RegExp]>([
    [{}, /Choose/],
    [{ choice: 'edit' }, /those of the model/],
    [{ choice: 'edit', edited: '{ "amount": 80, "order": "1001" }' }, /those of the model/],
    [{ choice: 'edit', edited: '{"amount": 40' }, /not a JSON object/],
    [{ choice: 'edit', edited: '[40]' }, /not a JSON object/],
    [{ choice: 'edit', edited: '{"amount": 9007199254740993}' }, /9007199254740993 cannot be sent exactly/],
  ])('cannot be sent for %j', (draft, obstacle) => {
    expect(decisionOf(approval, draft)).toMatchObject({ type: 'open', obstacle: expect.stringMatching(obstacle) });
  });
});

describe('the question about a call', () => {
  it('names the node and the tool; another question is its prompt', () => {
    const asked = { node: 'Clerk', prompt: 'Is it good?' };
    expect(callQuestion({ ...asked, approval })).toBe('May Clerk call refund?');
    expect(callQuestion(asked)).toBe('Is it good?');
    expect(callQuestion({ ...asked, approval: { ...approval, tool: 're\u200bfund' } })).toBe(
      'May Clerk call re\\u200bfund?',
    );
  });
});
