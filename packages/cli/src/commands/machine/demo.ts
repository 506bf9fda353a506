import { existsSync } from 'node:fs';
import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Command } from 'commander';
import { exitCodes } from '../../exit/exit.ts';
import type { Cli } from '../../process/cli.ts';

/** The package has the files of the demo; in the repository they are with the other examples. */
const examples = ['../../../examples/', '../../../../../examples/']
  .map((path) => fileURLToPath(new URL(path, import.meta.url)))
  .find((path) => existsSync(path));
const task = 'Announce to the neighbourhood that the library opens on Sundays.';

/** `millrace demo`: a first run, without a key and without a Redis of one's own. */
export function addDemo(program: Command, cli: Cli): void {
  program
    .command('demo')
    .description('run examples/review-loop.yaml with a scripted model and a scripted reviewer')
    .option('--json', 'print {runId, status, output, outputs, data, dataByNode, usage, error}')
    .action(async ({ json }: { json?: boolean }) => demo(cli, json === true));
}

async function demo(cli: Cli, json: boolean): Promise<void> {
  const { runWorkflow } = await import('../../follow/run-workflow.ts');
  const example = (name: string) => relative('', `${examples ?? ''}${name}`);
  const file = example('review-loop.yaml');
  const { terminal } = cli;
  terminal.say(`A writer, a reviewer, and a guard that ends their loop after three rounds: ${file}`);
  terminal.say(`Task: ${task}\n`);
  await runWorkflow(cli, file, {
    input: task,
    variables: {},
    local: true,
    script: example('review-loop.script.yaml'),
    answers: example('review-loop.answers.yaml'),
    json,
  });
  if (cli.exit === exitCodes.completed) terminal.say(whatNext(file, example('review-loop.script.yaml')));
}

const whatNext = (file: string, script: string): string => `
What to try next (millrace is: npx millrace)
  millrace run ${file} --script ${script}     be the reviewer yourself
  OPENAI_API_KEY=… millrace run ${file}       with a real model
  millrace check examples/                    find mistakes before a run does
  millrace up                                 Redis and a worker that stay; then, in a second terminal:
  millrace run ${file} --script ${script} --detach --input "…"
  millrace runs; millrace watch RUN; millrace answer RUN "shorter, please"; millrace journal RUN`;
