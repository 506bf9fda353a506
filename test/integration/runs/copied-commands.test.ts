import { execFileSync } from 'node:child_process';
import { expect, it } from 'vitest';
import { shellTextOf } from '../../../packages/dashboard/src/kit/commands/command-line.ts';
import { curlOf } from '../../../packages/dashboard/src/kit/commands/copy-of.ts';

const hostile = ["it's", '$(touch /tmp/x)', '`id`', 'a\nb', '"; rm -rf ~', '\\', '', '-n', '!!'];
const request = { method: 'POST', path: '/v1/runs' } as const;

/** Returns the arguments that a shell gives to a program. */
const argumentsOf = (command: string, program: string): readonly string[] => {
  const script = `${program}() { for word; do printf '%s\\0' "$word"; done; }\n${command}`;
  return execFileSync('/bin/sh', ['-c', script], { encoding: 'utf8' }).split('\0').slice(0, -1);
};

it.each(hostile)('an action that is copied as a command reaches it through a shell as it is: %j', (word) => {
  expect(argumentsOf(shellTextOf({ commands: [['answer', word]] }), 'millrace')).toEqual(['answer', word]);
});

it.each(hostile)('an action that is copied as a request reaches curl through a shell as it is: %j', (word) => {
  const copied = curlOf({ ...request, body: { input: word } }, { origin: 'http://a' });

  expect(argumentsOf(copied, 'curl')).toEqual(['http://a/v1/runs', '--json', JSON.stringify({ input: word })]);
});
