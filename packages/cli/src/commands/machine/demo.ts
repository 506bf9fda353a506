import { existsSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { omitUndefined } from '@millrace/core/omit-undefined';
import type { Command } from 'commander';
import { Option } from 'commander';
import type { DemoFiles } from '../../demo/newsroom.ts';
import type { KeptRun } from '../../demo/run-demo.ts';
import { defaultPort } from '../../options/server-options.ts';
import type { Cli } from '../../process/cli.ts';
import { hasDashboard } from '../../serve/built-pages.ts';

/** Directory of the files of the demo: in the package, or among the examples of the repository. */
const examples = [
  new URL('../../../examples/', import.meta.url),
  new URL('../../../../../examples/', import.meta.url),
].find((folder) => existsSync(folder));
const task = 'Announce to the neighbourhood that the library opens on Sundays.';

interface DemoFlags {
  readonly local?: boolean;
  readonly json?: boolean;
  readonly keep?: string;
}

/** `millrace demo`: executes a first run through the crash of a worker, or in memory; needs no key. */
export function addDemo(program: Command, cli: Cli): void {
  program
    .command('demo')
    .description('run three agents and a person, kill -9 the worker in the middle, and continue with another one')
    .addHelpText('after', '\nExample:\n  millrace demo')
    .option('--keep <dir>', 'keep the run in this directory; otherwise, in a temporary one')
    .addOption(
      new Option(
        '--local',
        'without Redis: everything in the memory of this process, with the dashboard; no worker is killed',
      ).conflicts('keep'),
    )
    .option(
      '--json',
      'print {runId, status, output, usage, killed, modelCalls, …}; killed and modelCalls not with --local',
    )
    .action(async (flags: DemoFlags) => demo(cli, flags));
}

async function demo(cli: Cli, { json = false, keep, local = false }: DemoFlags): Promise<void> {
  const example = (name: string) => relative('', join(examples === undefined ? '' : fileURLToPath(examples), name));
  const files = {
    workflow: example('newsroom.yaml'),
    script: example('newsroom.script.yaml'),
    answers: example('newsroom.answers.yaml'),
  };
  // The report of the demo is its result: without a terminal, it goes to stdout.
  const isPiped = !json && cli.terminal.liveArea === undefined;
  const terminal = isPiped ? { ...cli.terminal, say: (text: string) => cli.terminal.report(text) } : cli.terminal;
  terminal.say(introduction(files.workflow, { isInteractive: cli.terminal.interactive, isLocal: local }));
  const demoCli: Cli = { ...cli, terminal };
  try {
    if (local) {
      const { runLocalDemo } = await import('../../demo/run-local-demo.ts');
      await runLocalDemo(demoCli, { files, task, json });
      return;
    }
    const { runDemo } = await import('../../demo/run-demo.ts');
    const kept = await runDemo(demoCli, omitUndefined({ files, task, json, keep }));
    if (kept !== undefined) terminal.say(whatNext(files, kept));
  } finally {
    cli.exit = demoCli.exit;
  }
}

const introduction = (
  workflow: string,
  { isInteractive, isLocal }: { readonly isInteractive: boolean; readonly isLocal: boolean },
): string => `Three agents, a person and a loop: ${workflow}
  Researcher ─► Writer ◄─► Critic ─► Editor (a person) ─► article, or Writer
${
  isLocal
    ? 'Everything is in this process, and ends with it; `millrace demo` shows with a\nRedis how a run survives its worker.'
    : 'Redis and the workers are real processes.'
} The models follow a script,
so no key is needed; ${isInteractive ? 'you are the Editor' : 'the demo answers for the Editor'}.
`;

const whatNext = (
  { workflow, script }: Pick<DemoFiles, 'workflow' | 'script'>,
  { run, directory }: KeptRun,
): string => `
What to try next
  Be the editor:
    millrace run ${workflow} --script ${script}
  With real models:
    OPENAI_API_KEY=… millrace run ${workflow}
  A workflow of yours:
    millrace init
  This run in a browser:${hasDashboard() ? '' : '\n    npm run setup'}
    MILLRACE_DIR=${directory} millrace up
    http://127.0.0.1:${defaultPort}/ui/runs/${run}`;
