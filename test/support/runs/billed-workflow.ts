import type { FakeProvider, ProviderOptions } from '../provider/provider.ts';

/** An agent that is billed in one of the ways that providers have. */
interface BilledAgent {
  readonly provider: 'openai' | 'anthropic' | 'gemini';
  readonly name: string;
  readonly params: object;
  /** Characters of its role. */
  readonly role?: number;
}

const responses = { protocol: 'responses', temperature: null, max_tokens: 300 };
const messages = { temperature: null, max_tokens: 300 };

/** Agents by the way in which they are billed. */
const agents = {
  Read: { provider: 'openai', name: 'gpt-5.4-mini', params: { temperature: null, max_completion_tokens: 300 } },
  Written: { provider: 'openai', name: 'gpt-6.1-sol', params: responses },
  WrittenLong: {
    provider: 'openai',
    name: 'gpt-6.1-terra',
    params: { ...responses, prompt_cache_options: { ttl: '12h' } },
  },
  Flex: { provider: 'openai', name: 'gpt-6-sol', params: { ...responses, service_tier: 'flex' } },
  Priority: { provider: 'openai', name: 'gpt-6-luna', params: { ...responses, service_tier: 'priority' } },
  Cached: {
    provider: 'anthropic',
    name: 'claude-sonnet-5-5',
    params: { ...messages, cache_control: { type: 'ephemeral' } },
  },
  CachedLong: {
    provider: 'anthropic',
    name: 'claude-opus-5-5',
    params: { ...messages, cache_control: { type: 'ephemeral', ttl: '1h' } },
  },
  LongPrompt: { provider: 'anthropic', name: 'claude-haiku-5-5', params: messages, role: 101_000 },
  Routed: { provider: 'gemini', name: 'gemini-2.5-flash', params: { max_tokens: 300 } },
  Searching: {
    provider: 'anthropic',
    name: 'claude-sonnet-5',
    params: { ...messages, tools: [{ type: 'web_search_20250305', name: 'web_search' }] },
  },
} as const satisfies Readonly<Record<string, BilledAgent>>;

/** Ways in which agents are billed. */
export type BilledWay = keyof typeof agents;

/** All ways. */
export const billedWays = Object.keys(agents) as readonly BilledWay[];

/** Returns a workflow whose agents are billed in these ways. Each of them maps over the lines of the input. */
export function billedWorkflow(provider: FakeProvider, budget: string, ways: readonly BilledWay[]): string {
  const nodes = ways.map((way) => {
    const { provider: vendor, name, params, ...given }: BilledAgent = agents[way];
    const config = {
      provider: vendor,
      name,
      base_url: provider.at(vendor),
      api_key: 'key',
      role: `${way} `.repeat(Math.ceil((given.role ?? 1500) / (way.length + 1))),
      params,
    };
    return `    - ${JSON.stringify({ id: way, type: 'agent', config })}`;
  });
  const edges = ways.map(
    (way) => `    - {from: Source, to: ${way}, dynamic: {type: map, config: {split_type: lines, max_parallel: 1000}}}`,
  );
  return `
graph:
  id: billed
  budget: ${budget}
  end: [${ways[0]}]
  nodes:
    - {id: Source, type: passthrough, config: {}}
${nodes.join('\n')}
  edges:
${edges.join('\n')}
`;
}

/** Settings of a provider after the retirement of a model, which says answers of different lengths and searches if it can. */
export const billing: ProviderOptions = {
  now: () => Date.parse('2026-12-02'),
  bytesPerToken: 1,
  reply: ({ body }, n) => ({
    text: 'word '.repeat(1 + (n % 50)),
    ...(JSON.stringify(body['tools'] ?? []).includes('web_search') ? { searches: n % 4 } : {}),
  }),
};

/** Returns the bill in micro-dollars, as each call is rounded up to whole ones. */
export function billedMicroUsd({ bill }: FakeProvider): number {
  return bill.lines.reduce((sum, { picodollars = 0n }) => sum + Number((picodollars + 999_999n) / 1_000_000n), 0);
}

/** Returns so many lines. */
export const lines = (count: number): string => Array.from({ length: count }, (_, unit) => `unit ${unit}`).join('\n');
