import { execFileSync } from 'node:child_process';
import type { Command } from 'commander';
import { beforeAll, describe, expect, it } from 'vitest';
import { silentTerminal } from '../../../test/support/processes/silent-terminal.ts';
import { completionScript } from './commands/machine/completion.ts';
import { createCli } from './process/cli.ts';
import { createProgram } from './program.ts';

let program: Command;
beforeAll(async () => {
  program = createProgram(createCli(silentTerminal), []);
});

const all = (command: Command): readonly Command[] => command.commands.flatMap((one) => [one, ...all(one)]);
const pathOf = (command: Command): string =>
  command.parent === null ? command.name() : `${pathOf(command.parent)} ${command.name()}`;

/** Returns the whole help of a command, with the texts after the options. */
function helpOf(command: Command): string {
  let text = '';
  command.configureOutput({ writeOut: (part) => (text += part) });
  command.outputHelp();
  return text;
}

it('has every command in a group', () => {
  const help = helpOf(program);
  const groups = [...help.matchAll(/^(\w+):$/gm)].map(([, name]) => name);

  expect(groups).toEqual(['Options', 'Start', 'Runs', 'Questions', 'Publish', 'Operate']);
});

describe('the help of every command', () => {
  it('has an example that begins with the command', () => {
    const without = all(program).filter((command) => {
      const [, example = ''] = /\nExample:\s*(.*)/s.exec(helpOf(command)) ?? [];
      return !example.includes(pathOf(command));
    });
    expect(without.map(pathOf)).toEqual([]);
  });

  it('describes each command, argument and option', () => {
    const bare = all(program).filter(
      (command) =>
        command.description() === '' ||
        command.options.some(({ description }) => description === '') ||
        command.registeredArguments.some(({ description }) => description === ''),
    );
    expect(bare.map(pathOf)).toEqual([]);
  });
});

describe('completion', () => {
  const completed = (line: string): readonly string[] => {
    const words = line.split(' ');
    const script = `${completionScript('bash', program)}
COMP_WORDS=(${words.map((word) => `'${word}'`).join(' ')}); COMP_CWORD=${words.length - 1}; _millrace; printf '%s\\n' "\${COMPREPLY[@]}"`;
    return execFileSync('bash', ['-c', script], { encoding: 'utf8' }).trim().split('\n');
  };

  it('completes commands, their commands and their options in bash', () => {
    expect(completed('millrace re')).toEqual(['record', 'resume', 'retry', 'replay', 'release', 'redis-url']);
    expect(completed('millrace batch ')).toEqual(expect.arrayContaining(['start', 'list', 'rows']));
    expect(completed('millrace batch start poem.yaml --par')).toEqual(['--parallel']);
    expect(completed('millrace --verbose runs --st')).toEqual(['--status']);
  });

  it.each(['zsh', 'fish'] as const)('names every command and option for %s', (shell) => {
    const script = completionScript(shell, program);
    for (const command of all(program)) {
      expect(script).toContain(command.name());
      for (const { long } of command.options) expect(script).toContain(long?.slice(2));
    }
  });
});
