import { expect, it } from 'vitest';
import { callDecision } from './call-decision.ts';

const parameters = {
  type: 'object',
  properties: { amount: { type: 'number', maximum: 100 }, order: { type: 'string', pattern: '^[0-9]+$' } },
  required: ['amount'],
};
const question = { id: 'r.a1.1', call: { tool: 'refund', parameters: JSON.stringify(parameters) } };

it.each([
  { decision: 'approve' },
  { decision: 'approve', hash: 'h1' },
  { decision: 'reject', reason: 'Too much.' },
  { decision: 'approve', arguments: { amount: 40, order: '1001' } },
])('takes %j', async (data) => {
  expect(await callDecision(question, { data })).toEqual(data);
});

it.each([
  [{ text: 'yes' }, /answer it with `data`/],
  [{ data: { decision: 'maybe' } }, /must be `approve` or `reject`/],
  [{ data: { decision: 'reject', arguments: { amount: 1 } } }, /a call that is rejected is not made/],
  [{ data: { decision: 'reject', because: 'no' } }, /because/],
  [
    { data: { decision: 'approve', arguments: { amount: 400 } } },
    /"refund": \/amount: expected a number of at most 100/,
  ],
  [{ data: { decision: 'approve', arguments: { order: '1' } } }, /\/amount: is missing/],
  [{ data: { decision: 'approve', arguments: { amount: 4, id: 2 ** 60 } } }, /its number 1152921504606847000 cannot/],
  [{ data: { decision: 'approve', arguments: [4] } }, /arguments: must be an object/],
])('refuses %j, and the question stays open', async (given, message) => {
  await expect(callDecision(question, given)).rejects.toMatchObject({
    code: 'ANSWER_INVALID',
    message: expect.stringMatching(message),
  });
});

it('keeps every field that a person has written', async () => {
  const args = JSON.parse('{"amount":4,"__proto__":{"to":"eve"}}');

  const taken = await callDecision(question, { data: { decision: 'approve', arguments: args } });

  expect(JSON.stringify(taken.arguments)).toBe('{"amount":4,"__proto__":{"to":"eve"}}');
});

it('compares with what is understood of the schema of a server', async () => {
  const strange = { ...parameters, oneOf: [{}], additionalProperties: false };
  const asked = { ...question, call: { tool: 'refund', parameters: JSON.stringify(strange) } };
  const decide = (args: object) => callDecision(asked, { data: { decision: 'approve', arguments: args } });

  expect(await decide({ amount: 40 })).toMatchObject({ arguments: { amount: 40 } });
  await expect(decide({ amount: 'much' })).rejects.toMatchObject({ code: 'ANSWER_INVALID' });
  await expect(decide({ amount: 40, secret: 1 })).rejects.toMatchObject({
    message: expect.stringContaining('the tool has no argument "secret"'),
  });
});
