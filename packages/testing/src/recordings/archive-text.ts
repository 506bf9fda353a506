import type { Event, JournalEntry, Vocabulary, Workflow } from '@millrace/core';
import { compile, Recording } from '@millrace/core';
import { isDigest } from '@millrace/runtime';

/** A line of the archive of a run; see `runs.archive`. */
export type RecordedLine = Readonly<Record<string, unknown>>;

/** Reads the lines of an archive. Throws SyntaxError for other texts. */
export const readLines = (text: string): readonly RecordedLine[] =>
  text
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => JSON.parse(line) as RecordedLine); // an archive consists of objects

/** Returns the text of an archive. */
export const writeLines = (lines: readonly RecordedLine[]): string =>
  lines.map((line) => `${JSON.stringify(line)}\n`).join('');

/** The text of the workflow of an archive, and the values of its variables; undefined if the archive has none. */
export function definitionIn(lines: readonly RecordedLine[]) {
  const line = lines.find((one) => 'definition' in one);
  // Written as the text that a run was started with.
  return line?.['definition'] as
    | { readonly yaml: string; readonly vars?: Readonly<Record<string, unknown>> }
    | undefined;
}

/** Returns the summary of the run of an archive. */
export const summaryIn = (lines: readonly RecordedLine[]) =>
  (lines[0]?.['run'] ?? {}) as Partial<Record<'run' | 'workflow' | 'status', string>>; // its first line is the summary

/** Returns the name of the workflow of an archive, as the name of a file. */
export function nameIn(lines: readonly RecordedLine[]): string {
  const { workflow = '' } = summaryIn(lines);
  return workflow.replaceAll(/[^A-Za-z0-9._-]+/g, '-') || 'recorded';
}

/** Returns the journal of an archive. */
export const journalIn = (lines: readonly RecordedLine[]): readonly JournalEntry[] =>
  lines.flatMap((line) => ('entry' in line ? [line['entry'] as JournalEntry] : [])); // written as a journal has it

/** Returns the workflow of an archive. */
export const workflowIn = (lines: readonly RecordedLine[]): Workflow =>
  lines.find((line) => 'workflow' in line)?.['workflow'] as Workflow; // written as it was stored

/** Folds the journal of an archive into its recording, under the plan of its workflow. */
export function recordingIn(lines: readonly RecordedLine[], vocabulary: Vocabulary): Recording {
  const recording = new Recording(compile(workflowIn(lines), vocabulary));
  for (const entry of journalIn(lines)) recording.add(entry);
  return recording;
}

/** Returns an archive with other events. */
const withEvents = (lines: readonly RecordedLine[], change: (event: Event) => Event): readonly RecordedLine[] =>
  lines.map((line) => {
    if (!('entry' in line)) return line;
    const entry = line['entry'] as JournalEntry; // written as a journal has it
    return { ...line, entry: { ...entry, event: change(entry.event) } };
  });

/** Returns an archive whose steps have the hashes of the requests that a replay of it has made. */
export function withRequestsOf(
  lines: readonly RecordedLine[],
  replayed: readonly RecordedLine[],
  vocabulary: Vocabulary,
): readonly RecordedLine[] {
  const [recording, made] = [recordingIn(lines, vocabulary), recordingIn(replayed, vocabulary)];
  return withEvents(lines, (event) => {
    if (event.type !== 'step.started') return event;
    const request = made.at(recording.placeOf(event.activation))?.steps[event.step]?.request;
    return request === undefined ? event : { ...event, request };
  });
}

/** Returns the digests of the contents in the blob store that an archive refers to. Copies of journals are none of its contents. */
export function contentsIn(lines: readonly RecordedLine[]): ReadonlySet<string> {
  const found = new Set<string>();
  const search = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return;
    for (const [key, field] of Object.entries(value)) {
      // Anybody may write an archive, and contents are read by this name.
      if (key === 'digest' && isDigest(String(field))) found.add(String(field));
      else if (key !== 'replay') search(field);
    }
  };
  for (const line of lines) {
    const isArchiving = 'entry' in line && (line['entry'] as JournalEntry).event.type === 'journal.archived';
    if (!isArchiving) search(line);
  }
  return found;
}

/** Contents with other bytes. */
export interface NewContent {
  readonly digest: string;
  readonly size: number;
}

/** Returns an archive that refers to new contents in place of those with these digests. */
export function withContents(
  lines: readonly RecordedLine[],
  contents: ReadonlyMap<string, NewContent>,
): readonly RecordedLine[] {
  if (contents.size === 0) return lines;
  // The id of an attachment is the beginning of the digest.
  const ids = new Map([...contents].map(([old, { digest }]) => [old.slice(0, 32), digest.slice(0, 32)]));
  const replace = (value: unknown): unknown => {
    if (typeof value === 'string') return contents.get(value)?.digest ?? ids.get(value) ?? value;
    if (Array.isArray(value)) return value.map(replace);
    if (typeof value !== 'object' || value === null) return value;
    const copy = Object.fromEntries(Object.entries(value).map(([key, field]) => [key, replace(field)]));
    const fresh = 'digest' in value ? contents.get(String(value.digest)) : undefined;
    return fresh !== undefined && 'size' in value ? { ...copy, size: fresh.size } : copy;
  };
  return lines.map((line) => replace(line) as RecordedLine); // of the same shape
}
