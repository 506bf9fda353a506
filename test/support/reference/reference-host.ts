import { retryDelaySeconds } from '@millrace/catalog';
import type { ChatReply, ChatRequest, Host } from '@millrace/core';
import { createModelLookup, NodeError } from '@millrace/core';
import { fakeHost } from '../fakes/fake-host.ts';
import type { Frame, Place, Reference } from './reference-frame.ts';
import { countUp } from './reference-frame.ts';

/** A host that keeps nothing: steps run, models answer from the run's script. */
export function createHost({ run }: Frame, place: Place): Host {
  return fakeHost({
    run: run.id,
    node: place.node.id,
    activation: `a${countUp(run, 'host')}`,
    compat: run.compat,
    now: run.now,
    state: place.state,
    chat: (request) => chat(run, request),
  });
}

async function chat(run: Reference, asked: ChatRequest): Promise<ChatReply> {
  const request = run.script === undefined ? asked : { ...asked, provider: 'scripted', params: run.script };
  for (let attempt = 1; ; attempt++) {
    try {
      return await once(run, request);
    } catch (error) {
      // Asked again at once: there is no person to wait for.
      if (retryDelaySeconds(request.retry, { error, attempt, random: 0 }) === undefined) throw error;
    }
  }
}

function once(run: Reference, request: ChatRequest): Promise<ChatReply> {
  const provider = run.vocabulary.providers.get(request.provider);
  if (provider === undefined) throw new NodeError('UNKNOWN_PROVIDER', `no provider "${request.provider}"`);
  const seen = provider.tallies?.(request, (key) => run.counts.get(`tally ${key}`) ?? 0) ?? {};
  const counts = Object.fromEntries(Object.entries(seen).map(([key, count]) => [key, count + 1]));
  for (const [key, count] of Object.entries(counts)) run.counts.set(`tally ${key}`, count);
  const sleep = () => Promise.reject(new Error('The reference engine does not wait.'));
  const profile = createModelLookup([]).profile(request);
  return provider.chat(request, { signal: new AbortController().signal, fetch, counts, profile, sleep });
}
