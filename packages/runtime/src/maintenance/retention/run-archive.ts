import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import type { JournalEntry, MessageBody, MessageId, RunId, StateView, Workflow } from '@millrace/core';
import { RequestError } from '@millrace/core';
import { loadBody } from '../../blobs/long-bodies.ts';
import type { StartRequest } from '../../contract/runs.ts';
import type { ArchiveFile } from '../../journal/archive/archive-file.ts';
import type { Blobs } from '../../ports/blobs.ts';
import type { RunSummary, Store } from '../../ports/store/port.ts';
import { summaryOf } from '../../ports/store/run-summary.ts';
import { loadDefinition } from '../../resources/definition-text.ts';

/** Line of an archived run: first its summary, the workflow and the text of that, then its journal with the messages. */
export type ArchiveLine =
  | { readonly run: RunSummary }
  | { readonly workflow: unknown }
  | { readonly definition: ArchivedDefinition }
  | { readonly entry: JournalEntry }
  | { readonly message: MessageId; readonly body: MessageBody };

/** Text that a run was started with, and the values of its variables, without secrets. */
export type ArchivedDefinition = NonNullable<StartRequest['definition']>;

/** Source of an archived run. */
interface ArchiveSource {
  readonly store: Store;
  readonly blobs: Blobs;
  readonly state: StateView;
  /** Form of the summary and of the journal; default: as they are stored. */
  readonly form?: ArchiveForm;
  /** Last version of the run that is included; default: the last one there is. */
  readonly version?: number;
}

/** Form of the values of a run in its archive. */
interface ArchiveForm {
  summary(summary: RunSummary): RunSummary;
  entry(entry: JournalEntry): JournalEntry;
}

const asStored: ArchiveForm = { summary: (summary) => summary, entry: (entry) => entry };

const page = 1000;

/** Yields a run as its archive contains it, messages whole: lines of JSON. */
export async function* archivePieces(run: RunId, archived: ArchiveSource): AsyncGenerator<Uint8Array> {
  for await (const lines of linesOf(run, archived)) {
    yield Buffer.from(lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
  }
}

async function* linesOf(
  run: RunId,
  { store, blobs, state, form = asStored, version = Number.POSITIVE_INFINITY }: ArchiveSource,
): AsyncGenerator<readonly ArchiveLine[]> {
  const record = state.get('run');
  if (record === undefined) return;
  const [workflow, definition] = await Promise.all([store.loadPlan(record.plan), loadDefinition(store, state)]);
  yield [
    { run: form.summary(summaryOf(run, { record, origin: state.get('origin'), budget: state.get('budget') })) },
    ...(workflow === undefined ? [] : [{ workflow: JSON.parse(workflow) as unknown }]), // written by savePlan
    ...(definition === undefined ? [] : [{ definition }]),
  ];
  let after = '0';
  let messages = 0;
  for (;;) {
    const read = await store.journal(run, after, page);
    const entries = read.filter(({ id }) => versionOf(id) <= version);
    if (entries.length === 0) return;
    const brought = entries.reduce((sum, { event }) => sum + (event.bodies ?? 0), 0);
    const ids = Array.from({ length: brought }, (_, at): MessageId => `m${messages + at + 1}`);
    const bodies = await store.bodies(run, ids);
    const lines: ArchiveLine[] = entries.map((entry) => ({ entry: form.entry(entry) }));
    for (const [at, message] of ids.entries()) {
      const stored = bodies[at];
      if (stored !== undefined) lines.push({ message, body: await loadBody(blobs, stored) });
    }
    yield lines;
    messages += brought;
    after = entries.at(-1)?.id ?? after;
  }
}

/** Returns the version of a run that an event belongs to: ids are `<version>-<number>`. */
const versionOf = (id: string): number => Number(id.split('-', 1)[0]);

/** The journal of an archived run. Throws SyntaxError when the file is something else. */
export async function* readRunArchive(file: ArchiveFile): AsyncGenerator<JournalEntry> {
  for await (const line of readArchiveLines(file)) if ('entry' in line) yield line.entry;
}

/** Maximum number of bytes that are read of an archive: whoever continues from one has all of it in memory. */
const mostBytes = 256 * 1024 * 1024;

/** Yields the bytes of a file, of which there may be so many. Throws RequestError. */
async function* bounded(file: ArchiveFile, most: number): AsyncGenerator<Uint8Array> {
  let bytes = 0;
  for await (const piece of file.open()) {
    bytes += piece.length;
    if (bytes > most)
      throw unreadable(
        file,
        `it has more than ${most.toLocaleString('en')} bytes, and would have to be in memory as a whole. Replay or fork such a run before it is removed`,
      );
    yield piece;
  }
}

/**
 * Yields the archive of a run, line by line. Throws SyntaxError when the file is something else, and RequestError when it is too
 * large.
 */
export async function* readArchiveLines(file: ArchiveFile, most = mostBytes): AsyncGenerator<ArchiveLine> {
  const input = Readable.from(bounded(file, most), { objectMode: false });
  try {
    for await (const text of createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY })) {
      const line: unknown = JSON.parse(text);
      if (typeof line !== 'object' || line === null) throw new SyntaxError('one of its lines is not a JSON object');
      yield line as ArchiveLine; // written by archiveRun, or else without the fields that are read
    }
  } finally {
    // The interface leaves it open for a reader that stops before the end.
    input.destroy();
  }
}

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
  await reading(file, async () => {
    for await (const line of readArchiveLines(file)) take(line);
  });
  if (run === undefined || workflow === undefined)
    throw unreadable(file, 'it does not begin with a run and its workflow');
  if (entries.at(-1) === undefined) throw unreadable(file, 'it holds no journal');
  return { run, workflow, definition, entries, bodies };
}

/** Reads a file; throws RequestError when that cannot be done. */
async function reading(file: ArchiveFile, read: () => Promise<void>): Promise<void> {
  try {
    await read();
  } catch (error) {
    if (error instanceof RequestError) throw error;
    throw unreadable(file, error instanceof Error ? error.message : String(error));
  }
}

/** Returns the workflow of an archived run, and the text that it was read from. Throws RequestError. */
export async function readArchivedWorkflow(file: ArchiveFile): Promise<Pick<ArchivedRun, 'workflow' | 'definition'>> {
  let workflow: Workflow | undefined;
  let definition: ArchivedDefinition | undefined;
  await reading(file, async () => {
    for await (const line of readArchiveLines(file)) {
      // They are before the journal.
      if ('entry' in line) break;
      if ('workflow' in line)
        workflow = line.workflow as Workflow; // written as it was stored by `savePlan`
      else if ('definition' in line) definition = line.definition;
    }
  });
  if (workflow === undefined) throw unreadable(file, 'it does not begin with a run and its workflow');
  return { workflow, definition };
}

/** Returns the error for a file that contains no complete run. */
export const unreadable = ({ name }: ArchiveFile, why: string): RequestError =>
  new RequestError('ARCHIVE_UNREADABLE', `${name} cannot be read as an archived run: ${why}.`);
