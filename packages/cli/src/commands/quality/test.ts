import { writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { basename, dirname, join, relative, resolve } from 'node:path';
import type { Issue, Vocabulary } from '@millrace/core';
import type { KeptRun, ReadTests, Reporter, TestResult, TestSite, TestSuite } from '@millrace/testing';
import type { Command } from 'commander';
import { Option } from 'commander';
import { CommandError, exitCodes } from '../../exit/exit.ts';
import { githubAnnotation } from '../../output/github-annotation.ts';
import { issueText } from '../../output/issue-report.ts';
import type { Cli } from '../../process/cli.ts';
import { interruption } from '../../process/interruption.ts';
import { testFiles } from '../../workflow/definition-files.ts';
import { loadScript, loadWorkflow, readCompanion } from '../../workflow/load-workflow.ts';
import type { OpenVocabulary } from '../../workflow/open-vocabulary.ts';
import { openVocabulary } from '../../workflow/open-vocabulary.ts';
import { isIssue, readLocalFile, readSource } from '../../workflow/source-file.ts';

const reporterNames = ['pretty', 'json', 'junit', 'github'] as const;

interface TestOptions {
  readonly testName?: string;
  readonly bail?: true;
  readonly update?: true;
  readonly keep?: string;
  readonly reporter?: (typeof reporterNames)[number];
  readonly out?: string;
}

/** `millrace test`: runs the tests of workflows. */
export function addTest(program: Command, cli: Cli): void {
  program
    .command('test')
    .description('run the tests of workflows, without Redis, keys or a network')
    .argument('[paths...]', 'files of tests, or directories to search for *.test.yaml; default: this directory')
    .option('-t, --test-name <pattern>', 'run only tests whose names this regular expression matches')
    .option('--bail', 'begin no test after one has failed')
    .option(
      '--update',
      'write what is found into the files where they say an exact value that differs; refused where CI is set',
    )
    .option('--keep <dir>', 'keep the run of each test in this directory, as an archive for `replay --file`')
    .addOption(
      new Option(
        '--reporter <name>',
        'form of the report; github: annotations of GitHub Actions, the default there',
      ).choices(reporterNames),
    )
    .option('--out <file>', 'write the report into this file')
    .addHelpText(
      'after',
      '\nTime that is only waited for passes at once. Models are answered by scripts or recordings, tools by the test.\n\nExample:\n  millrace test flows/ -t "second draft"\n\nExit code: 0 all passed, 1 some failed, 2 a file is wrong, or there is no test or none but skipped ones, 130 interrupted.',
    )
    .action(async (paths: string[], options: TestOptions) => test(cli, paths.length === 0 ? ['.'] : paths, options));
}

async function test(cli: Cli, paths: readonly string[], options: TestOptions): Promise<void> {
  const { summaryOfTests } = await import('@millrace/testing');
  const { signal, dispose } = await interruption(cli, exitCodes.interrupted);
  try {
    const open = await openVocabulary(cli);
    const results = await withUpdates(cli, paths, { ...options, open, signal })
      .then(() => readSuites(cli, paths, { ...options, open }))
      .then((suites) => runSuites(cli, suites, { ...options, signal }))
      .finally(open.close);
    const hasFailed = results.some(({ status }) => status === 'failed');
    cli.terminal.say(summaryOfTests(results), hasFailed ? 'red' : 'green');
    cli.exit = signal.aborted ? exitCodes.interrupted : hasFailed ? exitCodes.failed : exitCodes.completed;
  } finally {
    dispose();
  }
}

/** With `--update`: runs the tests, and writes what they find into their files. */
async function withUpdates(cli: Cli, paths: readonly string[], options: SuiteOptions & RunOptions): Promise<void> {
  if (options.update !== true) return;
  const { environment } = await cli.config();
  if (environment['CI'] !== undefined)
    throw new CommandError(
      exitCodes.invalid,
      '--update is refused where CI is set: it makes tests expect what they find.',
    );
  const { runTests, updatedTests } = await import('@millrace/testing');
  const suites = await readSuites(cli, paths, options);
  const results = await runTests(suites, { ...runOptionsOf(options), onResult: () => undefined });
  for (const { tests } of suites) {
    const found = results
      .filter(({ file }) => file === tests.file)
      // A run that went wrong says nothing about what is to be expected.
      .filter(({ failures }) => failures.every(({ path }) => path[0] === 'expect'))
      .flatMap(({ index, failures }) =>
        failures.flatMap(({ path, actual }) => (actual === undefined ? [] : [{ test: index, path, value: actual }])),
      );
    const { text, changed } = updatedTests(readCompanion(tests.file), found);
    if (changed === 0) continue;
    writeText(tests.file, text);
    cli.terminal.say(`${tests.file}: ${changed} ${changed === 1 ? 'value' : 'values'} updated`);
  }
}

const runOptionsOf = ({ testName, bail, signal }: RunOptions) => ({
  ...(testName === undefined ? {} : { pattern: patternOf(testName) }),
  bail: bail === true,
  concurrency: availableParallelism(),
  signal,
});

interface RunOptions extends TestOptions {
  readonly signal: AbortSignal;
}

async function runSuites(cli: Cli, suites: readonly TestSuite[], options: RunOptions): Promise<readonly TestResult[]> {
  const { testName, reporter: named, out, signal } = options;
  const { runTests } = await import('@millrace/testing');
  const reporter = await reporterOf(cli, named);
  const report: string[] = [];
  const print = (text: string | undefined) => {
    if (text === undefined) return;
    if (out === undefined) cli.terminal.data(text);
    else report.push(text);
  };
  const results = await runTests(suites, {
    ...runOptionsOf(options),
    onResult: (result) => print(reporter.result?.(result)),
  });
  if (results.length === 0 && !signal.aborted)
    throw new CommandError(exitCodes.invalid, `No test has a name that matches ${testName}.`);
  print(reporter.end?.(results));
  if (out !== undefined) writeText(out, `${report.join('\n')}\n`);
  if (!signal.aborted && results.every(({ status }) => status === 'skipped'))
    throw new CommandError(exitCodes.invalid, 'All tests were skipped, so nothing was tested.');
  return results;
}

function patternOf(text: string): RegExp {
  try {
    return new RegExp(text, 'u');
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new CommandError(exitCodes.invalid, `--test-name is no regular expression: ${reason}`);
  }
}

function writeText(file: string, text: string): void {
  try {
    writeFileSync(file, text);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new CommandError(exitCodes.invalid, `${file} cannot be written: ${reason}.`);
  }
}

async function reporterOf(cli: Cli, named: TestOptions['reporter']): Promise<Reporter> {
  const { environment } = await cli.config();
  const { jsonReporter, junitReporter, prettyReporter } = await import('@millrace/testing');
  const inActions = environment['GITHUB_ACTIONS'] === 'true' ? 'github' : 'pretty';
  const annotations: Reporter = { result: (result) => annotated(result, environment['GITHUB_WORKSPACE']) };
  return { pretty: prettyReporter, json: jsonReporter, junit: junitReporter, github: annotations }[named ?? inActions];

  /** Returns the line of a test, and an annotation for each of its failures. */
  function annotated(result: TestResult, checkout: string | undefined): string {
    const failures = result.failures.map(({ line, column, expected, found }) =>
      githubAnnotation(
        {
          severity: 'error',
          code: result.name,
          file: result.file,
          line,
          column,
          path: '',
          message: `expected ${expected}\nfound ${found}`,
        },
        checkout,
      ),
    );
    return [prettyReporter.result?.({ ...result, failures: [] }) ?? '', ...failures].join('\n');
  }
}

interface SuiteOptions extends TestOptions {
  readonly open: OpenVocabulary;
}

/** Reads all files of tests and their workflows. Throws CommandError with all problems, before any test is run. */
async function readSuites(cli: Cli, paths: readonly string[], options: SuiteOptions): Promise<readonly TestSuite[]> {
  const { readTestFile } = await import('@millrace/testing');
  const files = testFiles(paths);
  if (files.length === 0) {
    const places = paths.map((path) => (path === '.' ? 'this directory' : path)).join(', ');
    throw new CommandError(
      exitCodes.invalid,
      `There is no *.test.yaml file in ${places}. \`millrace record RUN\` makes one of a run.`,
    );
  }
  const issues: Issue[] = [];
  const suites: TestSuite[] = [];
  for (const file of files) {
    const source = readSource(file);
    const tests = isIssue(source) ? void issues.push(source) : readTestFile(source, issues);
    if (tests !== undefined) suites.push(await suiteOf(cli, tests, { ...options, issues }));
  }
  const errors = issues.filter(({ severity }) => severity === 'error');
  for (const issue of errors) cli.terminal.say(issueText(issue));
  if (errors.length > 0) throw new CommandError(exitCodes.invalid, 'No test was run.', { issues: errors });
  return suites;
}

interface SuiteContext extends SuiteOptions {
  /** Receives the problems of the file and of its workflow. */
  readonly issues: Issue[];
}

/** Returns the tests of a file with their workflow, which is read once for each set of variables. */
async function suiteOf(cli: Cli, tests: ReadTests, { open, keep, issues }: SuiteContext): Promise<TestSuite> {
  const { onlyIssues } = await import('@millrace/testing');
  const { environment } = await cli.config();
  for (const issue of environment['CI'] === undefined ? [] : onlyIssues(tests)) issues.push(issue);
  const beside = (path: string) => resolve(dirname(tests.file), path);
  const { extensions } = tests;
  const vocabulary = extensions === undefined ? open.vocabulary : await open.withModule(beside(extensions));
  const workflow = join(dirname(tests.file), tests.workflow);
  const read = new Map<string, TestSite['tested'] | undefined>();
  for (const { test: one } of tests.tests) {
    const key = JSON.stringify(one.vars ?? {});
    if (read.has(key)) continue;
    read.set(key, await readTested({ workflow, vars: one.vars ?? {}, environment, vocabulary }, issues));
  }
  return {
    tests,
    site({ test: one, index }) {
      const tested = read.get(JSON.stringify(one.vars ?? {}));
      // A workflow that cannot be read has ended the command.
      if (tested === undefined) throw new Error(`${workflow} was not read`);
      const kept =
        keep === undefined
          ? undefined
          : join(keep, `${encodeURIComponent(relative('.', tests.file))}.${index + 1}.jsonl`);
      return {
        file: tests.file,
        vocabulary,
        tested,
        readFile: async (path) => readLocalFile(path),
        readScript: (path) => loadScript(beside(path)),
        ...(kept === undefined ? {} : { keep: (run) => keepRun(kept, run) }),
      };
    },
  };
}

interface TestedFile {
  readonly workflow: string;
  readonly vars: Readonly<Record<string, unknown>>;
  readonly environment: Readonly<Record<string, string>>;
  readonly vocabulary: Vocabulary;
}

async function readTested(
  { workflow: file, vars, environment, vocabulary }: TestedFile,
  issues: Issue[],
): Promise<TestSite['tested'] | undefined> {
  // Scripted models need no address and no name, so their variables may be missing.
  const read = await loadWorkflow(file, { vocabulary, environment, mode: 'check', variables: vars });
  for (const issue of read.issues) if (!issues.some((other) => isSame(other, issue))) issues.push(issue);
  return read.workflow === undefined ? undefined : { workflow: read.workflow, yaml: readCompanion(file) };
}

const isSame = (a: Issue, b: Issue): boolean =>
  a.file === b.file && a.line === b.line && a.column === b.column && a.code === b.code;

/** Writes the archive of a run, with the contents that it refers to beside it, as `record --file` reads them. */
async function keepRun(file: string, { archive, contents }: KeptRun): Promise<void> {
  const { contentsFolder, writeFiles } = await import('@millrace/testing');
  const name = basename(file);
  const beside = [...contents].map(([digest, bytes]) => [`${contentsFolder(name)}/${digest}`, bytes] as const);
  await writeFiles(dirname(file), new Map<string, string | Uint8Array>([[name, archive], ...beside]));
}
