import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import type { Artifact } from '@millrace/runtime';
import { CommandError, exitCodes } from './exit.ts';
import type { Session } from './session.ts';

/** What is to be done with the files of a run. */
export interface Giving {
  readonly get?: string;
  readonly to?: string;
  readonly json?: boolean;
}

/** Lists files, or prints one, or writes them into a directory. */
export async function giveArtifacts(
  session: Session,
  artifacts: readonly Artifact[],
  { get, to, json }: Giving,
): Promise<void> {
  const { terminal } = session.cli;
  if (get !== undefined) return print(session, artifacts, get);
  if (to !== undefined) return write(session, artifacts, to);
  if (json) terminal.data(JSON.stringify(artifacts, null, 2));
  else if (artifacts.length === 0) terminal.say('No node has written a file that is still there.');
  else for (const artifact of artifacts) terminal.data(lineOf(artifact));
}

/** Files of subgraphs stand below the call that they belong to. */
const nameOf = ({ workspace, path }: Artifact): string => (workspace === 's0' ? path : `${workspace}/${path}`);

const lineOf = (artifact: Artifact): string =>
  [nameOf(artifact), `${artifact.size} B`, artifact.mimeType, `${artifact.node} (${artifact.activation})`].join('  ');

async function print(session: Session, artifacts: readonly Artifact[], wanted: string): Promise<void> {
  const artifact = artifacts.find((one) => nameOf(one) === wanted);
  if (artifact === undefined) {
    throw new CommandError(
      exitCodes.notFound,
      `The run has written no file "${wanted}"; without --get they are listed.`,
    );
  }
  session.cli.terminal.bytes(await contentOf(session, artifact));
}

async function write(session: Session, artifacts: readonly Artifact[], directory: string): Promise<void> {
  for (const artifact of artifacts) {
    const place = join(directory, nameOf(artifact));
    // Paths come from the worker's scan and lie inside; should one not, it is not written.
    if (relative(directory, place).startsWith('..')) continue;
    await mkdir(dirname(place), { recursive: true });
    await writeFile(place, await contentOf(session, artifact));
    session.cli.terminal.data(place);
  }
}

async function contentOf({ runtime }: Session, artifact: Artifact): Promise<Uint8Array> {
  const { blobMissing } = await import('@millrace/runtime');
  const bytes = await runtime.blobs.get(artifact.digest);
  if (bytes === undefined) throw blobMissing(artifact.digest, `The file "${artifact.path}"`);
  return bytes;
}
