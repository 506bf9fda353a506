import { describe, expect, it } from 'vitest';
import { beginningOf, beginningOfMessage, beginningOfResult, headOf } from './message-head.ts';

const head = (body: object): string => headOf(body as Parameters<typeof headOf>[0]) ?? '';
const result = (value: unknown) => head({ role: 'tool', content: [{ type: 'data', data: { value } }] });

describe('the beginning of a text', () => {
  it('has at most 200 characters, and marks that it is cut', () => {
    expect(beginningOf('x'.repeat(200))).toBe('x'.repeat(200));
    expect(beginningOf('x'.repeat(201))).toBe(`${'x'.repeat(200)}…`);
  });

  it('splits no character', () => {
    expect(beginningOf('💡'.repeat(200))).toBe('💡'.repeat(200));
    expect(beginningOf(`x${'💡'.repeat(200)}`)).toBe(`x${'💡'.repeat(199)}…`);
  });
});

describe('the beginning of a message', () => {
  it.each([
    'short',
    'x'.repeat(100_000),
    '💡'.repeat(50_000),
    '"\\\n\u0001'.repeat(20_000),
    'ü'.repeat(999) + 'x'.repeat(5000),
    '\ud800'.repeat(3000),
  ])('is read from the first bytes of its JSON', (content) => {
    expect(beginningOfMessage(head({ role: 'assistant', content }))).toBe(beginningOf(content));
    expect(beginningOfMessage(head({ role: 'user', preserveRole: true, name: 'n', content }))).toBe(
      beginningOf(content),
    );
    expect(beginningOfMessage(head({ content: [{ type: 'text', text: content }], role: 'user' }))).toBe(
      beginningOf(content),
    );
  });

  it('is complete when long fields follow the text', () => {
    const metadata = { large: 'y'.repeat(5000) };
    expect(beginningOfMessage(head({ role: 'user', content: 'All.', metadata }))).toBe('All.');
  });

  it('is unknown when the text is not at the beginning', () => {
    const toolCalls = [{ id: '1', name: 'search', arguments: `{"content":"${'y'.repeat(5000)}"}` }];
    expect(beginningOfMessage(head({ role: 'assistant', toolCalls, content: 'Later.' }))).toBeUndefined();
    const data = { large: 'y'.repeat(5000) };
    expect(beginningOfMessage(head({ role: 'user', content: [{ type: 'data', data }] }))).toBeUndefined();
  });
});

describe('the beginning of the result of a step', () => {
  it('is the reply of the model or the result of the tool', () => {
    expect(beginningOfResult(result({ type: 'reply', reply: { text: 'A reply.', usage: {} } }))).toBe('A reply.');
    expect(beginningOfResult(result({ type: 'reply', reply: { text: 'r'.repeat(9000) } }))).toBe(`${'r'.repeat(200)}…`);
    expect(beginningOfResult(result({ text: 'A text.', usage: {} }))).toBe('A text.');
    expect(beginningOfResult(result({ text: 'r'.repeat(9000) }))).toBe(`${'r'.repeat(200)}…`);
    expect(beginningOfResult(result({ content: 't'.repeat(9000) }))).toBe(`${'t'.repeat(200)}…`);
    expect(beginningOfResult(result('A text.'))).toBe('A text.');
  });

  it('is unknown for a result without text', () => {
    expect(beginningOfResult(result({ text: '', toolCalls: [{ arguments: '{}' }] }))).toBeUndefined();
    expect(beginningOfResult(result([1, 2]))).toBeUndefined();
    expect(beginningOfResult(result(null))).toBeUndefined();
  });
});
