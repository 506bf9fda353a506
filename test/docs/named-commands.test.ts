import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createCli, createProgram } from 'millrace';
import { beforeAll, describe, expect, it } from 'vitest';
import { silentTerminal } from '../support/processes/silent-terminal.ts';

/*
 * Each command that an error page, an empty screen of the dashboard, a hint or a help names is a command that the program accepts. Words
 * such as FILE stand for arguments, and a text may name a command without its arguments.
 */

const root = fileURLToPath(new URL('../../', import.meta.url));

type Command = ReturnType<typeof createProgram>;

let program: Command;
beforeAll(async () => {
  program = createProgram(createCli(silentTerminal), []);
});

interface Named {
  readonly file: string;
  readonly text: string;
}

/** Returns the matches of the first group of a pattern in the files of folders. */
function named(folders: readonly string[], pattern: RegExp): readonly Named[] {
  const files = folders.flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).map((file) => join(folder, file)),
  );
  return files
    .filter((file) => /\.(?:md|tsx?)$/.test(file) && !/\.test\.tsx?$/.test(file))
    .flatMap((file) =>
      [...readFileSync(join(root, file), 'utf8').matchAll(pattern)].map(([, text = '']) => ({ file, text })),
    );
}

/** Returns the words of the command in a line, without variables before it and what follows it. */
function wordsOf(text: string): readonly string[] {
  const line = text
    .replace(/\$\{[^}]*\}/g, 'X')
    .replace(/^.*?\bmillrace /, '')
    .replace(/\. [A-Z].*$/, '');
  const words = line.match(/"[^"]*"|'[^']*'|[^\s"']+/g) ?? [];
  const end = words.findIndex((word) => /^(?:\||>|&&|&|#|;|2>)/.test(word));
  return (end === -1 ? words : words.slice(0, end)).map((word) => word.replace(/^["']|["',]$/g, ''));
}

/** Returns why the program refuses a command; undefined if it does not. */
function refusalOf(text: string): string | undefined {
  let [command, words] = [program, wordsOf(text)];
  for (;;) {
    const found = command.commands.find((one) => one.name() === words[0]);
    if (found === undefined) break;
    [command, words] = [found, words.slice(1)];
  }
  const takesNone = command.commands.length > 0 && command.registeredArguments.length === 0;
  if (takesNone && words[0]?.startsWith('-') === false) return `there is no command ${words[0]}`;
  const options = new Set([
    '--help',
    '--verbose',
    '-v',
    '--version',
    ...command.options.flatMap(({ long = '', short = '' }) => [long, short]),
  ]);
  const unknown = words.find((word) => word.startsWith('-') && word !== '-' && !options.has(word.split('=')[0] ?? ''));
  if (unknown !== undefined) return `there is no option ${unknown}`;
  const taking = new Set(
    command.options.filter(({ required }) => required).flatMap(({ long, short }) => [long, short]),
  );
  const operands = words.filter((word, at) => !word.startsWith('-') && !taking.has(words[at - 1]));
  const { length } = command.registeredArguments;
  const takesMore = command.registeredArguments.at(-1)?.variadic === true;
  return operands.length > length && !takesMore ? `too many arguments: ${operands.join(' ')}` : undefined;
}

it('finds refused commands', () => {
  expect(refusalOf('millrace workflows publish NAME FILE')).toBe('there is no command publish');
  expect(refusalOf('millrace watch RUN OTHER')).toBe('too many arguments: RUN OTHER');
  expect(refusalOf('millrace up --prot 1')).toBe('there is no option --prot');
  expect(refusalOf('KEY=… npx millrace run FILE --input "a b" | head')).toBeUndefined();
});

const sources = readdirSync(join(root, 'packages'))
  .filter((name) => name !== 'dashboard')
  .map((name) => `packages/${name}/src`);

/** Returns the commands of the help of a command, and of its own commands. */
function inHelp(command: Command): readonly Named[] {
  let help = '';
  command.configureOutput({ writeOut: (part) => (help += part) }).outputHelp();
  const lines = [...help.matchAll(/^ {2}((?:[A-Z_]+=\S+ )?millrace .+)$/gm)].map(([, text = '']) => ({
    file: command.name(),
    text,
  }));
  return [...lines, ...command.commands.flatMap(inHelp)];
}

/** Returns why commands are refused, each with its place. */
const refusalsOf = (commands: readonly Named[]): readonly string[] =>
  commands.flatMap(({ file, text }) => {
    const refusal = refusalOf(text);
    return refusal === undefined ? [] : [`${file}: ${text}: ${refusal}`];
  });

it('names commands in help that the program accepts', () => {
  const commands = inHelp(program);

  expect(commands.length).toBeGreaterThan(60);
  expect(refusalsOf(commands)).toEqual([]);
});

describe.each([
  ['error pages', named(['docs/errors'], /(?:^|`)((?:\$ )?(?:[A-Z_]+=\S+ )*(?:npx )?millrace [a-z][^`\n]*)/gm)],
  ['the dashboard', named(['packages/dashboard/src'], /<(?:code|ServerCommand)>(millrace [^<]+)</g)],
  ['hints', named(sources, /(?:\\?`|: )((?:[A-Z_]+=\S+ )*millrace [a-z][\w-]*(?: [^`'\\\n]*)?)/g)],
])('%s', (_where, commands) => {
  it('name commands that the program accepts', () => {
    expect(commands.length).toBeGreaterThan(8);
    expect(refusalsOf(commands)).toEqual([]);
  });
});
