import { retryDelay } from '@millrace/catalog';
import { type ChatReply, type ChatRequest, NodeError, type Plan, type ProviderDefinition } from '@millrace/core';
import type { Crew } from '../activate.ts';
import type { Steps } from './step.ts';

interface Around {
  readonly steps: Steps;
  readonly plan: Plan;
  readonly signal: AbortSignal;
}

/** Asks models, each call as a step of the activation. A run with a script is answered by that, whatever a node names. */
export function chatOver(crew: Crew, { steps, plan, signal }: Around): (request: ChatRequest) => Promise<ChatReply> {
  return (asked) => {
    const request = plan.script === undefined ? asked : { ...asked, provider: 'scripted', params: plan.script };
    const provider = crew.vocabulary.providers.get(request.provider);
    if (provider === undefined) throw new NodeError('PROVIDER_UNKNOWN', `There is no model provider "${request.provider}".`);
    const { apiKey, ...visible } = request;
    return steps.take({
      name: `chat ${request.model}`,
      request: plan.script === undefined ? visible : { ...visible, params: asked.params },
      ...(provider.tallies === undefined ? {} : { tallies: (read) => provider.tallies?.(request, read) ?? {} }),
      async action(counts) {
        const key = plan.script === undefined ? reveal(apiKey, crew.secret) : undefined;
        const full = key === undefined ? visible : { ...visible, apiKey: key };
        const value = await persevere(provider, full, { counts, signal, crew });
        return value.usage === undefined ? { value } : { value, usage: value.usage };
      },
    });
  };
}

/** A key that the workflow names by variables, as it is now in this worker's environment. */
function reveal(key: string | undefined, secret: Crew['secret']): string | undefined {
  return key?.replaceAll(/\$\{([A-Za-z0-9_]+)\}/g, (_all, name: string) => {
    const value = secret(name);
    if (value === undefined) throw new NodeError('SECRET_MISSING', `The variable ${name} is not set where the worker runs.`);
    return value;
  });
}

interface Calling {
  readonly counts: Readonly<Record<string, number>>;
  readonly signal: AbortSignal;
  readonly crew: Crew;
}

/** Calls until it works or the request's policy gives up. */
async function persevere(provider: ProviderDefinition, request: ChatRequest, { counts, signal, crew }: Calling): Promise<ChatReply> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await provider.chat(request, { signal, counts });
    } catch (error) {
      if (signal.aborted) throw error;
      const seconds = retryDelay(request.retry, { error, attempt, random: Math.random() });
      if (seconds === undefined) throw error;
      crew.log.warn({ attempt, seconds, code: error instanceof NodeError ? error.code : undefined }, 'a model call failed and is made again');
      await pause(seconds * 1000, signal);
    }
  }
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer);
      reject(signal.reason);
    };
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', stop);
      resolve();
    }, ms);
    signal.addEventListener('abort', stop, { once: true });
  });
}
