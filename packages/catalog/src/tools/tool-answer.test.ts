import { describe, expect, it } from 'vitest';
import { answerOf, indentedJson, indentedLength } from './tool-answer.ts';

const ours = { compat: false };
const original = { compat: true };

describe('the result of a tool for the model', () => {
  it.each([
    ['text', 'text'],
    [{ a: 'é', b: [1, null] }, '{\n  "a": "é",\n  "b": [\n    1,\n    null\n  ]\n}'],
  ])('converts %j to %j', (result, content) => {
    expect(answerOf(result, ours)).toEqual({ content });
    expect(answerOf(result, original)).toEqual({ content });
  });

  it.each([
    [['x', 1, null], '["x",1,null]', '["x", 1, null]'],
    [null, 'null', 'None'],
    [undefined, 'null', 'None'],
    [true, 'true', 'True'],
    [5, '5', '5'],
    [[{ a: "it's" }], '[{"a":"it\'s"}]', '[{"a": "it\'s"}]'],
    [['a\n"b"'], '["a\\n\\"b\\""]', '["a\\n\\"b\\""]'],
  ])('writes %j as JSON, and as the original engine in compatibility mode', (result, json, python) => {
    expect(answerOf(result, ours)).toEqual({ content: json });
    expect(answerOf(result, original)).toEqual({ content: python });
  });

  it('keeps blocks of content', () => {
    const blocks = [
      { type: 'text', text: 'a' },
      { type: 'image', attachment: { id: 'i', name: 'p.png', mimeType: 'image/png' } },
    ];

    expect(answerOf(blocks, ours)).toEqual({ content: blocks });
  });

  it('takes no size and no digest of an attachment for true', () => {
    const attachment = { id: 'i', name: 'p.png', mimeType: 'image/png', uri: 'https://example.com/p.png' };
    const declared = { ...attachment, size: -1e12, digest: 'f'.repeat(64) };

    expect(answerOf([{ type: 'image', attachment: declared }], ours)).toEqual({
      content: [{ type: 'image', attachment }],
    });
  });

  it('is limited in size', () => {
    expect(() => answerOf('x'.repeat(1_000_001), ours)).toThrow('the result has 1000001 characters');
    expect(() => answerOf(Array(1001).fill({ type: 'text', text: '' }), ours)).toThrow('the result has 1001 parts');
  });

  it.each([
    { a: [1, { b: '[{,' }], c: 'say "[,]" \\' },
    { a: [], b: {}, c: [[]], d: '\\' },
  ])('is not measured too short with its indentation: %j', (value) => {
    const text = indentedJson(value);

    expect(text).toBe(JSON.stringify(value, null, 2));
    expect(indentedLength(JSON.stringify(value))).toBeGreaterThanOrEqual(text.length);
  });

  it('is refused before its indentation makes a text of gigabytes of it', () => {
    let deep: unknown = 1;
    for (let depth = 0; depth < 1000; depth++) deep = [deep];
    const large = { list: Array(400).fill(deep) };

    expect(() => answerOf(large, ours)).toThrow(/the result has \d{9} characters/);
  });
});
