import { describe, expect, it } from 'vitest';
import { commandLineOf, shellTextOf } from './command-line.ts';

describe('commandLineOf', () => {
  const fill = (line: string, input: object) => commandLineOf([line], input);

  it.each([
    ['show <id>', { id: 'run_1' }, 'show run_1'],
    ['replay <id> [--live-from liveFrom]', { id: 'run_1' }, 'replay run_1'],
    ['resume <id> [--budget-usd budget.usd]', { id: 'r', budget: null }, 'resume r'],
    ['resume <id> [--budget-usd budget.usd]', { id: 'r', budget: { usd: 0 } }, 'resume r --budget-usd 0'],
    ['x [--tag tags]', { tags: ['a', 'b'] }, 'x --tag a --tag b'],
    ['x [--var vars]', { vars: { A: '1', B: 1, C: 'c' } }, 'x --var A="1" --var B=1 --var C=c'],
    ['x [--events events:list]', { events: ['a', 'b'] }, 'x --events a,b'],
    ['x [--events events:list]', { events: [] }, 'x'],
    ['x [--scopes scopes] [--description description:filled]', { description: '' }, 'x'],
    ['x [--for seconds:seconds]', { seconds: 600 }, 'x --for 600s'],
    ['x [--since since:moment]', { since: '1767225600000' }, 'x --since 2026-01-01T00:00:00.000Z'],
    ['x [--expires at:days]', { at: Date.now() + 2 * 86_400_000 }, 'x --expires 2d'],
    ['x <paused?pause|resume> <id>', { paused: false, id: 'a' }, 'x resume a'],
    ['x [--empty text:absent]', { text: '' }, 'x --empty'],
    ['x [--empty text:absent]', { text: 'a' }, 'x'],
  ])('fills %s', (line, input, command) => {
    expect(fill(line, input)).toEqual({ commands: [command.split(' ')] });
  });

  it('reads texts that commands would take for files from standard input or a file', () => {
    expect(fill('run <w:draft.yaml> [--input text:text]', { w: { yaml: 'graph: {}' }, text: '@all: go' })).toEqual({
      commands: [['run', 'draft.yaml', '--input', '-']],
      file: { name: 'draft.yaml', text: 'graph: {}' },
      stdin: '@all: go',
    });
    expect(fill('fork [--prompt prompt:prompt.txt]', { prompt: '-' })).toEqual({
      commands: [['fork', '--prompt', '@prompt.txt']],
      file: { name: 'prompt.txt', text: '-' },
    });
    expect(fill('answer <id> <text:stdin>', { id: 'a' })).toEqual({ commands: [['answer', 'a', '-']], stdin: '' });
    expect(fill('push <yaml:/dev/stdin>', { yaml: 'a' })).toEqual({ commands: [['push', '/dev/stdin']], stdin: 'a' });
  });

  it('uses the first line whose conditions hold', () => {
    const lines = ['<action> <filter.ids:each>', 'bulk <action> [--tag filter.tag]'];

    expect(commandLineOf(lines, { action: 'retry', filter: { ids: ['a', 'b'] } }).commands).toEqual([
      ['retry', 'a'],
      ['retry', 'b'],
    ]);
    expect(commandLineOf(lines, { action: 'retry', filter: { tag: 'x' } }).commands).toEqual([
      ['bulk', 'retry', '--tag', 'x'],
    ]);
  });
});

describe('shellTextOf', () => {
  it('quotes texts so that a shell reads them as they are', () => {
    expect(shellTextOf({ commands: [['fork', 'run_1', '--output', `It's $HOME "x" \\ *`]] })).toBe(
      `millrace fork run_1 --output 'It'\\''s $HOME "x" \\ *'`,
    );
  });

  it('writes several commands, and what they read', () => {
    expect(
      shellTextOf({
        commands: [
          ['cancel', 'a'],
          ['cancel', 'b'],
        ],
      }),
    ).toBe('millrace cancel a\nmillrace cancel b');
    expect(shellTextOf({ commands: [['answer', 'a.a1', '-']], stdin: '@all' })).toBe(
      'printf %s @all | millrace answer a.a1 -',
    );
    expect(shellTextOf({ commands: [['run', 'a.yaml']], file: { name: 'a.yaml', text: 'a: b' } })).toBe(
      "printf %s 'a: b' > a.yaml\nmillrace run a.yaml",
    );
  });
});
