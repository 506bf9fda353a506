import { startFakeProvider } from '../provider/provider.ts';

/** A model API that answers when the test says so. */
export interface HeldModels {
  /** Configuration of an agent that asks it. */
  agent(model: string): string;
  /** Resolves when so many requests for a model have come in all. */
  asked(model: string, times: number): Promise<void>;
  /** Resolves when so many requests for a model were hung up on in all. */
  hungUp(model: string, times: number): Promise<void>;
  /** Answers what is open for a model. */
  answer(model: string): void;
  close(): Promise<void>;
}

/** Starts a provider that holds every request until the test releases it. */
export async function startHeldModels(): Promise<HeldModels> {
  const open = new Map<string, (() => void)[]>();
  const provider = await startFakeProvider({
    reply: ({ model }) =>
      new Promise((resolve) => {
        open.set(model, [...(open.get(model) ?? []), () => resolve(`${model} says so`)]);
      }),
  });
  return {
    agent: (model) =>
      `{ provider: openai, name: ${model}, base_url: "${provider.at('ok')}", api_key: k, retry: { max_attempts: 1 } }`,
    asked: (model, times) => provider.asked(times, model),
    hungUp: (model, times) => provider.hungUp(times, model),
    answer(model) {
      for (const release of open.get(model)?.splice(0) ?? []) release();
    },
    close: () => provider.close(),
  };
}
