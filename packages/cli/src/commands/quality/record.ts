import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { basename, join, relative, resolve } from 'node:path';
import type { RunHandle } from '@millrace/client';
import type { Vocabulary } from '@millrace/core';
import type { Mask, RecordedTest, TestedWorkflow } from '@millrace/testing';
import type { Command } from 'commander';
import { withSession } from '../../client/session.ts';
import { CommandError, exitCodes } from '../../exit/exit.ts';
import { archiveUnreadable, fileExists } from '../../exit/file-refusals.ts';
import { issueText } from '../../output/issue-report.ts';
import type { Cli } from '../../process/cli.ts';
import { loadWorkflow, readCompanion, readText } from '../../workflow/load-workflow.ts';
import { withVocabulary } from '../../workflow/open-vocabulary.ts';

interface RecordFlags {
  readonly file?: string;
  readonly out: string;
  readonly name?: string;
  readonly workflow?: string;
  readonly mask?: readonly string[];
  readonly masks: boolean;
}

/** `millrace record`: makes a test of a run. */
export function addRecord(program: Command, cli: Cli): void {
  program
    .command('record')
    .description('make a test of a finished run: its recording without secrets, and the end that it must come to')
    .argument('[run]', 'id of the run, or the beginning of it')
    .option('--file <path>', 'record a run that was archived')
    .option('--out <dir>', 'folder for NAME.test.yaml and recordings/NAME.jsonl', '.')
    .option('--name <name>', 'NAME of the files (default: that of the workflow file)')
    .option(
      '--workflow <file>',
      'the workflow that the test names (default: the file of the folder with the text of the run; NAME.yaml is written if there is none)',
    )
    .option(
      '--mask <patterns>',
      'hide more than secrets: email, phone, or a regular expression of RE2; may be repeated',
      collectPatterns,
    )
    .option('--no-masks', 'hide nothing, not even secrets')
    .addHelpText(
      'after',
      '\nThe test is run, and nothing is written unless it passes. The number of hidden values is printed, and never a value.\n\nExample:\n  millrace record run_0199a1b2 --mask email\n  millrace test\n\nExit code: 0 written, 1 the test does not pass, 2 invalid, 4 the run cannot be replayed.',
    )
    .action(async (run: string | undefined, flags: RecordFlags) => record(cli, run, flags));
}

/** Collects patterns: names that commas separate, and regular expressions as they are. */
function collectPatterns(text: string, earlier: readonly string[] = []): readonly string[] {
  const names = /^((?:email|phone)(?:,(?:email|phone))*)(?:,(.+))?$/.exec(text);
  if (names === null) return [...earlier, text];
  const [, named = '', rest] = names;
  return [...earlier, ...named.split(','), ...(rest === undefined ? [] : [rest])];
}

/** The archive of a run, and access to the contents of its files. */
interface Recorded {
  readonly archive: string;
  readContent(digest: string): Promise<Uint8Array | undefined>;
}

async function record(cli: Cli, run: string | undefined, flags: RecordFlags): Promise<void> {
  const { runSource } = await import('../../requests/run-source.ts');
  const source = runSource(run, flags.file);
  if (typeof source === 'string') {
    const { resolveRun } = await import('../../requests/resolve-run.ts');
    return withSession(cli, {}, async (session) => {
      const handle = session.millrace.runs.get(await resolveRun(session, source));
      const { machine } = session;
      const readContent =
        machine === undefined ? contentsOf(handle) : (digest: string) => machine.runtime.blobs.get(digest);
      await write(cli, { archive: await (await handle.archive()).text(), readContent }, flags);
    });
  }
  const archive = source.file.startsWith('s3:') ? await wholeText(cli, source.file) : readArchive(source.file);
  const { contentsFolder } = await import('@millrace/testing');
  const beside = source.file.startsWith('s3:') ? undefined : contentsFolder(source.file);
  await write(cli, { archive, readContent: async (digest) => contentIn(beside, digest) }, flags);
}

function readArchive(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw archiveUnreadable(`${file} cannot be read as an archived run: ${reason}.`);
  }
}

/** Returns contents in the folder beside an archive; undefined if it has none. */
function contentIn(folder: string | undefined, digest: string): Uint8Array | undefined {
  const file = folder === undefined ? undefined : join(folder, digest);
  return file !== undefined && existsSync(file) ? readFileSync(file) : undefined;
}

async function wholeText(cli: Cli, named: string): Promise<string> {
  const { archiveFile } = await import('../../requests/run-source.ts');
  const pieces: Uint8Array[] = [];
  for await (const piece of (await archiveFile(cli, named)).open()) pieces.push(piece);
  return Buffer.concat(pieces).toString();
}

/** Returns the reader of the files of a run that is behind an API. */
function contentsOf(run: RunHandle): Recorded['readContent'] {
  let known: Promise<ReadonlyMap<string, string>> | undefined;
  return async (digest) => {
    known ??= run.artifacts().then((files) => new Map(files.map((file) => [file.digest, file.id])));
    const id = (await known).get(digest);
    return id === undefined ? undefined : new Uint8Array(await (await run.artifact(id, digest)).arrayBuffer());
  };
}

