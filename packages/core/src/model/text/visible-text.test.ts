import fc from 'fast-check';
import { expect, it } from 'vitest';
import { exactJson, exactText, visibleName, visibleText } from './visible-text.ts';

it('escapes control characters, and keeps all other characters', () => {
  expect(visibleText('a\u001b[2J\u009b1m\u007f\u202eb\r\nc\td\re ü 表 👩‍🚀')).toBe(
    'a\\u001b[2J\\u009b1m\\u007f\\u202eb\nc\td\\u000de ü 表 👩‍🚀',
  );
  expect(visibleName('a\nb\tc')).toBe('a\\nb\\tc');
});

it('keeps the meaning of JSON', () => {
  const value = { text: Array.from({ length: 0x3000 }, (_, code) => String.fromCharCode(code)).join('') };
  const shown = visibleText(JSON.stringify(value, null, 2));

  expect(JSON.parse(shown)).toEqual(value);
  expect(visibleText(shown)).toBe(shown);
});

it('shows all that people do not see, or do not tell from a space, in names', () => {
  expect(exactText('pay\u200b \u00a0\u2003ann\u202e\u2800\u3164\n\t\ue000\u{e0041} ü 表')).toBe(
    'pay\\u200b \\u00a0\\u2003ann\\u202e\\u2800\\u3164\\u000a\\u0009\\ue000\\udb40\\udc41 ü 表',
  );
});

it('shows JSON with one value on a line, in which nothing is hidden', () => {
  const hidden = { to: 'ann\u202e\u200b\u200dbob\u0085\u00a0\u{e0041} ü', 'a\u200b': [1], lone: '\ud800' };
  const visible = exactJson(JSON.stringify(hidden));

  expect(visible).toBe(
    '{\n  "to": "ann\\u202e\\u200b\\u200dbob\\u0085\\u00a0\\udb40\\udc41 ü",\n  "a\\u200b": [\n    1\n  ],\n  "lone": "\\ud800"\n}',
  );
  expect(JSON.parse(visible)).toEqual(hidden);
  expect(exactJson('{"amount":\u200b 40\n')).toBe('{"amount":\\u200b 40\n');
});

it('shows the very JSON, whatever characters are in it, and only those that people see', () => {
  const text = fc.string({
    unit: fc.oneof(fc.integer({ min: 0, max: 0x10ffff }).map(codePoint), fc.constant('\u202e')),
  });
  const value = fc.letrec((tie) => ({
    any: fc.oneof({ depthSize: 'small' }, text, fc.integer(), tie('list'), tie('fields')),
    list: fc.array(tie('any'), { maxLength: 4 }),
    fields: fc.dictionary(text, tie('any'), { maxKeys: 4 }),
  })).fields;

  fc.assert(
    fc.property(value, (given) => {
      const shown = exactJson(JSON.stringify(given));

      expect(JSON.parse(shown)).toEqual(JSON.parse(JSON.stringify(given)));
      expect(shown).not.toMatch(/(?!\n)[\p{C}\p{Z}\p{Default_Ignorable_Code_Point}](?<! )/u);
    }),
  );
});

const codePoint = (code: number): string => String.fromCodePoint(code);
