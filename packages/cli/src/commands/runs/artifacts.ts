import { writeFile } from 'node:fs/promises';
import { dirname, join, relative, sep } from 'node:path';
import type { RunArtifact, RunHandle } from '@millrace/client';
import { visibleName } from '@millrace/core/visible-text';
import { makeDirectory } from '@millrace/runtime/make-directory';
import type { Command } from 'commander';
import { withSession } from '../../client/session.ts';
import { CommandError, exitCodes } from '../../exit/exit.ts';
import type { Terminal } from '../../output/terminal/terminal.ts';
import type { Cli } from '../../process/cli.ts';
import { resolveActivation } from '../../requests/resolve-activation.ts';
import { resolveRun } from '../../requests/resolve-run.ts';

interface ArtifactsFlags {
  readonly activation?: string;
  readonly get?: string;
  readonly to?: string;
  readonly json?: boolean;
}

/** `millrace artifacts`: lists and saves the files that a run has written. */
export function addArtifacts(program: Command, cli: Cli): void {
  program
    .command('artifacts')
    .description('list or download the files that the nodes of a run have written')
    .addHelpText('after', '\nExample:\n  millrace artifacts run_0199a1b2 --to results/')
    .argument('<run>', 'id of the run, or the beginning of it')
    .option('--activation <id>', 'only files that this activation wrote, such as a3, or its node if that has run once')
    .option('--get <path>', 'print the content of this file')
    .option('--to <directory>', 'write the files into this directory')
    .option('--json', 'print a JSON array')
    .action((named: string, flags: ArtifactsFlags) => artifacts(cli, named, flags));
}

const artifacts = (cli: Cli, named: string, { activation, get, to, json }: ArtifactsFlags): Promise<void> =>
  withSession(cli, {}, async (session) => {
    const { terminal } = cli;
    const run = session.millrace.runs.get(await resolveRun(session, named));
    const found = await run.artifacts(activation && (await resolveActivation(run, activation)));
    if (get !== undefined) return print(terminal, run, found, get);
    if (to !== undefined) return write(terminal, run, found, to);
    if (json) terminal.data(JSON.stringify(found, null, 2));
    else if (found.length === 0) terminal.say('The nodes of this run have left no files.');
    else for (const artifact of found) terminal.data(lineOf(artifact));
  });

/** Files of subgraphs are below the call that they belong to. */
const nameOf = ({ workspace, path }: RunArtifact): string => (workspace === 's0' ? path : `${workspace}/${path}`);

const lineOf = (artifact: RunArtifact): string =>
  [nameOf(artifact), `${artifact.size} B`, artifact.mimeType, `${artifact.node} (${artifact.activation})`]
    .map(visibleName)
    .join('  ');

async function print(terminal: Terminal, run: RunHandle, found: readonly RunArtifact[], name: string): Promise<void> {
  const artifact = found.find((one) => nameOf(one) === name);
  if (artifact === undefined)
    throw new CommandError(
      exitCodes.notFound,
      `The run has written no file "${name}"; without --get they are listed.`,
      {
        code: 'ARTIFACT_UNKNOWN',
      },
    );
  terminal.content(await bytesOf(run, artifact));
}

async function write(
  terminal: Terminal,
  run: RunHandle,
  found: readonly RunArtifact[],
  directory: string,
): Promise<void> {
  for (const artifact of found) {
    const file = join(directory, nameOf(artifact));
    // Paths come from the worker's scan and are inside; a path that is not inside is not written.
    if (isOutside(relative(directory, file))) {
      terminal.say(`! ${nameOf(artifact)} is left out: it would lie outside of ${directory}.`);
      continue;
    }
    await makeDirectory(dirname(file));
    await writeFile(file, await bytesOf(run, artifact));
    terminal.data(visibleName(file));
  }
}

const isOutside = (path: string): boolean => path === '..' || path.startsWith(`..${sep}`);

const bytesOf = async (run: RunHandle, { id }: RunArtifact): Promise<Uint8Array> =>
  new Uint8Array(await (await run.artifact(id)).arrayBuffer());
