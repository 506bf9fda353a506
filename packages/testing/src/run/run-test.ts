import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import type { Message, RunId, Vocabulary, Workflow } from '@millrace/core';
import { budgetFromDollars, defaultTenant, messageWithAttachments, NodeError, omitUndefined } from '@millrace/core';
import type { Runtime, StartRequest } from '@millrace/runtime';
import {
  archivePieces,
  createGuardedFetch,
  createTenantRuntime,
  createVirtualClock,
  localArchive,
  openRuntime,
  realClock,
} from '@millrace/runtime';
import { startWorker } from '@millrace/worker';
import { pino } from 'pino';
import { checkRun, expectedStatus } from '../expect/check-run.ts';
import type { Mismatch } from '../expect/mismatch.ts';
import type { Outcome } from '../expect/outcome.ts';
import { readOutcome } from '../expect/outcome.ts';
import type { LocatedTest } from '../files/read-test-file.ts';
import type { TestCase } from '../files/test-file.ts';
import { bringContents, contentsOf } from '../recordings/contents.ts';
import type { StepLog } from '../recordings/step-log.ts';
import { createStepLog } from '../recordings/step-log.ts';
import { divergenceOf } from './divergence.ts';
import { drive } from './drive.ts';
import type { UnexpectedCall } from './test-vocabulary.ts';
import { testVocabulary } from './test-vocabulary.ts';

/** A workflow of tests: as it was read, and its text. */
export interface TestedWorkflow {
  readonly workflow: Workflow;
  readonly yaml: string;
}

/** The archive of a run, and the contents that it refers to, by their digests. */
export interface KeptRun {
  readonly archive: string;
  readonly contents: ReadonlyMap<string, Uint8Array>;
}

/** What a test needs of the place where it is run. */
export interface TestSite {
  /** The file of the test. */
  readonly file: string;
  readonly vocabulary: Vocabulary;
  readonly tested: TestedWorkflow;
  /** Reads a file beside the test. Throws an error with the reason. */
  readFile(path: string): Promise<Uint8Array<ArrayBuffer>>;
  /** Reads a script beside the test. Throws an error with the reason. */
  readScript(path: string): Promise<Readonly<Record<string, unknown>>>;
  /** Called with the run of the test when it has ended. */
  readonly onOutcome?: (outcome: Outcome) => void;
  /** Keeps the run of the test. */
  readonly keep?: (run: KeptRun) => Promise<void>;
}

/** Real time that a test may take, in milliseconds. */
const defaultTimeoutMs = 30_000;
/** Activations that may become ready at one moment: more are a loop that nothing ends. */
const maxActivationsAtOnce = 10_000;

/** Runs a test in a runtime of its own, and returns what is wrong with its run; it ends early when the signal is aborted. */
export async function runTest(
  { test }: LocatedTest,
  site: TestSite,
  signal?: AbortSignal,
): Promise<readonly Mismatch[]> {
  const virtual = test.clock === 'real' ? undefined : createVirtualClock(test.start_time ?? Date.now());
  const clock = virtual ?? realClock;
  const unexpected: Mismatch[] = [];
  const note = ({ field, message }: UnexpectedCall) => {
    unexpected.push({ path: [field], expected: 'an answer of the test [TEST_CALL_UNEXPECTED]', found: message });
  };
  const vocabulary = testVocabulary(site.vocabulary, test, note);
  const report = (message: string, error: unknown) => {
    unexpected.push({ path: [], expected: 'a runtime without trouble', found: `${message}: ${String(error)}` });
  };
  const steps = createStepLog();
  const runtime = await openRuntime({ local: true, clock }, vocabulary, report);
  const workspaces = await mkdtemp(join(tmpdir(), 'millrace-test-'));
  const worker = startWorker({
    runtime,
    vocabulary,
    concurrency: 8,
    queues: 'all',
    name: 'test',
    log: pino({ level: 'silent' }),
    workspaces,
    fetch: fetchOfTest(test, note),
    onStep: steps.onStep,
  });
  runtime.startCaretaker();
  try {
    return await runIn(runtime, { test, site, virtual, unexpected, steps, signal });
  } finally {
    await worker.close();
    await runtime.close();
    await rm(workspaces, { recursive: true, force: true });
  }
}

interface TestInRuntime {
  readonly test: TestCase;
  readonly site: TestSite;
  readonly virtual: ReturnType<typeof createVirtualClock> | undefined;
  readonly unexpected: readonly Mismatch[];
  readonly steps: StepLog;
  readonly signal: AbortSignal | undefined;
}

async function runIn(
  runtime: Runtime,
  { test, site, virtual, unexpected, steps, signal }: TestInRuntime,
): Promise<readonly Mismatch[]> {
  const over = new AbortController();
  const timeoutMs = test.timeout ?? defaultTimeoutMs;
  const late = {
    path: ['timeout'],
    expected: `an end within ${timeoutMs / 1000} s of real time`,
    found: 'the test was still running',
  };
  const problems: Mismatch[] = [];
  const stop = (mismatch: Mismatch) => {
    problems.push(mismatch);
    over.abort();
  };
  const timer = setTimeout(() => stop(late), timeoutMs);
  const interrupt = () => stop({ path: [], expected: 'the end of the test', found: 'it was interrupted' });
  signal?.addEventListener('abort', interrupt);
  try {
    const run = await startRun(runtime, test, site);
    const watching = watchForLoops(runtime, run, { stop, signal: over.signal });
    const expectsWaiting = expectedStatus(test.expect) === 'waiting';
    const driving = drive(run, { runtime, virtual, clock: runtime.clock, test, expectsWaiting, signal: over.signal });
    const stopped = new Promise<undefined>((resolve) =>
      over.signal.addEventListener('abort', () => resolve(undefined)),
    );
    const driven = await Promise.race([driving, stopped]);
    driving.catch(() => undefined);
    over.abort();
    await watching;
    const outcome = await readOutcome(runtime, run);
    site.onOutcome?.(outcome);
    const diverged = await divergenceOf(outcome, {
      recording: recordingOf(test, site),
      vocabulary: site.vocabulary,
      steps,
    });
    if (diverged !== undefined) problems.push(diverged);
    const unmet = problems.length > 0 ? [] : await checkRun(test.expect, outcome);
    const left = (driven ?? []).map(
      ({ field, message }): Mismatch => ({
        path: [field],
        expected: 'every answer and signal to be used',
        found: message,
      }),
    );
    if (site.keep !== undefined) await site.keep(await keptRun(runtime, run));
    return [...problems, ...unexpected, ...left, ...unmet];
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', interrupt);
  }
}

