import { basename } from 'node:path';
import { textOf } from '@millrace/core';
import { beforeAll, describe, expect, it } from 'vitest';
import { openBeforeAll } from '../../support/fixtures.ts';
import { command } from '../../support/processes/command.ts';
import { newInstallation } from '../../support/redis/installation.ts';
import { exampleExtensions, exampleNames, inOrder, readExample } from '../../support/runs/examples.ts';
import type { Stage } from '../../support/runs/stage.ts';
import { openStage } from '../../support/runs/stage.ts';

interface Expected {
  readonly input: string;
  readonly answers?: readonly string[];
  readonly output: string;
  /** Reason for the termination; an example without one is completed. */
  readonly stopped?: string;
  /** Warnings that a check reports. */
  readonly warnings?: readonly string[];
}

/** Input of every example, answers of people unless a file beside it has them, and the output at its end. */
const expected: Readonly<Record<string, Expected>> = {
  boss: { input: 'What is the average of 3, 1, 4, 1, 5?', output: 'The median is 3.' },
  'boss-of-bosses': { input: 'A library of powers', output: 'The library squares and cubes numbers.' },
  budget: { input: 'Rain', output: 'Rain fell all night, and in the morning the gutters sang.' },
  'context-reset': { input: '', answers: ['normal', 'kept', 'soft', 'hard'], output: 'hard' },
  delay: { input: 'The library opens on Sundays.', output: 'Posted: Open on Sundays from now on.' },
  handoff: {
    input: 'I want my money back for a flight.',
    output: 'What is the number of your flight?',
    stopped: 'handoff: Refunds -> user',
  },
  // Its timers are there to be watched, not to end the loop.
  'loop-timer-modes': {
    input: 'go',
    answers: ['first', 'second', 'STOP'],
    output: 'STOP',
    warnings: ['W_GUARD_WITHOUT_EXIT', 'W_GUARD_WITHOUT_EXIT'],
  },
  'map-reduce': {
    input: 'Green roofs',
    output: 'Green roofs weigh 80 kg a square metre, hold back half of the rain, and wild bees live there.',
  },
  'mcp-tools': { input: 'When is it open on Sundays?', output: 'On Sundays the library is open from 10 to 16.' },
  // The first run; the writer has been told nothing yet.
  memory: {
    input: 'Bees',
    output: 'It is a well-known fact that, on many a roof of many a city, there live a great many bees.',
  },
  poem: {
    input: 'The moon',
    output: 'The moon is round and makes no sound.',
    stopped: 'approved: function_call: approve',
  },
  newsroom: {
    input: 'The library opens on Sundays.',
    output:
      'Sundays belong to readers. From 4 May on, the library on Mill Street and its café are open from ten to four. Entry is free.',
  },
  python: { input: 'The factorial of 10', output: '3628800\n' },
  // Small enough that nobody is asked; its own tests decide on larger ones.
  refund: { input: 'The candles of order 1002 are broken.', answers: [], output: 'We have refunded the 9 euros.' },
  research: {
    input: 'Green roofs',
    output: 'Green roofs hold back half of the rain and cost 80 euros a square metre.',
  },
  'review-loop': {
    input: 'The library opens on Sundays.',
    output: 'Sundays belong to readers. From 4 May the library and its café are open from ten to four. Entry is free.',
  },
  'simulation-hospital': { input: 'A small hospital by the sea', output: 'Simulation complete.' },
  subgraph: { input: 'Guten Morgen.\n\nBis morgen.', output: 'See you tomorrow.' },
  'subgraph-inner': { input: 'Guten Morgen.', output: 'Good morning.' },
  'timed-review-loop': { input: 'Sundays', answers: ['Shorter', 'ACCEPT'], output: 'A draft.' },
  triage: { input: 'Nobody can sign in since noon.', output: 'Page the team: Nobody can sign in' },
  voting: { input: 'Rename a button', output: 'MERGE' },
  // Nobody sends the event here.
  'wait-for': { input: '17', output: 'Order 17 is not paid. Please pay.' },
  'writing-team': {
    input: 'Bees in the city',
    output: 'Bees live on the roofs of the city, above the noise.',
    stopped: "text_mention: 'APPROVE' by Critic",
  },
};

function examplesOn(name: string, open: () => Promise<Stage>): void {
  describe(`examples, runs kept in ${name}`, () => {
    const stage = openBeforeAll(open);
    beforeAll(async () => {
      // Delays end when it notices.
      stage.runtime.startCaretaker();
    });

    it.each(exampleNames())('%s', async (example) => {
      const { workflow, issues, answers } = readExample(example, stage.vocabulary);
      const wanted = expected[example];
      const script = workflow.script ?? { default: 'A draft.' };

      const { description } = await stage.run(
        { ...workflow, script },
        wanted?.input ?? '',
        inOrder(wanted?.answers ?? answers),
      );

      expect(issues.map(({ code }) => code)).toEqual(wanted?.warnings ?? []);
      expect(description.error).toBeUndefined();
      expect(description.stop?.text).toBe(wanted?.stopped);
      expect(description.status).toBe(wanted?.stopped === undefined ? 'completed' : 'terminated');
      expect(description.output === undefined ? undefined : textOf(description.output)).toBe(wanted?.output);
    });
  });
}

it('every example is listed', () => {
  expect(exampleNames().toSorted()).toEqual(Object.keys(expected).toSorted());
});

describe('the tests beside the examples', () => {
  it('are there for each of them, and pass in memory', async () => {
    const { code, stdout, stderr } = await command(['test', 'examples', '--reporter', 'json'], {});
    const { tests }: { readonly tests: readonly { file: string; name: string; status: string; failures: unknown }[] } =
      JSON.parse(stdout);

    expect(tests.filter(({ status }) => status !== 'passed')).toEqual([]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: `${tests.length} passed, 0 failed\n` });
    expect([...new Set(tests.map(({ file }) => basename(file, '.test.yaml')))].sort()).toEqual(
      exampleNames().toSorted(),
    );
  });
});

describe('with a Redis', () => {
  const installation = newInstallation();

  examplesOn('Redis', async () => {
    const { url, prefix } = installation;
    return openStage({ where: { redisUrl: url, prefix }, extensions: await exampleExtensions() });
  });
});
