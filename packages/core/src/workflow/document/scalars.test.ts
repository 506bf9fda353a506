import { describe, expect, it } from 'vitest';
import type { Issue } from '../../model/errors.ts';
import { readDocument } from './document.ts';
import { isMapping } from './mapping.ts';
import { Timestamp } from './scalars.ts';

const read = (scalar: string): unknown => {
  const document = readDocument({ file: 'flow.yaml', text: `value: ${scalar}\n` }, []);
  return isMapping(document?.value) ? document.value.value : undefined;
};

describe('plain scalars', () => {
  it.each([
    ['yes', true],
    ['Yes', true],
    ['NO', false],
    ['on', true],
    ['Off', false],
    ['TRUE', true],
    ['tRue', 'tRue'],
    ['y', 'y'],
    ['Y', 'Y'],
    ['n', 'n'],
    ['010', 8],
    ['00', 0],
    ['0o10', '0o10'],
    ['08', '08'],
    ['0x1F', 31],
    ['0b11', 3],
    ['1_000', 1000],
    ['_1', '_1'],
    ['+12', 12],
    ['1:30', 90],
    ['12:30:45', 45_045],
    ['-1:30', -90],
    ['1:60', '1:60'],
    ['1:30.5', 90.5],
    ['1e3', '1e3'],
    ['1.5e3', '1.5e3'],
    ['1.0e+3', 1000],
    ['1.', 1],
    ['.5', 0.5],
    ['-.5', '-.5'],
    ['685_230.15', 685_230.15],
    ['.inf', Number.POSITIVE_INFINITY],
    ['-.INF', Number.NEGATIVE_INFINITY],
    ['.NaN', Number.NaN],
    ['0.4', 0.4],
    ['0.4.0', '0.4.0'],
    ['~', null],
    ['Null', null],
    ['nUll', 'nUll'],
    ['', null],
    ['=x', '=x'],
  ])('reads %s as PyYAML does', (scalar, value) => {
    expect(read(scalar)).toEqual(value);
  });

  it('reads dates and times as values other than texts, and prints them as Python does', () => {
    expect(read('2020-01-01')).toEqual(new Timestamp('2020-01-01'));
    expect(read('2001-12-14t21:59:43.10 -5')).toEqual(new Timestamp('2001-12-14 21:59:43.100000-05:00'));
    expect(read('2001-12-14 21:59:43Z')).toEqual(new Timestamp('2001-12-14 21:59:43+00:00'));
    expect(JSON.stringify(read('2020-01-01'))).toBe('"2020-01-01"');
  });

  it('refuses an impossible date and a bare =', () => {
    for (const scalar of ['2021-02-29', '=']) {
      const issues: Issue[] = [];
      expect(readDocument({ file: 'flow.yaml', text: `value: ${scalar}` }, issues)).toBeUndefined();
      expect(issues).toMatchObject([{ code: 'E_YAML_SYNTAX', line: 1, column: 8 }]);
    }
  });
});
