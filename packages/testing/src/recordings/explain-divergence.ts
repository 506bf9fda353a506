import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startDeadline } from '@millrace/catalog';
import type { JournalEntry, Plan, Vocabulary } from '@millrace/core';
import { Recording } from '@millrace/core';
import { localArchive, openRuntime } from '@millrace/runtime';
import type { AskedStep } from '@millrace/worker';
import { startWorker } from '@millrace/worker';
import { pino } from 'pino';
import { differenceLines, requestDifferences } from './request-difference.ts';
import type { StepLog } from './step-log.ts';
import { createStepLog } from './step-log.ts';

/** A replay of a recording that has ended because it diverged. */
export interface DivergedReplay {
  /** Path of the recording. */
  readonly recording: string;
  readonly vocabulary: Vocabulary;
  readonly plan: Plan;
  readonly journal: readonly JournalEntry[];
  readonly steps: StepLog;
  /** The activation that failed. */
  readonly activation: string;
}

/** The request that a recording does not have. */
export interface Divergence {
  /** Number of times that its node had been there, from 1. */
  readonly time: number;
  /** Both requests, where they differ; empty if the recording has no such step at all. */
  readonly lines: readonly string[];
}

/**
 * Returns how the request of a replay differs from the recorded one; undefined if the replay failed at no step. A recording need not
 * have whole requests, so it is replayed under its own workflow until it has made the same request.
 */
export async function explainDivergence(replay: DivergedReplay): Promise<Divergence | undefined> {
  const asked = replay.steps.last(replay.activation);
  const path = pathsIn(replay.plan, replay.journal).get(replay.activation);
  if (asked === undefined || path === undefined) return undefined;
  const recorded = await recordedStep(replay, path, asked.step);
  const time = Number(/#(\d+)$/.exec(path)?.[1] ?? 1);
  if (recorded === undefined) return { time, lines: [] };
  const names = recorded.name === asked.name ? [] : [{ label: 'step', recorded: recorded.name, asked: asked.name }];
  return { time, lines: differenceLines([...names, ...requestDifferences(recorded.asked, asked.asked)]) };
}

/** Returns the paths of the activations of a journal. */
function pathsIn(plan: Plan, journal: readonly JournalEntry[]): ReadonlyMap<string, string> {
  const recording = new Recording(plan);
  const paths = new Map<string, string>();
  for (const entry of journal) {
    recording.add(entry);
    const { event } = entry;
    const path = event.type === 'activation.ready' ? recording.placeOf(event.activation)?.path : undefined;
    if (event.type === 'activation.ready' && path !== undefined) paths.set(event.activation, path);
  }
  return paths;
}

/** Longest time that the recording takes to make its requests again, in milliseconds. */
const longestMs = 20_000;

/** Returns a step of a recording with its whole request. */
async function recordedStep(
  { recording, vocabulary }: DivergedReplay,
  path: string,
  step: number,
): Promise<AskedStep | undefined> {
  const steps = createStepLog();
  const runtime = await openRuntime({ local: true }, vocabulary, () => undefined);
  const workspaces = await mkdtemp(join(tmpdir(), 'millrace-recording-'));
  const worker = startWorker({
    runtime,
    vocabulary,
    concurrency: 8,
    queues: 'all',
    name: 'recording',
    log: pino({ level: 'silent' }),
    workspaces,
    onStep: steps.onStep,
  });
  const deadline = startDeadline(longestMs);
  try {
    // By position: what was hidden in the workflow changes requests, but not their places.
    const run = await runtime.runs.replay({ file: localArchive(recording) }, { mode: 'position' });
    const journal: JournalEntry[] = [];
    for await (const entry of runtime.runs.watch(run, '0', deadline.signal)) journal.push(entry);
    const open = await runtime.runs.refresh(run);
    const paths = open === undefined ? [] : [...pathsIn(open.plan, journal)];
    const [activation] = paths.find(([, one]) => one === path) ?? [];
    return activation === undefined ? undefined : steps.at(activation, step);
  } finally {
    deadline.clear();
    await worker.close();
    await runtime.close();
    await rm(workspaces, { recursive: true, force: true });
  }
}
