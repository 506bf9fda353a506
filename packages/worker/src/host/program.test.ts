import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createVocabulary } from '@millrace/catalog';
import type { Host, Program } from '@millrace/core';
import { readWorkflow, textMessage } from '@millrace/core';
import fc from 'fast-check';
import { pino } from 'pino';
import { beforeAll, expect, it } from 'vitest';
import { directoryBeforeAll } from '../../../../test/support/fixtures.ts';
import type { ProcessCommand } from '../programs/child-process.ts';
import { programEnvironment } from '../programs/config.ts';
import { createInterpreters } from '../programs/interpreter.ts';
import type { Sandbox } from '../programs/sandbox.ts';
import { createSandbox, probeSandboxTools } from '../programs/sandbox.ts';
import { commandOf } from './program.ts';

const vocabulary = createVocabulary();
const env = programEnvironment();
const { bwrap } = await probeSandboxTools('bubblewrap', env);

const workspace = directoryBeforeAll();
let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = createSandbox('bubblewrap', { log: pino({ level: 'silent' }), env });
});

interface ProgramMessage {
  readonly id: string;
  readonly interpreter: string;
  readonly args: readonly string[];
  readonly env: readonly (readonly [name: string, value: string])[];
  readonly encoding: string;
}

/** Returns the program that a python node as an author writes it asks for; undefined if reading refuses it. */
async function programOf({ id, env: variables, ...config }: ProgramMessage): Promise<Program | undefined> {
  const written = { ...config, env: Object.fromEntries(variables) };
  const graph = { id: 'g', nodes: [{ id, type: 'python', config: written }], edges: [] };
  const read = readWorkflow({ file: 'f', text: JSON.stringify({ graph }) }, { vocabulary, mode: 'run' });
  const node = read.workflow?.graph.nodes[0];
  if (node === undefined) return undefined;
  const asked: Program[] = [];
  const runProgram = async (program: Program) => {
    asked.push(program);
    return { workspace, script: '', stdout: '', stderr: '', end: { type: 'exited', code: 0 } };
  };
  const host = { node: node.id, runProgram } as unknown as Host;
  await vocabulary.nodes.get('python')?.execute(node.config, [textMessage('user', 'print(1)', 'TASK')], host);
  return asked[0];
}

/** Returns the options of bubblewrap, and the command that it executes. */
function partsOf({ args, extra = '' }: ProcessCommand): { options: readonly string[]; executed: readonly string[] } {
  return { options: extra.split('\0'), executed: args.slice(args.lastIndexOf('--args') + 3) };
}

/** Returns the option `--setenv` with its two words, as often as it is there. */
function variablesIn(options: readonly string[]): Record<string, string | undefined> {
  const end = options.indexOf('--proc');
  const begin = options.indexOf('--setenv');
  const found: Record<string, string | undefined> = {};
  for (let at = begin; at < end; at += 3) {
    expect(options[at]).toBe('--setenv');
    found[options[at + 1] ?? ''] = options[at + 2];
  }
  return found;
}

const word = fc
  .array(
    fc.constantFrom(
      '\0',
      '\n',
      '\t',
      '\x1b',
      '\u0085',
      '\u2028',
      '--bind',
      '--',
      '=',
      '/',
      '.',
      ' ',
      'A',
      'ü',
      '😀',
      '\ud800',
    ),
    {
      maxLength: 4,
    },
  )
  .map((parts) => parts.join(''));
/** Mostly what is accepted, so that the other fields get through. */
const orWord = (usual: string) =>
  fc.oneof({ weight: 3, arbitrary: fc.constant(usual) }, { weight: 1, arbitrary: word });

const written = fc.record({
  id: orWord('A'),
  interpreter: orWord('python3'),
  args: fc.array(orWord('-c\n'), { maxLength: 3 }),
  env: fc.array(fc.tuple(orWord('NAME'), orWord('a value')), { maxLength: 3 }),
  encoding: orWord('utf-8'),
});

it.runIf(bwrap !== undefined)(
  'is refused, or has exactly the words that its author wrote',
  { timeout: 20_000 },
  async () => {
    const plain = { id: 'A', interpreter: 'python3', args: [], env: [], encoding: 'utf-8' };
    const script = join(workspace, 'A.py');
    const interpreters = createInterpreters({ env, workspaces: tmpdir() });
    const confine = async (program: Program, node: string) => {
      const { file } = (await interpreters.find('python3', workspace)) ?? { file: '/bin/sh' };
      const site = { file, workspace, script, node, secret: () => undefined };
      const command = commandOf(program, site);
      const confined = await sandbox.confine(command, { seconds: 1, run: 'run_1' });
      return { command, ...partsOf(confined) };
    };
    const usual = await programOf(plain);
    if (usual === undefined) throw new Error('A python node without settings is refused.');
    const base = (await confine(usual, 'A')).options.length;
    let accepted = 0;

    await fc.assert(
      fc.asyncProperty(written, async (node) => {
        const program = await programOf(node);
        if (program === undefined) return;
        accepted += 1;
        const { command, options, executed } = await confine(program, node.id);

        expect(`${JSON.stringify([command, options])}`).not.toContain('\\u0000');
        expect(executed).toEqual([command.file, ...node.args, script]);
        expect(options).toHaveLength(base + 3 * Object.keys(program.env).length);
        expect(variablesIn(options)).toEqual({ ...command.env, HOME: '/tmp', TMPDIR: '/tmp' });
      }),
      { numRuns: 300 },
    );
    expect(accepted).toBeGreaterThan(30);
  },
);
