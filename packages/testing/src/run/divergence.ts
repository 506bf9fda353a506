import type { Vocabulary } from '@millrace/core';
import type { Mismatch } from '../expect/mismatch.ts';
import type { Outcome } from '../expect/outcome.ts';
import { explainDivergence } from '../recordings/explain-divergence.ts';
import type { StepLog } from '../recordings/step-log.ts';

interface RecordedTestRun {
  /** Path of the recording; undefined: the test has none. */
  readonly recording: string | undefined;
  readonly vocabulary: Vocabulary;
  readonly steps: StepLog;
}

/** Returns what a run of a recorded test asks that its recording does not have; undefined if it asks nothing else. */
export async function divergenceOf(
  { description: { error }, journal, plan, nodeOf }: Outcome,
  { recording, ...replay }: RecordedTestRun,
): Promise<Mismatch | undefined> {
  if (recording === undefined || error?.code !== 'REPLAY_DIVERGED' || error.activation === undefined) return undefined;
  const { activation } = error;
  const node = nodeOf(activation) ?? error.node ?? '';
  const found = await explainDivergence({ ...replay, recording, plan, journal, activation });
  const path = ['recording'];
  // A question, or a node that the recording does not have.
  if (found === undefined || found.lines.length === 0)
    return { path, expected: `the recorded steps of "${node}"`, found: error.message, activation };
  return {
    path,
    expected: `the recorded request of "${node}"${found.time === 1 ? '' : `, time ${found.time}`}`,
    found: [
      'another request',
      ...found.lines,
      'keep the answers: match: position · record the changed workflow: millrace run, millrace record',
    ].join('\n'),
    activation,
  };
}
