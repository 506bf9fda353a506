import { expect, it } from 'vitest';
import { cpuMs } from '../../../../test/support/cpu-ms.ts';
import { describeInvalidJson } from './invalid-json.ts';

it.each([
  ['{"workflow": "poem", "input": "Ra', 'it ends too early, at line 1, column 34'],
  ['{\n  "input": "Rain.",\n', 'it ends too early, at line 3, column 1'],
  ['[1, 2', 'it ends too early, at line 1, column 6'],
  ["{'input': 1}", 'at line 1, column 2 (position 1)'],
  ['{"a": 1,\n "b": x}', 'at line 2, column 7 (position 15)'],
  ['{"a": 1,}', 'at line 1, column 9 (position 8)'],
])('names the place of the error in %s', (text, place) => {
  expect(describeInvalidJson(text)).toContain(place);
});

it('tells keys that are refused from errors', () => {
  expect(describeInvalidJson('{"__proto__": {}}')).toContain('"__proto__"');
});

it('costs little for any text', async () => {
  for (const piece of ['[', '"', '{"a":', '1,'])
    expect(await cpuMs(() => describeInvalidJson(piece.repeat(50_000))), piece).toBeLessThan(1000);
});
