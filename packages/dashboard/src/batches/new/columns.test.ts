import { describe, expect, it } from 'vitest';
import { columnsOf, obstacleIn, variableName, withKind } from './columns.ts';

describe('the columns of a table', () => {
  it('mean at first what the table says', () => {
    const columns = [
      { name: 'input', to: 'input' },
      { name: 'City', to: null },
    ];

    expect(columnsOf({ columns, total: 0, wrong: 0, rows: [], problems: [] })).toEqual({ input: 'input' });
  });

  it('take a meaning from the column that had it', () => {
    expect(withKind({ a: 'input', b: 'id' }, 'b', 'input')).toEqual({ b: 'input' });
    expect(withKind({ a: 'input' }, 'First name', 'variable')).toEqual({
      a: 'input',
      'First name': 'vars.FIRST_NAME',
    });
    expect(withKind({ a: 'input', b: 'id' }, 'b', 'ignored')).toEqual({ a: 'input' });
  });

  it.each([
    ['First name', 'FIRST_NAME'],
    ['2nd', 'V_2ND'],
    ['Größe (cm)', 'GROSSE_CM'],
  ])('%s gives the variable %s', (column, name) => {
    expect(variableName(column)).toBe(name);
  });

  it.each([
    [{}, 'Choose the column that has the input of each row.'],
    [{ a: 'input', b: 'vars.two words' }, '"two words" is no name of a variable: use letters, digits and _.'],
    [{ a: 'input', b: 'vars.X', c: 'vars.X' }, 'Two columns set the same variable.'],
    [{ a: 'input', b: 'vars.X' }, undefined],
  ])('%j: %s', (columns, obstacle) => {
    expect(obstacleIn(columns)).toBe(obstacle);
  });
});
