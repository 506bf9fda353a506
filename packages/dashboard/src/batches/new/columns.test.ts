import type { TablePreview } from '@millrace/client';
import { describe, expect, it } from 'vitest';
import { findColumns, guessLabel, obstacleIn, variableName, withKind } from './columns.ts';

const found = (columns: TablePreview['columns'], cells: readonly string[][]) =>
  findColumns({
    columns,
    total: cells.length,
    wrong: 0,
    problems: [],
    rows: cells.map((row, at) => ({ row: at + 1, cells: row })),
  });

describe('the columns of a table', () => {
  it('mean at first what the table says', () => {
    const columns = [
      { name: 'input', to: 'input' },
      { name: 'City', to: null },
    ];

    expect(found(columns, []).columns).toEqual({ input: 'input' });
  });

  it.each([
    [
      'a name and numbers',
      ['No.', 'Letter'],
      [
        ['1', 'Dear'],
        ['2', 'Hello'],
      ],
      { 'No.': 'id', Letter: 'input' },
    ],
    ['texts that are by far the longest', ['Who', 'Said'], [['Ann', 'Please send me the new map.']], { Said: 'input' }],
    ['nothing: both columns are short', ['Customer', 'City'], [['Ann', 'Rome']], {}],
    ['nothing: both columns are long', ['A', 'B'], [['x'.repeat(40), 'y'.repeat(30)]], {}],
    [
      'no id: two rows have the same',
      ['id', 'text'],
      [
        ['1', 'a'],
        ['1', 'b'],
      ],
      { text: 'input' },
    ],
  ])('are guessed by %s', (_by, names, cells, expected) => {
    const guess = found(
      names.map((name) => ({ name, to: null })),
      cells,
    );

    expect(guess.columns).toEqual(expected);
    expect(guess.guessed.toSorted()).toEqual(Object.keys(expected).toSorted());
  });

  it('say in words what was guessed', () => {
    const columns = { 'No.': 'id', Letter: 'input' };

    expect(guessLabel({ columns, guessed: ['Letter', 'No.'] })).toBe('Letter is the input, No. is the id of the row');
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
