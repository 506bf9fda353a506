import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join, relative, sep } from 'node:path';
import type { RunArtifact as Artifact, RunHandle } from '@millrace/client';
import type { Session } from '../client/session.ts';
import { CommandError, exitCodes } from '../exit/exit.ts';
import { visibleName } from '../output/terminal/visible-text.ts';

/** Request for the files of a run. */
export interface ArtifactOptions {
  readonly run: string;
  /** Only what this one wrote. */
  readonly activation?: string;
  readonly get?: string;
  readonly to?: string;
  readonly json?: boolean;
}

/** Lists files, or prints one, or writes them into a directory. */
export async function printArtifacts(session: Session, giving: ArtifactOptions): Promise<void> {
  const { run, activation, get, to, json } = giving;
  const { terminal } = session.cli;
  const handle = session.millrace.runs.get(run);
  const artifacts = await handle.artifacts(activation);
  if (get !== undefined) return print(session, artifacts, { run: handle, wanted: get });
  if (to !== undefined) return write(session, artifacts, { run: handle, directory: to });
  if (json) terminal.data(JSON.stringify(artifacts, null, 2));
  else if (artifacts.length === 0) terminal.say('The nodes of this run have left no files.');
  else for (const artifact of artifacts) terminal.data(lineOf(artifact));
}

/** Files of subgraphs are below the call that they belong to. */
const nameOf = ({ workspace, path }: Artifact): string => (workspace === 's0' ? path : `${workspace}/${path}`);

const lineOf = (artifact: Artifact): string =>
  [nameOf(artifact), `${artifact.size} B`, artifact.mimeType, `${artifact.node} (${artifact.activation})`]
    .map(visibleName)
    .join('  ');

async function print(
  session: Session,
  artifacts: readonly Artifact[],
  { run, wanted }: { run: RunHandle; wanted: string },
): Promise<void> {
  const artifact = artifacts.find((one) => nameOf(one) === wanted);
  if (artifact === undefined) {
    throw new CommandError(
      exitCodes.notFound,
      `The run has written no file "${wanted}"; without --get they are listed.`,
    );
  }
  session.cli.terminal.content(await bytesOf(run, artifact));
}

const isOutside = (path: string): boolean => path === '..' || path.startsWith(`..${sep}`);

async function write(
  session: Session,
  artifacts: readonly Artifact[],
  { run, directory }: { run: RunHandle; directory: string },
): Promise<void> {
  for (const artifact of artifacts) {
    const place = join(directory, nameOf(artifact));
    // Paths come from the worker's scan and are inside; a path that is not inside is not written.
    if (isOutside(relative(directory, place))) {
      session.cli.terminal.say(`! ${nameOf(artifact)} is left out: it would lie outside of ${directory}.`);
      continue;
    }
    await mkdir(dirname(place), { recursive: true });
    await writeFile(place, await bytesOf(run, artifact));
    session.cli.terminal.data(visibleName(place));
  }
}

const bytesOf = async (run: RunHandle, { id }: Artifact): Promise<Uint8Array> =>
  new Uint8Array(await (await run.artifact(id)).arrayBuffer());
