import { retryDelay } from '@millrace/catalog';
import type { ChatReply, ChatRequest, Plan, ProviderDefinition, Tell } from '@millrace/core';
import { NodeError } from '@millrace/core';
import type { Crew } from '../crew.ts';
import { withContents } from './contents.ts';
import { pause } from './pause.ts';
import { Postponed } from './postponed.ts';
import { reveal } from './reveal.ts';
import type { Steps } from './step.ts';

interface Around {
  readonly steps: Steps;
  readonly plan: Plan;
  readonly signal: AbortSignal;
}

/** What one call came to. A failed call is remembered too: it was made, and may have been paid for. */
type Attempt =
  | { readonly type: 'reply'; readonly reply: ChatReply }
  | { readonly type: 'failed'; readonly failed: FailedCall };

/** As much of an error as the retry policy and people need. */
interface FailedCall {
  readonly code: string;
  readonly message: string;
  readonly transient: boolean;
  readonly status?: number;
  readonly types?: readonly string[];
  readonly retryAfterSeconds?: number;
}

/** Longer waits than this are no work: they hold no place at a worker. */
const longestPauseSeconds = 1;

/**
 * Asks models until one call works or the request's policy gives up; each call is a step of the activation. A run with
 * a script is answered by that, whatever provider a node names.
 */
export function chatOver(crew: Crew, { steps, plan, signal }: Around): (request: ChatRequest) => Promise<ChatReply> {
  return async (asked) => {
    const request = plan.script === undefined ? asked : { ...asked, provider: 'scripted', params: plan.script };
    const provider = crew.vocabulary.providers.get(request.provider);
    if (provider === undefined) {
      throw new NodeError('PROVIDER_UNKNOWN', `There is no model provider "${request.provider}".`);
    }
    for (let attempt = 1; ; attempt++) {
      const made = await attemptOnce(crew, { steps, signal, provider, request, asked });
      if (made.type === 'reply') return made.reply;
      const { failed } = made;
      const seconds = retryDelay(request.retry, { error: failed, attempt, random: Math.random() });
      if (seconds === undefined) throw new NodeError(failed.code, failed.message, { transient: failed.transient });
      if (made.remembered) continue;
      crew.log.warn({ attempt, seconds, code: failed.code }, 'a model call failed and is made again');
      await rest(crew, seconds, signal);
    }
  };
}

async function rest({ runs }: Crew, seconds: number, signal: AbortSignal): Promise<void> {
  if (seconds > longestPauseSeconds) throw new Postponed(runs.now() + seconds * 1000);
  await pause(seconds * 1000, signal);
}

interface Asking {
  readonly steps: Steps;
  readonly signal: AbortSignal;
  readonly provider: ProviderDefinition;
  readonly request: ChatRequest;
  /** The request as the node made it. */
  readonly asked: ChatRequest;
}

async function attemptOnce(
  crew: Crew,
  { steps, signal, provider, request, asked }: Asking,
): Promise<Attempt & { remembered: boolean }> {
  let remembered = true;
  const { apiKey: _secret, ...visible } = asked;
  const made = await steps.take<Attempt>({
    name: `chat ${request.model}`,
    request: visible,
    tallies: (read) => provider.tallies?.(request, read) ?? {},
    async action(counts, tell) {
      remembered = false;
      const value = await call(crew, provider, { request, counts, signal, tell });
      if (value.type === 'failed') return { value, failed: true };
      const { usage } = value.reply;
      return usage === undefined ? { value } : { value, usage };
    },
  });
  return { ...made, remembered };
}

interface Call {
  readonly request: ChatRequest;
  readonly counts: Readonly<Record<string, number>>;
  readonly signal: AbortSignal;
  readonly tell: Tell;
}

async function call(crew: Crew, provider: ProviderDefinition, { request, ...around }: Call): Promise<Attempt> {
  const { apiKey, ...visible } = request;
  const key = keyOf(crew, provider, apiKey);
  const whole = { ...visible, messages: await withContents(crew.runs.blobs, request.messages) };
  try {
    return {
      type: 'reply',
      reply: await provider.chat(key === undefined ? whole : { ...whole, apiKey: key }, around),
    };
  } catch (error) {
    if (around.signal.aborted || !(error instanceof NodeError)) throw error;
    return { type: 'failed', failed: factsOf(error) };
  }
}

/** The key as it is now where the worker runs. A provider that knows no key is given none. */
function keyOf(
  { secret }: Crew,
  { keyVariables }: ProviderDefinition,
  written: string | undefined,
): string | undefined {
  if (keyVariables === undefined) return undefined;
  if (written !== undefined) return reveal(written, secret);
  return keyVariables.map(secret).find((value) => value !== undefined && value !== '');
}

function factsOf(error: NodeError & Partial<FailedCall>): FailedCall {
  const { code, message, transient, status, types, retryAfterSeconds } = error;
  return {
    code,
    message,
    transient,
    ...(status === undefined ? {} : { status }),
    ...(types === undefined ? {} : { types }),
    ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
  };
}
