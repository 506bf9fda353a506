import type { Message } from '@millrace/core';
import { Draft, inboxOf, rootScope, textOf } from '@millrace/core';
import type { RuntimeLocation } from '@millrace/runtime';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { applyPending } from '../../../packages/core/src/engine/state/inbox.ts';
import { bothPlaces } from '../../support/redis/installation.ts';
import { inOrder, readExample } from '../../support/runs/examples.ts';
import type { Answer, EndedRun, Stage } from '../../support/runs/stage.ts';
import { openStage } from '../../support/runs/stage.ts';

const start = Date.UTC(2026, 0, 1);
let now = start;
let where: RuntimeLocation;
let stage: Stage;
afterEach(async () => {
  await stage.close();
});

/** Runs an example by a clock that stops unless the people of the run move it. */
async function run(name: string, answer: Answer, edit?: (text: string) => string): Promise<EndedRun> {
  now = start;
  stage = await openStage({ where, now: () => now });
  const { workflow } = readExample(name, stage.vocabulary, edit);
  return stage.run({ ...workflow, script: workflow.script ?? { default: 'Draft {n}.' } }, 'task', answer);
}

/** Answers in order, each at its own time after the start, in seconds. */
function atTimes(answers: readonly (readonly [seconds: number, text: string])[]): Answer {
  const texts = inOrder(answers.map(([, text]) => text));
  let asked = 0;
  return (question) => {
    now = start + (answers[asked++]?.[0] ?? 0) * 1000;
    return texts(question);
  };
}

const textsOf = async (finished: EndedRun, node: string): Promise<string[][]> =>
  (await finished.executions(node)).map((outputs: readonly Message[]) => outputs.map(textOf));

const outputOf = ({ description }: EndedRun) => description.output && textOf(description.output);

describe.each(bothPlaces())('in %s', (_, place) => {
  beforeAll(() => {
    where = place;
  });

  describe('review-loop', () => {
    it('ends with the guard after three suggestions, and the writer is not asked a fourth time', async () => {
      const finished = await run('review-loop', inOrder(['warmer', 'the date', 'rhymes']));

      const message = 'Three rounds of changes are over, so the review ends here.';
      expect(await textsOf(finished, 'Writer')).toHaveLength(3);
      expect(await textsOf(finished, 'Loop Guard')).toEqual([[], [], [message]]);
      expect(outputOf(finished)).toContain('From 4 May');
    });

    it('states the number of rounds when the guard has no message', async () => {
      const withoutMessage = (text: string) => text.replace(/^ *message: .*\n/m, '');

      const finished = await run('review-loop', inOrder(['a', 'b', 'c']), withoutMessage);

      expect(await textsOf(finished, 'Loop Guard')).toEqual([[], [], ['Loop limit reached (3)']]);
    });

    it.each([1, 2, 3])('ends at once with ACCEPT in round %i, with the draft that was accepted', async (round) => {
      const suggestions = Array.from({ length: round - 1 }, (_, at) => `change ${at}`);

      const finished = await run('review-loop', inOrder([...suggestions, 'ACCEPT']));

      expect(await textsOf(finished, 'Writer')).toHaveLength(round);
      expect(await textsOf(finished, 'Loop Guard')).toEqual(suggestions.map(() => []));
      expect(outputOf(finished)).toBe((await textsOf(finished, 'Writer')).flat().at(-1));
    });

    it('passes the writer its drafts and the remarks on them', async () => {
      const finished = await run('review-loop', inOrder(['warmer', 'the date', 'ACCEPT']));

      const drafts = (await textsOf(finished, 'Writer')).flat();
      expect(drafts).toEqual([
        expect.stringContaining('opens on Sundays'),
        expect.stringContaining('and so is its café'),
        expect.stringContaining('From 4 May'),
      ]);
    });
  });

  describe('timed-review-loop', () => {
    it('continues before the limit and ends with the first suggestion at the limit', async () => {
      const suggestions = [
        [10, 'shorter'],
        [10 + 299, 'longer'],
        [10 + 300, 'rhymes'],
      ] as const;

      const finished = await run('timed-review-loop', atTimes(suggestions));

      const message = 'The five minutes for changes are over, so the review ends here.';
      expect(await textsOf(finished, 'Loop Gate')).toEqual([[], [], [message]]);
      expect(await textsOf(finished, 'Writer')).toHaveLength(3);
      expect(outputOf(finished)).toBe('Draft 3.');
    });

    it('does not end the loop by itself: an ACCEPT after the limit is an ACCEPT', async () => {
      const finished = await run(
        'timed-review-loop',
        atTimes([
          [0, 'shorter'],
          [4000, 'ACCEPT'],
        ]),
      );

      expect(outputOf(finished)).toBe('Draft 2.');
    });
  });

  describe('loop-timer-modes', () => {
    it('shows the standard timer beside a passthrough timer', async () => {
      const lines = [
        [0, 'one'],
        [119, 'two'],
        [120, 'three'],
        [121, 'four'],
        [122, 'STOP'],
      ] as const;

      const finished = await run('loop-timer-modes', atTimes(lines));

      const standard = 'The standard timer lets its message out.';
      expect(await textsOf(finished, 'Standard Timer')).toEqual([[], [], [standard], [standard]]);
      expect(await textsOf(finished, 'Passthrough Timer')).toEqual([
        ['one'],
        ['two'],
        ['The passthrough timer reports the limit.'],
        ['four'],
      ]);
      expect(outputOf(finished)).toBe('STOP');
    });
  });

  describe('context-reset', () => {
    it('removes what is not kept, then everything', async () => {
      const queues: Readonly<Record<string, readonly string[]>>[] = [];
      const texts = inOrder(['normal', 'kept', 'soft', 'hard']);
      const looking: Answer = async (question) => {
        queues.push({ [question.node]: await queueOf(question.run, 'collector') });
        return texts(question);
      };

      const finished = await run('context-reset', looking);

      expect(queues).toEqual([
        { entry_normal: [] },
        { entry_keep: ['normal'] },
        { soft_reset: ['normal', 'kept'] },
        { hard_reset: ['kept', 'soft'] },
      ]);
      expect(await textsOf(finished, 'collector')).toEqual([['hard']]);
    });

    /** Returns the texts that a node of the root graph would receive if it ran now, oldest first. */
    async function queueOf(run: string, id: string): Promise<string[]> {
      const { runs } = stage.runtime;
      const open = await runs.refresh(run);
      const graph = open?.plan.graphs.get('');
      const node = graph?.nodes.find((one) => one.id === id);
      if (open === undefined || graph === undefined || node === undefined) throw new Error(`there is no node "${id}"`);
      const draft = new Draft(open.state);
      applyPending(draft, { graph, frame: rootScope }, { scope: rootScope, node });
      return (await runs.messages(run, inboxOf(draft, rootScope, id))).map(textOf);
    }
  });
});
