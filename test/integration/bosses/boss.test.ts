import type { DetectFunction } from '@millrace/catalog';
import { expect, it } from 'vitest';
import type { BossResult } from '../../support/runs/bosses.ts';
import { bossOf, choosing, play } from '../../support/runs/bosses.ts';
import { onBothStores } from '../../support/runs/both-stores.ts';

/** Ends at STOP, sends `again` to `say`, tells of a refusal, and chooses what is not there. */
const detect: DetectFunction = ({ command, command_args: args }, { round, commands, goal }) => {
  if (args['words'] === 'STOP')
    return { exit: { result: `stopped in round ${round}`, summary: `${goal}: ${commands.length}` } };
  if (args['words'] === 'no') return { observe: 'That word is not allowed.' };
  if (args['words'] === 'nowhere') return { branch: 'nowhere' };
  return { branch: command, args: { words: `${String(args['words'])}!` } };
};

const finish = ['finish', { summary: 'all said' }] as const;
const say = (words: string) => ['say', { words }] as const;
const count = ({ done }: BossResult, node: string) => done.filter(([name]) => name === node).length;

onBothStores(
  'a boss',
  (stage) => {
    it('finishes in round 3 after two commands, with a note on each', async () => {
      const script = choosing(say('one'), say('two'), finish);

      const ending = await play(stage, bossOf({}), { script });

      expect(ending).toMatchObject({
        status: 'completed',
        text: 'all said',
        data: { result: 'all said', summary: 'B: all said', status: 'finished', rounds: 3 },
      });
      expect([count(ending, 'B:controller'), count(ending, 'B:executor/say')]).toEqual([3, 2]);
      expect(await ending.written('memory/logs.txt')).toEqual(['say: one', 'say: two']);
      expect(await ending.prompts('B')).toEqual(['the goal', 'one', 'two']);
    });

    it('finishes in its last round without reaching the limit', async () => {
      const ending = await play(stage, bossOf({ max_round: '2' }), { script: choosing(say('one'), finish) });

      expect(ending.data).toMatchObject({ result: 'all said', status: 'finished', rounds: 2 });
    });

    it('is unfinished at the limit of rounds, with a result that reports it', async () => {
      const ending = await play(stage, bossOf({ max_round: '2' }), { script: choosing(say('one'), say('two')) });

      expect(ending.data).toEqual({
        result: 'The limit of 2 rounds was reached before the goal.',
        summary: 'B: The limit of 2 rounds was reached before the goal.',
        status: 'unfinished',
        rounds: 2,
      });
      expect([count(ending, 'B:controller'), count(ending, 'B:executor/say')]).toEqual([2, 2]);
    });

    it('fails at the limit, or asks a person, as configured', async () => {
      const script = choosing(say('one'));
      const failing = bossOf({ max_round: '1', on_max_round: '{ action: fail }' });
      const asking = bossOf({ max_round: '1', on_max_round: '{ action: ask_user }' });

      expect(await play(stage, failing, { script })).toMatchObject({ status: 'failed', error: 'BOSS_MAX_ROUND' });
      expect(await play(stage, asking, { script, answers: ['take 42'] })).toMatchObject({
        data: { result: 'take 42', status: 'unfinished', rounds: 1 },
      });
    });

    it('spends a round on a reply without a command, and reports that to the model', async () => {
      const script = choosing(['shout', { words: 'x' }], ['shout'], ['say'], ['say'], 'no JSON', 'no JSON', finish);

      const ending = await play(stage, bossOf({}), { script });

      const errors = [
        'There is no command "shout". The commands are: finish, say.',
        'The arguments of say are wrong: /words: is missing.',
        'The answer holds no command.',
      ];
      expect(await ending.written('memory/logs.txt')).toEqual(errors);
      expect(await ending.prompts('B')).toEqual([undefined, undefined, undefined, errors[2]]);
      expect(ending.data).toMatchObject({ status: 'finished', rounds: 4 });
    });

    it('fails on such a reply when it is so configured', async () => {
      const controller = '{ on_invalid: fail, repair_attempts: 0, config: { provider: scripted, name: m } }';

      expect(await play(stage, bossOf({ controller }), { script: choosing(['shout']) })).toMatchObject({
        status: 'failed',
        error: 'CONTROLLER_DECISION_INVALID',
      });
    });

    it('accepts a decision in JSON, also within other text', async () => {
      const controller = '{ decision: json, config: { provider: scripted, name: m } }';
      const script = {
        rules: [
          {
            replies: [
              'I say: {"command": "say", "command_args": {"words": "hello"}}',
              '{"command": "finish", "command_args": {"summary": "said"}}',
            ],
          },
        ],
      };

      expect(await play(stage, bossOf({ controller }), { script })).toMatchObject({
        text: 'said',
        data: { rounds: 2 },
      });
    });

    it('executes only the first of two calls', async () => {
      const ending = await play(stage, bossOf({}), { script: choosing([say('one'), say('two')], finish) });

      expect(await ending.written('memory/logs.txt')).toEqual(['say: one']);
    });

    it('has an explicit result for a command that returns nothing', async () => {
      const ending = await play(stage, bossOf({}), { script: choosing(say(''), finish) });

      expect((await ending.prompts('B'))[1]).toBe('(The command say has returned nothing.)');
    });

    it('reports a failed command to the model', async () => {
      const executor =
        "{ branches: { say: { description: Say., args: { words: { required: true } }, type: memory_write, config: { store: plan, value: '{{ nothing.here }}' } } } }";

      const ending = await play(stage, bossOf({ executor }), { script: choosing(say('x'), finish) });

      expect((await ending.prompts('B'))[1]).toMatch(/^Error in say: The template cannot be rendered/);
      expect(ending.status).toBe('completed');
    });

    it('ends when structured output says so, and reports a field that is neither true nor false', async () => {
      const executor =
        "{ branches: { say: { description: Say., args: { words: { required: true } }, type: template, config: { text: '{{data.words}}' } } } }";
      const script = choosing(say('{"STOP": "false", "result": "a"}'), say('{"STOP": true, "result": "b"}'), finish);

      const ending = await play(stage, bossOf({ early_exit_key: 'STOP', executor }), { script });

      expect((await ending.prompts('B'))[1]).toBe(
        'a\nE_EARLY_EXIT_TYPE: STOP is neither true nor false, and counts as false.',
      );
      expect(ending.data).toEqual({ result: 'b', summary: 'say: b', status: 'finished', rounds: 2 });
      // The rest of the round is left out, so nothing is noted of it.
      expect(await ending.written('memory/logs.txt')).toHaveLength(1);
    });

    it('lets a function handle a decision', async () => {
      const script = choosing(say('one'), say('no'), say('nowhere'), say('STOP'));

      const ending = await play(stage, bossOf({ detect: '{ type: function, config: { name: judge } }' }), { script });

      expect(await ending.written('memory/logs.txt')).toEqual([
        'say: one!',
        'That word is not allowed.',
        'There is no command "nowhere". The commands are: finish, say.',
      ]);
      expect(ending.data).toMatchObject({ result: 'stopped in round 4', summary: 'the goal: 3', status: 'finished' });
    });

    it('fails without a goal', async () => {
      expect(
        await play(stage, bossOf({ inputs: '{ goal: \'{{ " " }}\' }' }), { script: choosing(finish) }),
      ).toMatchObject({
        status: 'failed',
        error: 'E_BOSS_GOAL',
      });
    });
  },
  { detects: new Map([['judge', detect]]) },
);
