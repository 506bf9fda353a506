import type { JournalEvent } from '@millrace/client';
import type { LogLevel, Warning } from '@millrace/core';
import { describe, expect, it } from 'vitest';
import { createProgress } from './progress.ts';

type Reference = Extract<JournalEvent, { type: 'activation.answered' }>['answer'];

const ref: Reference = { id: 'm1', role: 'assistant', source: 'Writer' };
const writer = { activation: 'a1', nodeId: 'Writer', nodeType: 'agent', graph: '' };
const reviewer = { activation: 'a2', nodeId: 'Reviewer', nodeType: 'human', graph: '' };

/** The lines for these events, one tenth of a second apart. */
function linesOf(events: readonly JournalEvent[], level: LogLevel = 'DEBUG'): string[] {
  const progress = createProgress(new Map([['', level]]));
  return events.flatMap((event, n) => progress({ id: `${n + 1}-0`, at: n * 100, event }).map((line) => line.text));
}

const ready = (place: typeof writer & { readonly unit?: number }): JournalEvent => ({
  type: 'activation.ready',
  ...place,
  scope: 's0',
  node: 0,
  part: 'whole',
});

const completed = (
  place: typeof writer & { readonly unit?: number },
  facts: { readonly outputs?: Reference[]; readonly text?: string; readonly warnings?: Warning[] } = {},
): JournalEvent => ({ type: 'activation.completed', ...place, outputs: [ref], routes: [], ...facts });

