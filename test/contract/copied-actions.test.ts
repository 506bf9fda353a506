import { readdirSync, readFileSync } from 'node:fs';
import { fieldNamesOf, operations } from '@millrace/api';
import { expect, it } from 'vitest';
import type { Cli } from '../../packages/cli/src/process/cli.ts';
import { createProgram } from '../../packages/cli/src/program.ts';
import { actions } from '../../packages/dashboard/src/kit/commands/actions.ts';

type Command = ReturnType<typeof createProgram>;

const sources = new URL('../../packages/dashboard/src/', import.meta.url);
const lines = operations.flatMap((operation) => [operation.cli ?? []].flat().map((line) => ({ operation, line })));

it.each(lines)('derives a command that the command line has from $line', async ({ operation, line }) => {
  const { params, query, headers, body, upload } = operation;
  const inputs = [params, query, headers, body].flatMap(fieldNamesOf).concat(upload === undefined ? [] : 'file');
  const fields = [...line.matchAll(/(?:<|\[--\S+ )(\w+)/g)].map(([, field = '']) => field);
  // A word in place of the fields that are parts of the name of a command.
  const words = line
    .replace(/<action>/, 'cancel')
    .replace(/<\w+\?(\w+)\|\w+>/, '$1')
    .replace(/ \w+:absent/, '')
    .split(/[\s[\]]+/)
    .filter((word) => word !== '');
  const terminal = { data: () => undefined, say: () => undefined };
  const program = createProgram({ terminal } as unknown as Cli, words); // it is not run

  expect(mistakeIn(program, words)).toBeUndefined();
  expect(fields.filter((field) => !inputs.includes(field))).toEqual([]);
});

it('copies each action as a command', () => {
  const copied = new Set<string>(lines.map(({ operation }) => operation.name));

  expect(Object.keys(actions).filter((name) => !copied.has(name))).toEqual([]);
});

it('knows what each action requires of its caller', () => {
  const scopes = Object.fromEntries(operations.map(({ name, scope }) => [name, scope]));

  expect(Object.entries(actions).map(([name, { needs }]) => [name, needs])).toEqual(
    Object.keys(actions).map((name) => [name, scopes[name]]),
  );
});

/** Calls that change nothing visible to others, or that the enclosing screen copies. */
const withoutCopy = ['frame/sign-in.tsx', 'kit/commands/resource-actions.tsx', 'kit/controls/attachments.tsx'];

it('finds the forms in which it is copied beside each action of the sources', () => {
  const files = readdirSync(sources, { recursive: true, encoding: 'utf8' }).filter((file) =>
    /(?<!\.test)\.tsx?$/.test(file),
  );
  const textOf = (file: string) => readFileSync(new URL(file, sources), 'utf8');
  const all = files
    .filter((file) => !file.startsWith('kit/commands/'))
    .map(textOf)
    .join('\n');

  const bare = files.filter(
    (file) => /useMutation\(/.test(textOf(file)) && !/\bcop(yOf|ied[A-Z]\w*)\(/.test(textOf(file)),
  );
  expect(bare.sort()).toEqual(withoutCopy);
  const isCopied = (name: string) =>
    all.includes(`'${name}'`) || all.includes(`copyOf(\`${name.slice(0, name.indexOf('.'))}.\${`);
  expect(Object.keys(actions).filter((name) => !isCopied(name))).toEqual([]);
});

/** Returns what is wrong with a command line; undefined when the program has its command, options and arguments. */
function mistakeIn(program: Command, words: readonly string[]): string | undefined {
  const [command, rest] = commandIn(program, words);
  const operands: string[] = [];
  for (let at = 0; at < rest.length; at++) {
    const word = rest[at] ?? '';
    const option = command.options.find(({ long }) => long === word);
    if (option === undefined) operands.push(word);
    else if (option.required) at++;
  }
  const unknown = operands.find((word) => word.startsWith('--'));
  if (unknown !== undefined) return `${command.name()} has no option ${unknown}`;
  const wanted = command.registeredArguments;
  const fewest = wanted.filter(({ required }) => required).length;
  // A command with other commands is one itself when it has arguments.
  const isOne = command.commands.length === 0 || wanted.length > 0;
  const isComplete = isOne && operands.length >= fewest && operands.length <= wanted.length;
  return isComplete ? undefined : `${command.name()} takes other arguments than ${operands.join(' ')}`;
}

/** Returns the command that the first words name, and the other words. */
function commandIn(command: Command, [word, ...rest]: readonly string[]): readonly [Command, readonly string[]] {
  const next = command.commands.find(
    (one) => word !== undefined && (one.name() === word || one.aliases().includes(word)),
  );
  if (next !== undefined) return commandIn(next, rest);
  return [command, word === undefined ? [] : [word, ...rest]];
}
