import { expect, it } from 'vitest';
import { findingText } from './finding-text.ts';

it('indents what follows the first line: more of the message, commands in it, and the cure', () => {
  const text = findingText(
    {
      level: 'bad',
      subject: 'Redis',
      message: 'No Redis is available. One of these helps:\n  apt install redis',
      cure: 'Install a server, and call the same command again.',
    },
    50,
  );

  expect(text.split('\n')).toEqual([
    '✖ Redis        No Redis is available. One of these',
    '               helps:',
    '                 apt install redis',
    '               → Install a server, and call the',
    '                 same command again.',
  ]);
});