describe('the progress view', () => {
  it('reports a completed node with its type, its time and the beginning of its output', () => {
    expect(linesOf([ready(writer), completed(writer, { text: 'First\n  draft' })])).toEqual([
      '✔ Writer (agent) 0.1s  “First draft”',
    ]);
  });

  it('says when a conversation is shortened, and nothing of other calls', () => {
    const begun = (name: string): JournalEvent => ({ type: 'step.started', ...writer, step: 1, name, request: 'q' });

    expect(linesOf([begun('chat m'), begun('compact')])).toEqual(['⇤ Writer shortens its conversation']);
  });

  it('marks a program that failed, though its node completes', () => {
    const program = { activation: 'a1', nodeId: 'Run', nodeType: 'python', graph: '' };

    expect(linesOf([ready(program), completed(program, { text: '==CODE EXECUTION FAILED==\nno' })])).toEqual([
      '✖ Run (python) 0.1s  “==CODE EXECUTION FAILED== no”',
    ]);
  });

  it('shortens a long output to one line, and splits no character', () => {
    const [line] = linesOf([ready(writer), completed(writer, { text: '💡'.repeat(200) })]);
    expect(line).toBe(`✔ Writer (agent) 0.1s  “${'💡'.repeat(71)}…”`);
  });

  it('obeys the log level of the graph, but always reports questions and the end of the run', () => {
    const events: JournalEvent[] = [
      { type: 'items.skipped', scope: 's0', items: [1], graph: '', nodeIds: ['Other'] },
      ready(writer),
      completed(writer, { warnings: [{ code: 'W_ODD', message: 'odd' }] }),
      ready(reviewer),
      { type: 'activation.suspended', ...reviewer, wait: { kind: 'human', prompt: '', input: '' }, text: 'Well?' },
      { type: 'activation.failed', ...reviewer, error: { code: 'X', message: 'no' } },
      { type: 'run.finished', status: 'completed' },
    ];
    const lines = (level: LogLevel) => linesOf(events, level).map((text) => text.slice(0, 3));
    expect(lines('DEBUG')).toEqual(['– s', '! W', '✔ W', '⏸ R', '✖ R', '✔ c']);
    expect(lines('INFO')).toEqual(['! W', '✔ W', '⏸ R', '✖ R', '✔ c']);
    expect(lines('WARNING')).toEqual(['! W', '⏸ R', '✖ R', '✔ c']);
    expect(lines('ERROR')).toEqual(['⏸ R', '✖ R', '✔ c']);
    expect(lines('CRITICAL')).toEqual(['⏸ R', '✔ c']);
  });

  it('sums the tokens of all steps of an activation', () => {
    const step: JournalEvent = {
      type: 'step.completed',
      ...writer,
      step: 1,
      result: 'm1',
      usage: { promptTokens: 10, completionTokens: 4 },
    };
    expect(linesOf([ready(writer), step, step, completed(writer)])).toEqual(['✔ Writer (agent) 0.3s, 20→8 tokens']);
  });

  it('reports each question, who answered, and the answer', () => {
    const wait = { kind: 'human', prompt: 'Enter ACCEPT.\nOr not.', input: 'text' } as const;
    const lines = linesOf([
      ready(reviewer),
      { type: 'activation.suspended', ...reviewer, wait, text: wait.prompt },
      { type: 'activation.answered', ...reviewer, answer: ref, by: 'ann', text: 'shorter' },
      completed(reviewer, { text: 'shorter' }),
    ]);
    expect(lines).toEqual([
      '⏸ Reviewer waits: Enter ACCEPT.',
      '▷ Reviewer is answered by ann  “shorter”',
      '✔ Reviewer (human) 0.3s',
    ]);
  });

  it('distinguishes a guard that suppressed its output from another node without output', () => {
    const guard = { ...writer, nodeId: 'Loop Guard', nodeType: 'loop_counter' };
    expect(linesOf([ready(guard), completed(guard, { outputs: [] })])).toEqual(['· Loop Guard has no output']);
    expect(linesOf([ready(writer), completed(writer, { outputs: [] })])).toEqual(['✔ Writer (agent) 0.1s, no output']);
  });

  it('numbers iterations from the second one on', () => {
    const iterated = (iteration: number): JournalEvent => ({
      type: 'cycle.iterated',
      scope: 's1',
      iteration,
      roots: [0],
      ...writer,
    });
    expect(linesOf([iterated(1), iterated(2)])).toEqual(['↻ Writer: iteration 2']);
    expect(linesOf([{ type: 'cycle.left', scope: 's1', reason: 'limit', ...writer }])).toEqual([
      '! the loop at Writer reached its iteration limit and was cut off',
    ]);
  });

  it('names skipped nodes', () => {
    const nodeIds = ['Writer', 'Loop Guard'];
    expect(linesOf([{ type: 'items.skipped', scope: 's0', items: [0, 2], graph: '', nodeIds }])).toEqual([
      '– skipped: Writer, Loop Guard',
    ]);
  });

  it('names nodes of a subgraph by their path, and units by their number', () => {
    const inner = { activation: 'a2', nodeId: 'Inner', nodeType: 'literal', graph: 'Appendix', unit: 1 };
    const entered: JournalEvent = { type: 'graph.entered', scope: 's1', graph: 'Appendix', task: [], presets: [] };
    expect(linesOf([entered, ready(inner), completed(inner)])).toEqual([
      '▸ Appendix begins',
      '✔ Appendix/Inner[2] (literal) 0.1s',
    ]);
  });

  it('reports warnings and failures with their reasons', () => {
    expect(
      linesOf([
        ready(writer),
        completed(writer, { warnings: [{ code: 'FUNCTION_FAILED', message: 'the condition threw' }] }),
      ]),
    ).toEqual(['! Writer: the condition threw [FUNCTION_FAILED]', '✔ Writer (agent) 0.1s']);
    const error = { code: 'MODEL_FAILED', message: '401 no key' };
    expect(
      linesOf([
        ready(writer),
        { type: 'activation.failed', ...writer, error },
        { type: 'run.finished', status: 'failed', error: { ...error, node: 'Writer' } },
      ]),
    ).toEqual(['✖ Writer (agent) failed: MODEL_FAILED 401 no key', '✖ failed: MODEL_FAILED 401 no key (at Writer)']);
  });
});
