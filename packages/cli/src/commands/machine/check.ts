import { omitUndefined } from '@millrace/core/omit-undefined';
import type { Command } from 'commander';
import { Option } from 'commander';
import { CommandError, exitCodes } from '../../exit/exit.ts';
import { addEnvironmentOption } from '../../options/run-options.ts';
import { githubAnnotation } from '../../output/github-annotation.ts';
import { issueTexts, reportJson, reportOf, summaryOf } from '../../output/issue-report.ts';
import type { Cli } from '../../process/cli.ts';
import { definitionFiles } from '../../workflow/definition-files.ts';
import { loadWorkflow } from '../../workflow/load-workflow.ts';
import { withVocabulary } from '../../workflow/open-vocabulary.ts';
import { withInterpreters } from '../../workflow/with-interpreters.ts';

interface CheckOptions {
  readonly path?: string[];
  readonly allowEnv?: string[];
  readonly json?: boolean;
  readonly format: 'text' | 'json' | 'github';
}

/** `millrace check`: reports all problems of definition files. */
export function addCheck(program: Command, cli: Cli): void {
  const command = program.command('check');
  addEnvironmentOption(command)
    .description('validate workflow files; prints every problem with its place and a hint')
    .argument('[paths...]', 'files, or directories to search for *.yaml and *.yml')
    .option('--path <file...>', 'the same as naming the file')
    .addOption(
      new Option('--format <name>', 'format of problems; github: annotations of GitHub Actions')
        .choices(['text', 'json', 'github'])
        .default('text')
        .conflicts('json'),
    )
    .option('--json', 'print {ok, files: [{file, ok, issues}]}')
    .addHelpText(
      'after',
      '\n*.script.yaml, *.answers.yaml, *.test.yaml and *.eval.yaml in a directory accompany workflows and are not checked.\nExit code: 0 no errors, 2 errors.\n\nExample:\n  millrace check flows/ --format github',
    )
    .action(async (paths: string[], options: CheckOptions) => check(cli, [...paths, ...(options.path ?? [])], options));
}

async function check(cli: Cli, paths: readonly string[], { json, format, allowEnv }: CheckOptions): Promise<void> {
  if (paths.length === 0) throw new CommandError(exitCodes.invalid, 'Name a file or a directory to check.');
  const files = definitionFiles(paths);
  if (files.length === 0)
    throw new CommandError(exitCodes.invalid, `There is no *.yaml or *.yml file in ${paths.join(', ')}.`);
  const { environment } = await cli.config();
  const reports = await withVocabulary(cli, async (own) => {
    const vocabulary = withInterpreters(own, environment);
    const found = [];
    for (const file of files) {
      const { issues } = await loadWorkflow(file, {
        vocabulary,
        environment,
        mode: 'check',
        ...omitUndefined({ allowedEnvironment: allowEnv }),
      });
      found.push(reportOf(file, issues));
    }
    return found;
  });
  const issues = reports.flatMap((one) => one.issues);
  if (json || format === 'json') cli.terminal.data(reportJson(reports));
  else if (format === 'github')
    for (const issue of issues) cli.terminal.data(githubAnnotation(issue, environment['GITHUB_WORKSPACE']));
  else for (const text of issueTexts(issues, cli.terminal.columns)) cli.terminal.data(text);
  cli.terminal.say(summaryOf(reports));
  cli.exit = reports.every((one) => one.ok) ? exitCodes.completed : exitCodes.invalid;
}