async function keptRun({ runs, store, blobs }: Runtime, run: RunId): Promise<KeptRun> {
  const open = await runs.refresh(run);
  const pieces: Uint8Array[] = [];
  if (open !== undefined)
    for await (const piece of archivePieces(run, { store, blobs, state: open.state })) pieces.push(piece);
  const archive = Buffer.concat(pieces).toString();
  return { archive, contents: await contentsOf(archive, (digest) => blobs.get(digest)) };
}

/** Stops a test whose run goes on for ever at one moment. */
async function watchForLoops(
  { runs }: Runtime,
  run: RunId,
  { stop, signal }: { readonly stop: (mismatch: Mismatch) => void; readonly signal: AbortSignal },
): Promise<void> {
  let moment = 0;
  let count = 0;
  for await (const { at, event } of runs.watch(run, '0', signal)) {
    if (event.type !== 'activation.ready') continue;
    count = at === moment ? count + 1 : 1;
    moment = at;
    if (count < maxActivationsAtOnce) continue;
    const node = (await runs.refresh(run))?.plan.graphs.get('')?.nodes[event.node]?.id ?? '';
    return stop({
      path: ['expect'],
      expected: 'a run that ends',
      found: `${maxActivationsAtOnce} activations at one moment, the last one of "${node}": nothing ends the loop`,
      activation: event.activation,
    });
  }
}

/** Returns the path of the recording of a test. */
const recordingOf = ({ recording }: TestCase, { file }: TestSite): string | undefined =>
  recording === undefined ? undefined : resolve(dirname(file), recording);

async function startRun(runtime: Runtime, test: TestCase, site: TestSite): Promise<RunId> {
  const { vars = {}, budget, match = 'request' } = test;
  const workflow = await workflowOf(test, site);
  const definition = { yaml: site.tested.yaml, vars };
  const path = recordingOf(test, site);
  if (path !== undefined) {
    await bringContents(runtime.blobs, path);
    const mode = match === 'position' ? 'position' : 'strict';
    return runtime.runs.replay({ file: localArchive(path) }, { plan: { workflow, definition }, mode });
  }
  const request: StartRequest = {
    workflow,
    definition,
    input: await inputOf(runtime, test, site),
    ...omitUndefined({ budget: budget === undefined ? undefined : budgetFromDollars(budget) }),
  };
  return runtime.runs.start(request);
}

/** Returns the workflow with what the test says of models. */
async function workflowOf({ script, prices }: TestCase, { tested, readScript }: TestSite): Promise<Workflow> {
  const { graph } = tested.workflow;
  const priced =
    prices === undefined
      ? tested.workflow
      : { ...tested.workflow, graph: { ...graph, prices: { ...graph.prices, ...prices } } };
  if (script === undefined) return priced;
  return { ...priced, script: typeof script === 'string' ? await readScript(script) : script };
}

async function inputOf(
  runtime: Runtime,
  { input = '', attachments = [] }: TestCase,
  { file, readFile }: TestSite,
): Promise<string | readonly Message[]> {
  const beside = (path: string) => resolve(dirname(file), path);
  const text = input.startsWith('@') ? new TextDecoder().decode(await readFile(beside(input.slice(1)))) : input;
  if (attachments.length === 0) return text;
  const { files } = createTenantRuntime(runtime, defaultTenant);
  const ids: string[] = [];
  for (const path of attachments) {
    const bytes = await readFile(beside(path));
    ids.push((await files.add({ name: basename(path), pieces: pieces(bytes) })).id);
  }
  return [messageWithAttachments(text, await files.attachments(ids), 'TASK')];
}

async function* pieces(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

/** Returns the `fetch` of a test, which reaches the hosts that it names, and no others. */
function fetchOfTest({ network = [] }: TestCase, note: (call: UnexpectedCall) => void): typeof fetch {
  const named = new Set(network.map((one) => one.toLowerCase()));
  // Ports are no part of a connection's host, and brackets are none of its address.
  const hosts = new Set([...named].map((one) => one.replace(/(?<=^[^:]+|\]):\d+$/, '').replace(/^\[(.*)\]$/, '$1')));
  const refuse = (host: string): string => {
    const message = `A connection to ${host} was refused: a test reaches the hosts under \`network\` alone.`;
    note({ field: 'network', message });
    return message;
  };
  // A redirect connects to another host.
  const guarded = createGuardedFetch({
    allows: (host) => hosts.has(host.toLowerCase()) || refuse(host) === '',
  });
  return async (input, init) => {
    const { host, hostname } = new URL(input instanceof Request ? input.url : input);
    if (named.has(hostname) || named.has(host)) return guarded(input, init);
    throw new NodeError('TEST_CALL_UNEXPECTED', refuse(host));
  };
}
