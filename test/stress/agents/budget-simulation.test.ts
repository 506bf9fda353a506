import { createVocabulary } from '@millrace/catalog';
import type { BudgetRecord, ChatRequest, JournalEntry, Plan, ProviderDefinition, Vocabulary } from '@millrace/core';
import { compile, Draft, evolve, NodeError, State } from '@millrace/core';
import { beginRunProjection, project } from '@millrace/core/projection';
import { tokensOf } from '@millrace/core/usage';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { usuallyOr } from '../../support/exhaustive.ts';
import type { Chance } from '../../support/faults/seeded.ts';
import { chanceOf } from '../../support/faults/seeded.ts';
import type { Roughness } from '../../support/faults/simulation.ts';
import { createSimulation } from '../../support/faults/simulation.ts';
import { audit, journalOf } from '../../support/runs/audit.ts';
import type { Scenario } from '../../support/runs/scenario.ts';
import { workflowOf } from '../../support/runs/scenario.ts';

/** A model that is paid by the token, even if its answer is lost. */
interface Meter {
  readonly vocabulary: Vocabulary;
  /** Total cost of all its answers so far. */
  paid: { tokens: number; microUsd: number };
}

const answerTokens = 100;

/** Answers with a token for each character of the prompt; now and then it refuses, for nothing. */
function metered(chance: Chance): Meter {
  const provider: ProviderDefinition = {
    type: 'metered',
    summary: 'A model with a meter.',
    async chat({ messages }: ChatRequest) {
      if (chance.oneIn(6))
        throw Object.assign(new NodeError('MODEL_RATE_LIMITED', 'busy'), { status: 503, free: true });
      const promptTokens = messages.reduce((sum, { content }) => sum + content.length, 0);
      meter.paid.tokens += promptTokens + answerTokens;
      meter.paid.microUsd += promptTokens + 2 * answerTokens;
      await new Promise((resolve) => setImmediate(resolve));
      return { text: 'done', end: 'stop' as const, usage: { promptTokens, completionTokens: answerTokens } };
    },
  };
  const known = createVocabulary();
  const providers = new Map([...known.providers, [provider.type, provider]]);
  const meter: Meter = { vocabulary: { ...known, providers }, paid: { tokens: 0, microUsd: 0 } };
  return meter;
}

const agent = (id: string) =>
  `{id: ${id}, type: agent, on_error: continue, config: {provider: metered, name: m, params: {max_tokens: ${answerTokens}}, retry: {max_attempts: 3, min_wait_seconds: 0, max_wait_seconds: 0}}}`;
const withBudget = (budget: string): Scenario => ({
  name: 'spending',
  input: Array.from({ length: 6 }, (_, unit) => `unit ${unit}`).join('\n'),
  answers: ['stop'],
  yaml: () => `
graph:
  id: spending
  budget: ${budget}
  prices: {m: {input: 1, output: 2}}
  nodes: [{id: Source, type: passthrough, config: {}}, ${agent('Each')}, ${agent('Last')}]
  edges:
    - {from: Source, to: Each, dynamic: {type: map, config: {split_type: lines, max_parallel: 5}}}
    - {from: Each, to: Last}
`,
});

const budgets: Readonly<Record<string, Scenario>> = {
  'is enough': withBudget('{tokens: 100000, usd: 1}'),
  'of tokens runs out': withBudget('{tokens: 700}'),
  'of dollars runs out': withBudget('{usd: 0.001}'),
  'asks a person, who says stop': withBudget('{tokens: 700, on_exceeded: ask}'),
};

const weathers: Readonly<Record<string, Roughness>> = {
  'wakes come in any order': { kill: 0, loseWake: 0, repeatWake: 0, fail: 0, meddle: 0 },
  'processes die at any moment': { kill: 40, loseWake: 10, repeatWake: 4, fail: 0, meddle: 0 },
  'everything goes wrong at once': { kill: 60, loseWake: 8, repeatWake: 3, fail: 20, meddle: 80 },
};

/** A failure names its seed; more of them are tried with a larger number of seeds in the environment. */
const seeds = Array.from(
  { length: Number(process.env['MILLRACE_SEEDS'] ?? usuallyOr(2, 20)) },
  (_, index) => index + 1,
);

// Timers belong to the simulation; a call of `setImmediate` is how it lets everything else happen.
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] });
});
afterEach(() => {
  vi.useRealTimers();
});

/** Checks that spent and reserved amounts cover all payments and stay within the limit. */
function check({ limit, spent, reserved }: BudgetRecord, { paid }: Meter): void {
  for (const unit of ['tokens', 'microUsd'] as const) {
    expect(spent[unit] + reserved[unit]).toBeLessThanOrEqual(limit[unit] ?? Number.POSITIVE_INFINITY);
    expect(reserved[unit]).toBeGreaterThanOrEqual(0);
    expect(paid[unit]).toBeLessThanOrEqual(spent[unit] + reserved[unit]);
  }
}

/** Checks that people see the budget of the engine as it was after every commit. */
function checkPast(plan: Plan, journal: readonly JournalEntry[]): void {
  const state = new State();
  const projection = beginRunProjection();
  for (const [index, entry] of journal.entries()) {
    const draft = new Draft(state);
    evolve({ plan, draft, at: entry.at }, entry.event);
    state.apply(draft.writes());
    project(projection, entry);
    if (Number.parseInt(journal[index + 1]?.id ?? '', 10) === Number.parseInt(entry.id, 10)) continue;
    const { asking: _question, ...budget } = state.get('budget') ?? {};
    expect(projection.budget, `after ${entry.id}, ${entry.event.type}`).toEqual(budget);
  }
}

describe.each(Object.entries(budgets))('a budget that %s', (_budget, scenario) => {
  it.each(Object.entries(weathers))('covers all costs at every moment when %s', async (_weather, roughness) => {
    for (const seed of seeds) {
      const meter = metered(chanceOf(seed + 1000));
      const moveClock = async (ms: number) => void (await vi.advanceTimersByTimeAsync(ms));
      const looked = { times: 0 };
      const simulation = createSimulation(meter.vocabulary, chanceOf(seed), {
        roughness,
        moveClock,
        look(state) {
          const budget = state.get('budget');
          if (budget !== undefined) check(budget, meter);
          looked.times += 1;
        },
      });
      const { run, status, budget, usage } = await simulation.play(scenario);

      expect(['completed', 'terminated'], `seed ${seed}`).toContain(status);
      expect(budget?.reserved, `seed ${seed}`).toEqual({ tokens: 0, microUsd: 0 });
      const { spent, lost } = budget ?? { spent: { tokens: 0 }, lost: { tokens: 0 } };
      expect(spent.tokens, `seed ${seed}`).toBe(tokensOf(usage) + lost.tokens);
      expect(await audit(simulation.store, run, meter.vocabulary), `seed ${seed}`).toEqual([]);
      expect(looked.times).toBeGreaterThan(10);
      checkPast(
        compile(workflowOf(scenario, meter.vocabulary), meter.vocabulary),
        await journalOf(simulation.store, run),
      );
    }
  });
});
