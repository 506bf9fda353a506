import { readdirSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { visibleJson, visibleName, visibleText } from './visible-text.ts';

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

const folder = new URL('../../', import.meta.url);
const sources = readdirSync(folder, { recursive: true, encoding: 'utf8' });

it('is used by all commands: only the terminal and the log write to stdout and stderr', () => {
  const writers = sources.filter((path) => {
    if (!path.endsWith('.ts') || path.endsWith('.test.ts')) return false;
    const text = readFileSync(new URL(path, folder), 'utf8');
    return /\bstd(out|err)\.write|output: (process\.)?std|\bconsole\.|pino\.destination|\bfd: [12]\b/.test(text);
  });

  expect(writers.sort()).toEqual(['output/log.ts', 'output/terminal/terminal.ts']);
});

it('escapes all that people do not see in JSON', () => {
  const hidden = { to: 'ann\u202e\u200b\u200dbob\u{e0041} ü' };
  const visible = visibleJson(JSON.stringify(hidden, undefined, 2));
  expect(visible).toBe('{\n  "to": "ann\\u202e\\u200b\\u200dbob\\udb40\\udc41 ü"\n}');
  expect(JSON.parse(visible)).toEqual(hidden);
});
