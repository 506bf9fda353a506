import type { ProviderDefinition, Vocabulary } from '@millrace/core';
import type { FakeProvider } from '../provider/provider.ts';

/** Own hosts of the vendors. */
const hosts = {
  openai: 'api.openai.com',
  anthropic: 'api.anthropic.com',
  gemini: 'generativelanguage.googleapis.com',
};

/** A vendor that has a host of its own. */
export type Vendor = keyof typeof hosts;

/**
 * Sends the requests of a vocabulary for the hosts of vendors to the fake provider; the product believes that it asks the
 * vendors. Every second reply is followed while it is generated, so that half of the requests ask for a stream.
 */
export function sendVendorsToFake({ providers }: Vocabulary, fake: Pick<FakeProvider, 'url'>): void {
  for (const type of Object.keys(hosts)) {
    const provider = providers.get(type);
    // A vocabulary keeps its providers in a map that only this test writes: its vendors are the fake ones.
    if (provider !== undefined) (providers as Map<string, ProviderDefinition>).set(type, atFake(provider, fake.url));
  }
}

function atFake(provider: ProviderDefinition, address: string): ProviderDefinition {
  const redirected: typeof fetch = (input, init) => {
    const url = new URL(input instanceof Request ? input.url : input);
    const vendor = Object.entries(hosts).find(([, host]) => host === url.hostname)?.[0];
    return fetch(vendor === undefined ? url : `${address}/${vendor}${url.pathname}${url.search}`, init);
  };
  let calls = 0;
  return {
    ...provider,
    chat(request, { emit = () => undefined, ...call }) {
      calls += 1;
      return provider.chat(request, { ...call, fetch: redirected, ...(calls % 2 === 0 && { emit }) });
    },
  };
}
