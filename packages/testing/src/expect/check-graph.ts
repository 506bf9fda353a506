import type { MessageRef } from '@millrace/core';
import type { CountText } from '../files/counts.ts';
import { countOf, isWithin } from '../files/counts.ts';
import type { Expectations, TextExpectation } from '../files/expectations.ts';
import type { TestPath } from '../files/read-test-file.ts';
import { checkText } from './check-text.ts';
import type { Mismatch } from './mismatch.ts';
import { counted, quoted } from './mismatch.ts';
import type { Outcome } from './outcome.ts';

/** Returns what the nodes, edges and questions of a run do not meet. */
export async function checkGraph(expected: Expectations, outcome: Outcome): Promise<readonly Mismatch[]> {
  const { nodes = {}, never = [], edges = [], questions = [] } = expected;
  const groups = await Promise.all([
    ...Object.entries(nodes).map(([node, wanted]) => checkNode(wanted, node, outcome)),
    ...never.map((node, index) => checkNever(node, ['expect', 'never', index], outcome)),
    ...edges.map((edge, index) => checkEdge(edge, ['expect', 'edges', index], outcome)),
    ...questions.map((question, index) => checkQuestion(question, ['expect', 'questions', index], outcome)),
  ]);
  return groups.flat();
}

type NodeExpectation = NonNullable<Expectations['nodes']>[string];

async function checkNode(wanted: NodeExpectation, node: string, outcome: Outcome): Promise<readonly Mismatch[]> {
  const path = ['expect', 'nodes', node];
  if (!outcome.nodes.has(node)) return [unknownNode(node, path, outcome)];
  const checks = typeof wanted === 'object' ? wanted : { runs: wanted };
  const at = (field: string): TestPath => (typeof wanted === 'object' ? [...path, field] : path);
  const runs = outcome.activations.filter((one) => one.node === node);
  const outputs = runs.flatMap((one) => one.outputs);
  const last = runs.at(-1);
  const { input, output } = checks;
  const groups = await Promise.all([
    checkCount(checks.runs, runs.length, { path: at('runs'), unit: 'run' }),
    checkCount(checks.outputs, outputs.length, { path: at('outputs'), unit: 'output' }),
    checkCount(checks.failed, runs.filter((one) => one.hasFailed).length, { path: at('failed'), unit: 'failure' }),
    output === undefined ? [] : checkMessage(output, outputs.at(-1), { outcome, path: at('output') }),
    input === undefined ? [] : checkInput(input, { outcome, last: last?.id, path: at('input') }),
  ]);
  const activation = last === undefined ? {} : { activation: last.id };
  return groups.flat().map((one) => ({ ...one, ...activation }));
}

async function checkInput(
  expected: TextExpectation,
  { outcome, last, path }: { readonly outcome: Outcome; readonly last: string | undefined; readonly path: TestPath },
): Promise<readonly Mismatch[]> {
  if (last === undefined) return [{ path, expected: 'an input', found: 'no run' }];
  return checkText(expected, await outcome.inputOf(last), path);
}

function checkNever(node: string, path: TestPath, outcome: Outcome): readonly Mismatch[] {
  if (!outcome.nodes.has(node)) return [unknownNode(node, path, outcome)];
  const runs = outcome.activations.filter((one) => one.node === node);
  return runs.slice(0, 1).map(({ id }) => ({
    path,
    expected: `no run of "${node}"`,
    found: counted(runs.length, 'run'),
    activation: id,
  }));
}

type EdgeExpectation = NonNullable<Expectations['edges']>[number];

async function checkEdge(
  { from, to, times, messages = [] }: EdgeExpectation,
  path: TestPath,
  outcome: Outcome,
): Promise<readonly Mismatch[]> {
  const ends = { from, to };
  const unknown = (['from', 'to'] as const).filter((end) => !outcome.nodes.has(ends[end]));
  if (unknown.length > 0) return unknown.map((end) => unknownNode(ends[end], [...path, end], outcome));
  const passed = outcome.passed.filter((one) => one.from === from && one.to === to);
  // Without anything else to check, the edge is expected to be passed.
  const wanted = times ?? (messages.length === 0 ? '>=1' : undefined);
  const groups = await Promise.all([
    checkCount(wanted, passed.length, { path: [...path, 'times'], unit: 'message' }),
    ...messages.map((wanted, at) =>
      checkMessage(wanted, passed[at]?.message, { outcome, path: [...path, 'messages', at] }),
    ),
  ]);
  return groups.flat();
}

type QuestionExpectation = NonNullable<Expectations['questions']>[number];

async function checkQuestion(
  { node, prompt, times = '>=1' }: QuestionExpectation,
  path: TestPath,
  outcome: Outcome,
): Promise<readonly Mismatch[]> {
  if (!outcome.nodes.has(node)) return [unknownNode(node, [...path, 'node'], outcome)];
  const asked = outcome.questions.filter((one) => one.node === node);
  const verdicts = await Promise.all(
    asked.map(async (one) => (prompt === undefined ? [] : checkText(prompt, one.prompt, [...path, 'prompt']))),
  );
  // The only question that was asked says what is wrong; of several, their number does.
  const [only] = verdicts;
  if (only !== undefined && only.length > 0 && verdicts.length === 1) return only;
  const fitting = verdicts.filter((mismatches) => mismatches.length === 0).length;
  return checkCount(times, fitting, { path, unit: 'question' });
}

const unknownNode = (node: string, path: TestPath, { nodes }: Outcome): Mismatch => ({
  path,
  expected: `a node "${node}"`,
  found: `the nodes are ${[...nodes].map(quoted).join(', ')}`,
});

/** Returns what a number does not meet; absent bounds are always met. */
export function checkCount(
  bounds: CountText | undefined,
  found: number,
  { path, unit }: { readonly path: TestPath; readonly unit: string },
): readonly Mismatch[] {
  if (bounds === undefined || isWithin(countOf(bounds), found)) return [];
  const isExact = typeof bounds === 'number';
  const expected = isExact ? counted(bounds, unit) : `${bounds} ${unit}s`;
  return [{ path, expected, found: counted(found, unit), ...(isExact && { actual: found }) }];
}

async function checkMessage(
  expected: TextExpectation,
  ref: MessageRef | undefined,
  { outcome, path }: { readonly outcome: Outcome; readonly path: TestPath },
): Promise<readonly Mismatch[]> {
  if (ref === undefined) return [{ path, expected: 'a message', found: 'none' }];
  return checkText(expected, await outcome.textOf(ref), path);
}
