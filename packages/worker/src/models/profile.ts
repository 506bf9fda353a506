import type { AskedModel, ChatRequest, ModelProfile, Plan, ProviderDefinition } from '@millrace/core';
import type { WorkerContext } from '../context/worker-context.ts';
import { secretFromEnvironment } from '../programs/config.ts';

/** Temperature that the original engine sends to every model of an OpenAI-compatible server. */
const originalTemperature = 0.7;

/** Returns the model that a request asks, at the address to which it goes. */
export function askedModelOf({ addressVariable }: ProviderDefinition, request: ChatRequest): AskedModel {
  const { provider, model, baseUrl } = request;
  const address = baseUrl ?? (addressVariable === undefined ? undefined : secretFromEnvironment(addressVariable));
  return { provider, model, baseUrl: address || undefined };
}

/** Returns what is known of a model. In compatibility mode, unknown models of other servers get a temperature. */
export function profileFor(
  { models }: Pick<WorkerContext, 'models'>,
  { compat }: Plan,
  asked: AskedModel,
): ModelProfile {
  const profile = models().profile(asked);
  return compat && asked.provider === 'openai' && !profile.known && profile.host === undefined
    ? { ...profile, usual_temperature: originalTemperature }
    : profile;
}
