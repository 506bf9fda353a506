import { describe, expect, it } from 'vitest';
import { inlineContent } from './content.ts';

const bytesOf = (uri: string) => Buffer.from(inlineContent(uri)?.base64 ?? '', 'base64');

describe('the content of a data URI', () => {
  it.each([
    ['data:,a%20b', 'a b'],
    ['data:text/plain;charset=utf-8,gr%C3%B6%C3%9Fer ö', 'größer ö'],
    ['data:,100% of it', '100% of it'],
    ['data:text/plain;base64,YWI=', 'ab'],
  ])('is decoded: %s', (uri, text) => {
    expect(bytesOf(uri).toString()).toBe(text);
  });

  it('has bytes that are no text', () => {
    expect([...bytesOf('data:application/octet-stream,%FF%00')]).toEqual([255, 0]);
  });
});
