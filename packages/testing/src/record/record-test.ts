import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import type { Vocabulary } from '@millrace/core';
import { omitUndefined, RequestError, textOf, withoutReferences } from '@millrace/core';
import { makeDirectory } from '@millrace/runtime';
import { Document, isScalar, Scalar, visit } from 'yaml';
import { isSame } from '../expect/check-text.ts';
import type { Mismatch } from '../expect/mismatch.ts';
import type { Outcome } from '../expect/outcome.ts';
import type { Expectations } from '../files/expectations.ts';
import type { TestCase } from '../files/test-file.ts';
import type { RecordedLine } from '../recordings/archive-text.ts';
import {
  definitionIn,
  journalIn,
  readLines,
  summaryIn,
  withRequestsOf,
  workflowIn,
  writeLines,
} from '../recordings/archive-text.ts';
import { contentsFolder, maskContents } from '../recordings/contents.ts';
import type { Mask } from '../recordings/mask.ts';
import type { TestedWorkflow } from '../run/run-test.ts';
import { runTest } from '../run/run-test.ts';

/** A run that becomes a test. */
export interface RecordRequest {
  /** The archive of the run. */
  readonly archive: string;
  /** Name of the files, without their endings. */
  readonly name: string;
  /** Absent: nothing is hidden. */
  readonly mask: Mask | undefined;
  readonly vocabulary: Vocabulary;
  /** Path of the workflow from the folder of the test. */
  readonly workflow: string;
  /** Reads the workflow with these values of variables, as the test will read it. Throws an error with the reason. */
  readWorkflow(vars: Readonly<Record<string, unknown>>): Promise<TestedWorkflow>;
  /** Reads contents by their digest; undefined if they are not there. */
  readContent(digest: string): Promise<Uint8Array | undefined>;
}

/** A recorded test. */
export interface RecordedTest {
  /** Contents of the files by their paths from the folder of the test. */
  readonly files: ReadonlyMap<string, string | Uint8Array>;
  /** Digests of contents that could not be read, such as those of files that are not in an archive. */
  readonly missing: readonly string[];
  /** Expectations that the test does not have, as they would show what is hidden. */
  readonly leftOut: readonly string[];
  /** Where the test is not green: nothing is to be written then. */
  readonly mismatches: readonly Mismatch[];
}

/**
 * Makes a test of a recorded run. What is hidden changes the requests of steps, so the masked run is replayed by position, and each
 * step gets the hash of the request that was made then. The test is run at last: what a replay cannot bring back shows here.
 * Throws RequestError for a run that cannot be replayed.
 */
