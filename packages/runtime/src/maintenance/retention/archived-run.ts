import type { JournalEntry, MessageBody, MessageId, RunId, Workflow } from '@millrace/core';
import { RequestError } from '@millrace/core';
import type { ArchiveFile } from '../../journal/archive/archive-file.ts';
import type { ArchivedDefinition, ArchiveLine } from './run-archive.ts';
import { readArchiveLines } from './run-archive.ts';

/** A run as its archive contains it. */
export interface ArchivedRun {
  readonly run: RunId;
  readonly workflow: Workflow;
  /** undefined: the run was started without the text of its workflow. */
  readonly definition: ArchivedDefinition | undefined;
  readonly entries: readonly JournalEntry[];
  readonly bodies: ReadonlyMap<MessageId, MessageBody>;
}

/** Reads an archived run completely into memory. Throws RequestError. */
export async function readArchivedRun(file: ArchiveFile): Promise<ArchivedRun> {
  let run: RunId | undefined;
  let workflow: Workflow | undefined;
  let definition: ArchivedDefinition | undefined;
  const entries: JournalEntry[] = [];
  const bodies = new Map<MessageId, MessageBody>();
  const take = (line: ArchiveLine) => {
    if ('entry' in line) entries.push(line.entry);
    else if ('message' in line) bodies.set(line.message, line.body);
    else if ('run' in line) run = line.run.run;
    else if ('workflow' in line)
      workflow = line.workflow as Workflow; // written as it was stored by `savePlan`
    else if ('definition' in line) definition = line.definition;
  };
  try {
    for await (const line of readArchiveLines(file)) take(line);
  } catch (error) {
    if (error instanceof RequestError) throw error;
    throw unreadable(file, error instanceof Error ? error.message : String(error));
  }
  if (run === undefined || workflow === undefined)
    throw unreadable(file, 'it does not begin with a run and its workflow');
  if (entries.at(-1) === undefined) throw unreadable(file, 'it holds no journal');
  return { run, workflow, definition, entries, bodies };
}

/** Returns the workflow of an archived run, and the text that it was read from. Throws RequestError. */
export async function readArchivedWorkflow(file: ArchiveFile): Promise<Pick<ArchivedRun, 'workflow' | 'definition'>> {
  const { workflow, definition } = await readArchivedRun(file);
  return { workflow, definition };
}

/** Returns the error for a file that contains no complete run. */
export const unreadable = ({ name }: ArchiveFile, why: string): RequestError =>
  new RequestError('ARCHIVE_UNREADABLE', `${name} cannot be read as an archived run: ${why}.`);
