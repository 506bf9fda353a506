import { answerContent, callDecision } from '@millrace/catalog';
import type { JournalEntry, RunId, RunStatus } from '@millrace/core';
import { messageWithAttachments, omitUndefined } from '@millrace/core';
import type { Clock, Runtime, Task, VirtualClock } from '@millrace/runtime';
import type { Signal, TestCase } from '../files/test-file.ts';
import { answerText, createPeople } from './people.ts';

/** The world around a run of a test. */
export interface DriveOptions {
  readonly runtime: Pick<Runtime, 'runs' | 'store'>;
  /** Absent: the test runs by the real clock. */
  readonly virtual: VirtualClock | undefined;
  readonly clock: Clock;
  readonly test: Pick<TestCase, 'answers' | 'signals'>;
  /** The test expects that the run waits for people. */
  readonly expectsWaiting: boolean;
  /** Aborted when the test has taken too long. */
  readonly signal: AbortSignal;
}

/** A problem of a test that its run shows. */
export interface DriveProblem {
  readonly field: 'answers' | 'signals';
  readonly message: string;
}

const ended: ReadonlySet<RunStatus> = new Set(['completed', 'failed', 'cancelled', 'terminated']);

/**
 * Answers questions and sends signals as a test says, until its run has ended or nothing more can happen. By the virtual clock
 * it looks whenever nothing is in hand, before time moves; by the real one, after each event of the run.
 */
export async function drive(run: RunId, options: DriveOptions): Promise<readonly DriveProblem[]> {
  const { runtime, virtual, signal, test } = options;
  const hands = createHands(run, options);
  hands.sendSignals(test.signals ?? []);
  if (virtual === undefined) await followEvents(runtime.runs.watch(run, '0', signal), hands);
  else await followTime(virtual, hands, signal);
  return hands.problems();
}

async function followEvents(events: AsyncIterable<JournalEntry>, hands: Hands): Promise<void> {
  for await (const { event } of events)
    if (event.type === 'activation.suspended' && (await hands.look()) === 'over') return;
}

async function followTime(clock: VirtualClock, hands: Hands, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    const next = await clock.still();
    const release = clock.hold();
    try {
      if ((await hands.look()) === 'over' || (next === undefined && !hands.isActing())) return;
    } finally {
      release();
    }
  }
}

/** What the driver does at the run. */
interface Hands {
  sendSignals(signals: readonly Signal[]): void;
  /** Takes care of new questions; returns whether the run is over, for the test. */
  look(): Promise<'over' | 'going'>;
  /** Returns whether an answer or a signal is on its way. */
  isActing(): boolean;
  problems(): readonly DriveProblem[];
}

function createHands(run: RunId, { runtime: { runs }, clock, test, expectsWaiting, signal }: DriveOptions): Hands {
  const people = createPeople(test.answers);
  const taken = new Set<string>();
  const found: DriveProblem[] = [];
  const planned = new Set<string>();

  /** Does something later; the clock is held while it is done. */
  const later = (ms: number, what: string, act: () => Promise<unknown>, field: DriveProblem['field']): void => {
    planned.add(what);
    const cancel = clock.after(ms, () => {
      const release = clock.hold();
      act()
        .catch((error: unknown) => {
          found.push({
            field,
            message: `${what} was refused: ${error instanceof Error ? error.message : String(error)}`,
          });
        })
        .finally(() => {
          planned.delete(what);
          release();
        });
    });
    signal.addEventListener('abort', cancel, { once: true });
  };

  const take = (task: Task): void => {
    const answer = people.answer(task);
    if (answer === undefined) return;
    taken.add(task.id);
    const { given, after, by } = answer;
    later(
      after,
      `the answer ${answerText(answer)} to "${task.node}"`,
      async () => {
        const { activation, call } = task;
        if (call !== undefined) {
          const decision = await callDecision({ id: task.id, call }, given);
          return runs.decide(run, { ...call, activation }, { ...decision, by });
        }
        const message = messageWithAttachments(await answerContent(task, given), [], task.node);
        return runs.answer(run, task, { message, by });
      },
      'answers',
    );
  };

  return {
    sendSignals(signals) {
      for (const [index, { name, data, note, id, after = 0 }] of signals.entries())
        later(
          after,
          `the signal "${name}" (number ${index + 1})`,
          () => runs.signal(run, omitUndefined({ name, note, id, data })),
          'signals',
        );
    },
    async look() {
      const description = await runs.describe(run, 'head');
      if (description === undefined || ended.has(description.status)) return 'over';
      for (const task of description.tasks) if (!taken.has(task.id)) take(task);
      const isLeftAlone = description.status === 'waiting' && planned.size === 0 && description.tasks.length > 0;
      return isLeftAlone && (expectsWaiting || !clock.isVirtual) ? 'over' : 'going';
    },
    isActing: () => planned.size > 0,
    problems: () => [
      ...found,
      ...people.unused().map((answer): DriveProblem => ({ field: 'answers', message: `${answer} was not used` })),
      ...[...planned].map(
        (what): DriveProblem => ({
          field: what.startsWith('the signal') ? 'signals' : 'answers',
          message: `${what} came too late: the run was over`,
        }),
      ),
    ],
  };
}
