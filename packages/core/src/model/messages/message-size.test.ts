import { expect, it } from 'vitest';
import type { MessageBody } from './message.ts';
import { messageSize } from './message.ts';

const text = 'a line of text '.repeat(10_000);

it.each<[string, Partial<MessageBody>]>([
  ['a text', { content: text }],
  [
    'blocks',
    {
      content: [
        { type: 'text', text },
        { type: 'data', data: { list: [1, null, true, { text }] } },
      ],
    },
  ],
  ['metadata', { content: '', metadata: { a: [text, text] } }],
  ['many small values', { content: [{ type: 'data', data: { list: Array.from({ length: 5000 }, (_, at) => at) } }] }],
  ['calls of tools', { content: '', toolCalls: [{ id: 'c', name: 't', arguments: text }] }],
])('is about the length of the JSON of %s', (_what, body) => {
  const { length } = JSON.stringify(body);

  const size = messageSize({ role: 'user', content: '', ...body });

  expect(size).toBeGreaterThan(length * 0.95);
  expect(size).toBeLessThan(length * 1.05 + 300);
});
