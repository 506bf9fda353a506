import type { AskedModel, LocatedModel, ModelLookup, ProviderDefinition, Terms, Vocabulary } from '@millrace/core';
import { costOf, formatDollars, mostCostOf, NodeError, omitUndefined, onOwnHost, tokensOf } from '@millrace/core';
import type { Finding } from '@millrace/runtime';
import { createGuardedFetch, createOutboundPolicy, realClock, sleep } from '@millrace/runtime';
import type { Cli } from '../../process/cli.ts';
import { compareWithList } from './doctor-lists.ts';

const question = 'Answer with the word: yes';
/** Limit of the reply in tokens, and a bound of those of the question with all that surrounds it. */
const mostTokens = 64;
const timeoutMs = 60_000;

/**
 * Asks one small question of each provider whose key is set, and for the list of its models; returns what answered, and what
 * contradicts the named models.
 */
export async function askProviders(
  cli: Cli,
  vocabulary: Vocabulary,
  named: readonly LocatedModel[],
): Promise<readonly Finding[]> {
  const { environment, outbound = ['loopback'] } = await cli.config();
  const fetch = createGuardedFetch(createOutboundPolicy(outbound));
  const lookup = vocabulary.models();
  const findings: Finding[] = [];
  for (const provider of new Set(vocabulary.providers.values())) {
    const { type, keyVariables = [], addressVariable = '' } = provider;
    const apiKey = keyVariables.map((name) => environment[name]).find((key) => key !== undefined && key !== '');
    if (apiKey === undefined) continue;
    const model = modelOf(type, named, lookup);
    const asked = { provider: type, model, baseUrl: environment[addressVariable] || undefined };
    cli.terminal.say(`asking ${type} for a reply of ${model}, ${boundText(asked, lookup)}`, 'dim');
    findings.push(await ask(provider, { asked, apiKey, fetch, lookup }));
    const access = { provider: type, baseUrl: asked.baseUrl, apiKey, fetch };
    for (const found of await compareWithList(access, named, lookup)) findings.push(found);
  }
  if (findings.length === 0) cli.terminal.say('No key of a provider is set here, so none is asked.');
  return findings;
}

/** Returns the model to ask: one that a workflow asks with the same key, or the cheapest one that is known. */
function modelOf(provider: string, named: readonly LocatedModel[], lookup: ModelLookup): string {
  const used = named.find((model) => model.provider === provider && model.baseUrl === undefined);
  if (used !== undefined) return used.model;
  const priced = lookup.names().flatMap((name) => {
    const asked = onOwnHost(name);
    const price = lookup.price(asked)?.price;
    const { retires, effort } = lookup.profile(asked);
    const isChat = price !== undefined && price.output > 0 && effort !== undefined && retires == null;
    return isChat && asked.provider === provider && asked.baseUrl === undefined ? [{ name, cost: price.output }] : [];
  });
  return priced.sort((a, b) => a.cost - b.cost)[0]?.name ?? provider;
}

/** Returns the most that the question may cost, in words. */
function boundText(asked: AskedModel, lookup: ModelLookup): string {
  const terms = termsOf(asked, lookup);
  if (terms === undefined) return `at most ${mostTokens} tokens`;
  const most = { promptTokens: mostTokens, completionTokens: mostTokens, searches: 0, media: false, tier: 1 } as const;
  return `for at most ${formatDollars(mostCostOf({ ...most, writes: 'none' }, terms))}`;
}

function termsOf(asked: AskedModel, lookup: ModelLookup): Terms | undefined {
  const price = lookup.price(asked)?.price;
  return price && { price, provider: asked.provider, regional: lookup.profile(asked).regional };
}

interface Question {
  readonly asked: AskedModel;
  readonly apiKey: string;
  readonly fetch: typeof fetch;
  readonly lookup: ModelLookup;
}

async function ask(provider: ProviderDefinition, { asked, apiKey, fetch, lookup }: Question): Promise<Finding> {
  const profile = lookup.profile(asked);
  const terms = termsOf(asked, lookup);
  const [effort] = profile.effort ?? [];
  const { startDeadline, retryPolicyOf } = await import('@millrace/catalog');
  const deadline = startDeadline(timeoutMs);
  const started = performance.now();
  const subject = asked.provider;
  try {
    const { usage } = await provider.chat(
      {
        ...omitUndefined({ provider: asked.provider, model: asked.model, baseUrl: asked.baseUrl, apiKey }),
        messages: [{ role: 'user', content: question }],
        params: effort === undefined ? {} : { effort },
        retry: { ...retryPolicyOf(undefined), maxAttempts: 1 },
      },
      {
        signal: deadline.signal,
        counts: {},
        profile,
        engine: { maxTokens: mostTokens },
        fetch,
        sleep: (ms, ended) => sleep(realClock, ms, ended),
      },
    );
    const cost = usage === undefined || terms === undefined ? undefined : formatDollars(costOf(usage, terms));
    const facts = [
      `${Math.round(performance.now() - started)} ms`,
      ...(usage === undefined ? [] : [`${tokensOf(usage)} tokens`]),
      ...(cost === undefined ? [] : [cost]),
    ];
    return { level: 'good', subject, message: `${usage?.model ?? asked.model} answers (${facts.join(', ')})` };
  } catch (error) {
    if (!(error instanceof NodeError)) throw error;
    return { level: 'bad', subject, message: `${asked.model}: ${error.message} [${error.code}]` };
  } finally {
    deadline.clear();
  }
}
