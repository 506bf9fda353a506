import { existsSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { omitUndefined } from '@millrace/core/omit-undefined';
import type { Command } from 'commander';
import type { DemoFiles } from '../../demo/run-demo.ts';
import { exitCodes } from '../../exit/exit.ts';
import type { Cli } from '../../process/cli.ts';

/** The package has the files of the demo; in the repository they are with the other examples. */
const examples = ['../../../examples/', '../../../../../examples/']
  .map((path) => fileURLToPath(new URL(path, import.meta.url)))
  .find((path) => existsSync(path));
const task = 'Announce to the neighbourhood that the library opens on Sundays.';

interface DemoFlags {
  readonly json?: boolean;
  readonly keep?: string;
}

/** `millrace demo`: a first run, without a key and without a Redis of one's own, through the crash of a worker. */
export function addDemo(program: Command, cli: Cli): void {
  program
    .command('demo')
    .description('run three agents and a person, kill -9 the worker in the middle, and continue with another one')
    .addHelpText('after', '\nExample:\n  millrace demo')
    .option('--keep <dir>', 'keep the run in this directory, to look at it with MILLRACE_DIR=<dir>')
    .option('--json', 'print {runId, status, output, usage, killed, modelCalls, …}')
    .action(async (flags: DemoFlags) => demo(cli, flags));
}

async function demo(cli: Cli, { json = false, keep }: DemoFlags): Promise<void> {
  const { runDemo } = await import('../../demo/run-demo.ts');
  const example = (name: string) => relative('', join(examples ?? '', name));
  const files = {
    workflow: example('newsroom.yaml'),
    script: example('newsroom.script.yaml'),
    answers: example('newsroom.answers.yaml'),
  };
  // What the demo says is its result: where nobody watches a terminal, it goes where the result goes.
  const unwatched = !json && cli.terminal.paper === undefined;
  const terminal = unwatched ? { ...cli.terminal, say: (text: string) => cli.terminal.data(text) } : cli.terminal;
  terminal.say(introduction(files.workflow, cli.terminal.interactive));
  const told: Cli = { ...cli, terminal };
  try {
    await runDemo(told, omitUndefined({ files, task, json, keep }));
  } finally {
    cli.exit = told.exit;
  }
  if (cli.exit === exitCodes.completed) terminal.say(whatNext(files, keep));
}

const introduction = (
  workflow: string,
  someoneIsThere: boolean,
): string => `Three agents, a person and a loop: ${workflow}
  Researcher ──► Writer ◄──► Critic ──► Editor (a person) ──► the article, or back to the Writer
Redis and the workers are real processes. The models follow a script, so no key is needed;
${someoneIsThere ? 'you are the Editor' : 'the demo answers for the Editor'}.
`;

const whatNext = ({ workflow, script }: Pick<DemoFiles, 'workflow' | 'script'>, keep = './demo'): string => `
What to try next (millrace is: npx millrace)
  Look at such a run:    millrace demo --keep ${keep}; MILLRACE_DIR=${keep} millrace runs
  Be the editor:         millrace run ${workflow} --script ${script}
  With real models:      OPENAI_API_KEY=… millrace run ${workflow}
  With a dashboard:      millrace up --port 4700, then http://127.0.0.1:4700/ui/
  A workflow of yours:   millrace init`;
