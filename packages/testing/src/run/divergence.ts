import { readFile } from 'node:fs/promises';
import type { Vocabulary } from '@millrace/core';
import { compile, quotedList } from '@millrace/core';
import type { Mismatch } from '../expect/mismatch.ts';
import type { Outcome } from '../expect/outcome.ts';
import { nodesOf } from '../expect/outcome.ts';
import { readLines, workflowIn } from '../recordings/archive-text.ts';
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
  { description: { error }, journal, plan, nodes, nodeOf }: Outcome,
  { recording, ...replay }: RecordedTestRun,
): Promise<Mismatch | undefined> {
  if (recording === undefined || error?.code !== 'REPLAY_DIVERGED' || error.activation === undefined) return undefined;
  const { activation } = error;
  const node = nodeOf(activation) ?? error.node ?? '';
  const path = ['recording'];
  const recorded = nodesOf(compile(workflowIn(readLines(await readFile(recording, 'utf8'))), replay.vocabulary));
  if (!recorded.has(node)) {
    const lost = [...recorded].filter((id) => !nodes.has(id));
    const others = lost.length === 0 ? '' : `; of its nodes, the workflow no longer has ${quotedList(lost)}`;
    const found = `The recording has no node "${node}"${others}.\n${recordAgain}`;
    return { path, expected: 'the nodes of the recording', found, activation };
  }
  const found = await explainDivergence({ ...replay, recording, plan, journal, activation });
  // A question, or a step that the recording does not have.
  if (found === undefined || found.lines.length === 0)
    return { path, expected: `the recorded steps of "${node}"`, found: `${error.message}\n${cures}`, activation };
  return {
    path,
    expected: `the recorded request of "${node}"${found.time === 1 ? '' : `, time ${found.time}`}`,
    found: ['another request', ...found.lines, cures].join('\n'),
    activation,
  };
}

const recordAgain = 'record the changed workflow: millrace run, millrace record';
const cures = `keep the answers: match: position · ${recordAgain}`;