export async function recordTest(request: RecordRequest): Promise<RecordedTest> {
  const { name, mask, vocabulary, workflow } = request;
  const original = readLines(request.archive);
  assertEnded(original);
  const hidden = mask === undefined ? original : (mask.hideIn(original) as typeof original); // of the same shape
  const { lines, contents, missing } = await maskContents(hidden, request.readContent, mask);
  const vars = withoutReferences(definitionIn(lines)?.vars ?? {});
  const tested = await request.readWorkflow(vars);
  assertSameWorkflow(workflowIn(lines), mask?.hideIn(tested.workflow) ?? tested.workflow, workflow);
  const path = `recordings/${name}.jsonl`;
  const folder = await mkdtemp(join(tmpdir(), 'millrace-record-'));
  try {
    const write = (lines: readonly RecordedLine[]) =>
      writeFiles(folder, new Map<string, string | Uint8Array>([[path, writeLines(lines)], ...beside(path, contents)]));
    const test: TestCase = {
      name: `as recorded on ${new Date(startOf(original)).toISOString().slice(0, 10)}`,
      recording: path,
      ...(Object.keys(vars).length === 0 ? {} : { vars }),
      expect: {},
    };
    const site = { file: join(folder, `${name}.test.yaml`), vocabulary, tested };
    await write(lines);
    const replayed = await replay({ ...test, match: 'position' }, site);
    const recorded = withRequestsOf(lines, replayed.lines, vocabulary);
    await write(recorded);
    const { shown, leftOut } = shownBy(mask, replayed.expect);
    const expected = { ...test, expect: shown };
    const { mismatches } = await replay(expected, site);
    return {
      files: new Map<string, string | Uint8Array>([
        [`${name}.test.yaml`, textOfTests({ workflow, tests: [expected] })],
        [path, writeLines(recorded)],
        ...beside(path, contents),
      ]),
      missing,
      leftOut,
      mismatches,
    };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Returns the expectations without those in which a mask hides something: the workflow of the test is not masked. */
function shownBy(mask: Mask | undefined, expect: Expectations) {
  const parts = Object.entries(expect);
  const leftOut = parts.filter(
    ([name, part]) => mask !== undefined && !isSame(mask.hideIn({ [name]: part }), { [name]: part }),
  );
  const shown: Expectations = Object.fromEntries(parts.filter((part) => !leftOut.includes(part)));
  return { shown, leftOut: leftOut.map(([name]) => name) };
}

/** Returns the text of a file of tests: files are read as YAML 1.1, by which `=` and `<<` are no texts, either. */
export function textOfTests(file: object): string {
  const document = new Document(file, { version: '1.1' });
  visit(document, {
    Scalar(_key, node) {
      if (isScalar(node) && (node.value === '=' || node.value === '<<')) node.type = Scalar.QUOTE_DOUBLE;
    },
  });
  return document.toString({ lineWidth: 0 });
}

/** Throws RequestError for a run that is in progress. */
function assertEnded(lines: readonly RecordedLine[]): void {
  const { run, status } = summaryIn(lines);
  if (status !== undefined && !endings.has(status))
    throw new RequestError('REPLAY_IMPOSSIBLE', `Run ${run} has not ended yet: it is ${status}.`);
}

const endings: ReadonlySet<string> = new Set(['completed', 'failed', 'cancelled', 'terminated']);

/** Throws RequestError if a workflow is not the one of the run, as far as texts are not hidden. */
function assertSameWorkflow(recorded: unknown, tested: unknown, file: string): void {
  if (comparable(recorded) === comparable(tested)) return;
  throw new RequestError(
    'RECORD_WORKFLOW_DIFFERS',
    `${file} is not the workflow of the run: it has changed since, or is another one. Record a run of it, or choose another --name to write the workflow of the run as well.`,
  );
}

/** Returns a workflow as a text that neither the order of fields nor the numbers of hidden values change. */
function comparable(workflow: unknown): string {
  const { script: _answers, graph, ...others } = workflow as { readonly script?: unknown; readonly graph: object }; // it was read as one
  const { prices: _known, ...rest } = graph as { readonly prices?: unknown };
  const sorted = JSON.stringify({ ...others, graph: rest }, (_key, value: unknown) =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1)))
      : value,
  );
  return sorted.replaceAll(/«([a-z]+):\d+»/g, '«$1»');
}

const startOf = (lines: readonly RecordedLine[]): number => journalIn(lines)[0]?.at ?? 0;

/** Returns the files with the contents of a recording. */
const beside = (path: string, contents: ReadonlyMap<string, Uint8Array>) =>
  [...contents].map(([digest, bytes]): [string, Uint8Array] => [`${contentsFolder(path)}/${digest}`, bytes]);

/** Writes files below a folder. */
export async function writeFiles(folder: string, files: ReadonlyMap<string, string | Uint8Array>): Promise<void> {
  for (const [path, content] of files) {
    await makeDirectory(dirname(join(folder, path)));
    await writeFile(join(folder, path), content);
  }
}

interface ReplaySite {
  readonly file: string;
  readonly vocabulary: Vocabulary;
  readonly tested: TestedWorkflow;
}

/** Replays a recording as a test, and returns the archive of the replay with what it came to. */
async function replay(test: TestCase, site: ReplaySite) {
  let kept = '';
  let expect: Expectations = {};
  const mismatches = await runTest(
    { test, index: 0, at: () => ({ line: 1, column: 1 }) },
    {
      ...site,
      readFile: noFile,
      readScript: noFile,
      async keep({ archive }) {
        kept = archive;
      },
      onOutcome(outcome) {
        expect = expectationsOf(outcome);
      },
    },
  );
  return { lines: readLines(kept), expect, mismatches };
}

const noFile = (path: string): Promise<never> => Promise.reject(new Error(`a recording has no file ${basename(path)}`));

/** Returns the expectations that a run meets: its end, how often each node has settled, and which have not run. */
function expectationsOf({ description, nodes, activations, nodeOf }: Outcome): Expectations {
  const { status, output, error, stop } = description;
  const counts = new Map<string, number>();
  for (const { node } of activations) counts.set(node, (counts.get(node) ?? 0) + 1);
  const never = [...nodes].filter((node) => !counts.has(node)).sort();
  return omitUndefined({
    status: status === 'completed' || status === 'failed' || status === 'terminated' ? status : undefined,
    output: output && textOf(output),
    error: error && omitUndefined({ code: error.code, node: nodeOf(error.activation ?? '') ?? error.node }),
    stop: status === 'terminated' ? stop?.code : undefined,
    nodes: counts.size === 0 ? undefined : Object.fromEntries([...counts].sort(([a], [b]) => (a < b ? -1 : 1))),
    never: never.length === 0 ? undefined : never,
  });
}
