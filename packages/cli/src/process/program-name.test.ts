import { expect, it } from 'vitest';
import { programName } from './program-name.ts';

it('is what a person can type again where npm has started the program', () => {
  expect(programName({})).toBe('millrace');
  expect(programName({ npm_command: 'exec' })).toBe('npx millrace');
});