/** Makes the test and writes its files. Throws CommandError. */
async function write(cli: Cli, { archive, readContent }: Recorded, flags: RecordFlags): Promise<void> {
  const { definitionIn, nameIn, readLines, recordTest, writeFiles } = await import('@millrace/testing');
  const lines = readLinesOf(archive, readLines);
  const definition = definitionIn(lines);
  if (definition === undefined)
    throw new CommandError(
      exitCodes.invalid,
      'The run was started by a program without the text of its workflow, so no test can name one.',
    );
  const { out } = flags;
  const found = flags.workflow ?? workflowWith(out, definition.yaml);
  const name = flags.name ?? (found === undefined ? nameIn(lines) : stemOf(found));
  const workflow = found ?? join(out, `${name}.yaml`);
  const mask = flags.masks ? await maskOf(cli, flags.mask) : undefined;
  const isThere = existsSync(workflow);
  const text =
    isThere || flags.workflow !== undefined
      ? readCompanion(workflow)
      : (mask?.hide(definition.yaml) ?? definition.yaml);
  assertNew(join(out, `${name}.test.yaml`));
  const recorded = await withVocabulary(cli, (vocabulary) =>
    recordTest({
      archive,
      name,
      mask,
      vocabulary,
      workflow: relative(resolve(out), resolve(workflow)) || workflow,
      readWorkflow: (vars) => readTested(cli, { workflow, text, isThere, vars, vocabulary }),
      readContent,
    }),
  );
  report(cli, recorded, mask);
  const folders = isThere ? recorded.files : new Map([[`${name}.yaml`, text], ...recorded.files]);
  await writeFiles(out, folders);
  for (const path of folders.keys()) if (!path.includes('.files/')) cli.terminal.data(join(out, path));
}

function readLinesOf<T>(archive: string, read: (text: string) => T): T {
  try {
    return read(archive);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw archiveUnreadable(`This is no archive of a run: ${reason}.`);
  }
}

/** Returns the file of a folder that contains this workflow; undefined if none does. */
function workflowWith(folder: string, yaml: string): string | undefined {
  if (!existsSync(folder)) return undefined;
  const files = readdirSync(folder).filter((name) => /\.ya?ml$/.test(name));
  const found = files.sort().find((name) => {
    const file = join(folder, name);
    // Most files have another size, and are not read.
    return statSync(file).size === Buffer.byteLength(yaml) && readFileSync(file, 'utf8') === yaml;
  });
  return found === undefined ? undefined : join(folder, found);
}

const stemOf = (file: string): string => basename(file).replace(/\.ya?ml$/, '');

async function maskOf(cli: Cli, patterns: readonly string[] = []): Promise<Mask> {
  const [{ createMask }, { secretsIn }, { environment }] = await Promise.all([
    import('@millrace/testing'),
    import('@millrace/runtime'),
    cli.config(),
  ]);
  try {
    return createMask({ secrets: secretsIn(environment), patterns });
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new CommandError(exitCodes.invalid, `--mask is no regular expression of RE2: ${reason}`);
  }
}

function assertNew(file: string): void {
  if (!existsSync(file)) return;
  throw fileExists(`${file} exists already. Choose another --name, or remove it.`);
}

interface TestedText {
  readonly workflow: string;
  readonly text: string;
  readonly isThere: boolean;
  readonly vars: Readonly<Record<string, unknown>>;
  readonly vocabulary: Vocabulary;
}

/** Reads the workflow as `millrace test` will read it. Throws CommandError. */
async function readTested(
  cli: Cli,
  { workflow: file, text, isThere, vars, vocabulary }: TestedText,
): Promise<TestedWorkflow> {
  const { environment } = await cli.config();
  const options = { vocabulary, environment, mode: 'check', variables: vars } as const;
  const read = isThere ? await loadWorkflow(file, options) : await readText({ file, text }, options);
  const errors = read.issues.filter(({ severity }) => severity === 'error');
  if (read.workflow !== undefined && errors.length === 0) return { workflow: read.workflow, yaml: text };
  for (const issue of errors) cli.terminal.say(issueText(issue));
  throw new CommandError(exitCodes.invalid, `${file} cannot be read; nothing was written.`, { issues: errors });
}

/** Says what was hidden and what is missing. Throws CommandError if the test does not pass. */
function report({ terminal }: Cli, { missing, leftOut, mismatches }: RecordedTest, mask: Mask | undefined): void {
  const counts = [...(mask?.counts() ?? [])].map(([kind, count]) => `${count} ${kind}${count === 1 ? '' : 's'}`);
  terminal.say(counts.length === 0 ? 'hidden: nothing' : `hidden: ${counts.join(', ')}`, 'dim');
  if (missing.length > 0)
    terminal.say(`not in the recording: the contents of ${missing.length} files, which could not be read`, 'yellow');
  if (leftOut.length > 0) terminal.say(`not expected, as it has what is hidden: ${leftOut.join(', ')}`, 'yellow');
  if (mismatches.length === 0) return;
  for (const { expected, found } of mismatches) terminal.say(`  expected  ${expected}\n  found     ${found}`);
  throw new CommandError(
    exitCodes.failed,
    'The recorded test does not pass, so nothing was written: a replay cannot bring back what is named above, or the workflow is not the one of the run.',
  );
}
