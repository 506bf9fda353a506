import { keptBy } from '@millrace/catalog';
import type { ChatRequest, ModelProfile, MostUsage, Price } from '@millrace/core';
import { attachmentsOf, NodeError } from '@millrace/core';

/*
 * Rates at which a request may be billed: writes to caches, recordings and images, and service tiers, as far as the
 * request can cause them.
 */

/** Returns the longest time for which the provider may be asked to keep the prompt. `sent`: the request as JSON. */
export function writesOf(request: ChatRequest, profile: ModelProfile, sent: string): MostUsage['writes'] {
  const { provider } = request;
  const kept = keptBy(request, profile);
  const isUsual =
    provider === 'openai' && (profile.cache === 'openai_options' || (profile.host === 'openai' && !profile.known));
  if (!isUsual && !sent.includes('"cache_control"')) return kept;
  return kept === 'long' || /"(1h|12h|24h)"/.test(sent) ? 'long' : 'short';
}

/** Tests if the prompt has recordings or images, which have their own rates. */
export const hasMedia = ({ messages }: ChatRequest): boolean =>
  messages.some((message) => attachmentsOf(message).length > 0);

/** Words for a service tier that costs no more than the standard one. */
const usualTiers = /^(auto|default|standard|standard_only|flex|batch)$/i;

const writtenTier = ({ params }: ChatRequest): string | undefined =>
  [params['tier'], params['service_tier'], params['serviceTier'], params['speed']].find(
    (word) => typeof word === 'string',
  );

/** Returns the tier that a request has to name: OpenAI's default is what the settings of the account say. */
export const neededTier = (request: ChatRequest, { host }: ModelProfile): string | undefined =>
  request.provider === 'openai' && host === 'openai' && writtenTier(request) === undefined ? 'default' : undefined;

/** Returns the factor of the dearest tier that may answer. Throws a NodeError for a tier without a price. */
export function dearestTier(request: ChatRequest, profile: ModelProfile, { tiers = {} }: Price): number {
  const written = writtenTier(request);
  const isOpen = written === 'auto' || (written === undefined && neededTier(request, profile) === undefined);
  if (request.provider === 'openai' && isOpen) return Math.max(1, ...Object.values(tiers));
  if (written === undefined || usualTiers.test(written)) return 1;
  const factor = tiers[written.toLowerCase()];
  if (factor === undefined) throw unknownRate(request, `the service tier "${written}"`, `tiers: {${written}: 2}`);
  return Math.max(1, factor);
}

/** Throws a NodeError for a request of audio or images from a model whose price has no rate for them. */
export function assertModalities(request: ChatRequest, price: Price): void {
  const { params } = request;
  const asked = [params['modalities'], params['responseModalities'], params['response_modalities']].flat();
  for (const kind of ['audio', 'image'] as const) {
    const isAsked =
      asked.some((one) => String(one).toLowerCase() === kind) || (kind === 'audio' && params['audio'] != null);
    if (isAsked && price[`${kind}_output`] === undefined)
      throw unknownRate(request, kind === 'audio' ? 'spoken answers' : 'drawn answers', `${kind}_output: 20`);
  }
}

const unknownRate = ({ model }: ChatRequest, what: string, example: string): NodeError =>
  new NodeError(
    'PRICE_UNKNOWN',
    `The run has a budget in US dollars, but the price of the model "${model}" has no rate for ${what}. Write it under \`prices\` of the graph, as in \`${example}\`.`,
  );
