import { expect, it } from 'vitest';
import { asCalled, programName } from './program-name.ts';

it('is what a person can type again where npm has started the program', () => {
  expect(programName({})).toBe('millrace');
  expect(programName({ npm_command: 'exec' })).toBe('npx millrace');
});

it('is what commands in texts are called by', () => {
  const text = 'Use `millrace up`, or: millrace run FILE\n  KEY=… millrace up\nmillrace is a program; “millrace up”';

  expect(asCalled(text, 'millrace')).toBe(text);
  expect(asCalled(text, 'npx millrace')).toBe(
    'Use `npx millrace up`, or: npx millrace run FILE\n  KEY=… npx millrace up\nmillrace is a program; “millrace up”',
  );
});
