import { defineTool } from '@millrace/core';
import { z } from 'zod';
import { price } from '../provider/bill/bill.ts';
import { models } from '../provider/bill/models.ts';
import type { FakeProvider } from '../provider/provider.ts';
import { startFakeProvider } from '../provider/provider.ts';
import type { Stage } from './stage.ts';
import { openStage } from './stage.ts';
import { sendVendorsToFake } from './vendors-at-fake.ts';

/** Number of rounds in which a model calls its tool. */
export const cachedRounds = 20;

const look = defineTool<{ page: number }>({
  name: 'look',
  description: 'Reads a page.',
  parameters: z.object({ page: z.number() }),
  execute: ({ page }) => `page ${page}: ${'lorem ipsum '.repeat(150)}`,
});

/** Starts a provider whose models call a tool in so many rounds, if they have one, and then answer. */
export const startCachingProvider = (): Promise<FakeProvider> =>
  startFakeProvider({
    bytesPerToken: 1,
    reply: ({ tools, rounds }) =>
      tools.length === 0 || rounds >= cachedRounds
        ? { text: 'Done.' }
        : { calls: [{ name: 'look', arguments: { page: rounds } }] },
  });

/** Opens a stage in memory whose vendors are the fake ones. */
export async function openCachingStage(provider: FakeProvider): Promise<Stage> {
  const stage = await openStage({ where: { local: true }, secret: () => 'key', extensions: { tools: [look] } });
  sendVendorsToFake(stage.vocabulary, provider);
  return stage;
}

/** A model with which an agent is cached. */
export interface CachedModel {
  readonly provider: 'anthropic' | 'openai';
  readonly name: string;
}

/** Returns an agent that looks up pages. */
export const lookingAgent = ({ provider, name }: CachedModel, more = ''): string => `
graph:
  id: looking
  budget: {usd: 100}
  nodes:
    - id: A
      type: agent
      config: {provider: ${provider}, name: ${name}, tooling: [{type: function, config: {tools: [{name: look}]}}]${more}}
`;

/** Returns an agent that is asked once for each line of the input. `bytes`: length of its role. */
export const mappedAgent = ({ provider, name }: CachedModel, bytes: number, parallel = 1000): string => `
graph:
  id: mapped
  budget: {usd: 100}
  nodes:
    - {id: Source, type: passthrough, config: {}}
    - {id: A, type: agent, config: {provider: ${provider}, name: ${name}, role: '${'Judge it. '.repeat(bytes / 10)}'}}
  edges:
    - {from: Source, to: A, dynamic: {type: map, config: {split_type: lines, max_parallel: ${parallel}}}}
`;

/** Returns what the prompts on the bill have cost, and what they would have cost if nothing had been kept. */
export function promptCosts({ bill }: FakeProvider): { readonly paid: number; readonly uncached: number } {
  const cost = (kept: boolean) =>
    bill.lines.reduce((sum, { model, usage }) => {
      const { rates } = models[model] ?? {};
      if (rates === undefined) throw new Error(`the model ${model} has no rates`);
      return sum + price(rates, { ...usage, output: 0, ...(kept ? {} : { read: 0, write: 0, writeLong: 0 }) });
    }, 0n);
  return { paid: Number(cost(true)), uncached: Number(cost(false)) };
}
