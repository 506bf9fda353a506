import { Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { CommandError } from '../exit/exit.ts';
import { fieldsIn, parseAssignments, readTextArgument } from './text-argument.ts';

describe('assignments on the command line', () => {
  it('are text unless they are JSON', () => {
    expect(parseAssignments(['A=some text', 'B=3', 'C=true', 'D=["x"]', 'E="3"', 'F=', 'G=a=b', 'H=007'])).toEqual({
      A: 'some text',
      B: 3,
      C: true,
      D: ['x'],
      E: '3',
      F: '',
      G: 'a=b',
      H: '007',
    });
  });

  it('are refused without a name or a value', () => {
    expect(() => parseAssignments(['novalue'])).toThrow(CommandError);
    expect(() => parseAssignments(['=x'])).toThrow(CommandError);
  });
});

describe('a text argument', () => {
  it('is the text itself', async () => {
    expect(await readTextArgument('Write a haiku')).toBe('Write a haiku');
  });

  it('is read from standard input without the last line break', async () => {
    expect(await readTextArgument('-', Readable.from([Buffer.from('A task\n')]))).toBe('A task');
    const noText = readTextArgument('-', Readable.from([Buffer.from([0xff, 0xfe])]));
    await expect(noText).rejects.toThrow('not valid UTF-8');
  });

  it('is refused when it names a missing file', async () => {
    await expect(readTextArgument('@/no/such/file')).rejects.toThrow(/no such file/);
  });
});

it.each(['[1]', 'no', '{"id": 9007199254740993}'])('refuses %s as the fields of an answer', (text) => {
  expect(() => fieldsIn(text, '--arguments')).toThrow(CommandError);
});
