import type { ChatReply, ChatRequest, FallbackReason, Warning } from '@millrace/core';
import { NodeError } from '@millrace/core';
import type { FailedModelCall } from './failed-call.ts';

/*
 * Models that are asked in the place of another one. Which model a request asks follows from the results of the steps before
 * it alone, so that a later attempt, or a replay, comes to the same model without a call.
 */

/** Reasons by the codes of failed calls. */
const reasonsByCode: ReadonlyMap<string, FallbackReason> = new Map([
  ['MODEL_UNREACHABLE', 'unavailable'],
  ['MODEL_TIMEOUT', 'unavailable'],
  ['MODEL_SERVER_ERROR', 'unavailable'],
  ['MODEL_BAD_REPLY', 'unavailable'],
  ['MODEL_QUOTA', 'quota'],
  ['MODEL_RATE_LIMITED', 'quota'],
  ['MODEL_NOT_FOUND', 'missing'],
  ['MODEL_CONTEXT_FULL', 'context'],
]);

/** Returns the reason that a reply is to ask another model; undefined if it is an answer. */
function reasonOfReply({ end }: ChatReply): FallbackReason | undefined {
  if (end === 'refusal' || end === 'filter') return 'refusal';
  return end === 'context' ? 'context' : undefined;
}

/** What asking one model came to. */
export type Asked =
  | { readonly type: 'reply'; readonly reply: ChatReply }
  | { readonly type: 'failed'; readonly failed: FailedModelCall };

interface Asking {
  /** Asks one model, as often as the policy of the request says. `insteadOf`: the model in whose place it is asked. */
  ask(request: ChatRequest, insteadOf: string | undefined): Promise<Asked>;
  /** Is told of each reply, also of one in whose place another model is asked. */
  onReply(reply: ChatReply): void;
}

/** A model of a request, by its number, and the warnings about those that were asked before it. */
interface Choice {
  readonly at: number;
  readonly warnings: readonly Warning[];
}

const ownModel: Choice = { at: 0, warnings: [] };

/**
 * Returns a function that asks the model of a request, and those in its place while it gives no answer. The one that has
 * answered is asked for the rest of the activation: signatures and caches do not travel between models.
 */
export function withFallback(asking: Asking): (request: ChatRequest) => Promise<ChatReply> {
  const chosen = new Map<string, Choice>();
  return async (asked) => {
    if (asked.fallback === undefined) return answerOf(asking, await asking.ask(asked, undefined));
    const models = modelsOf(asked, asked.fallback);
    const key = JSON.stringify(models.map(({ request }) => [request.provider, request.model, request.baseUrl]));
    const outcome = await askInTurn(asking, models, chosen.get(key) ?? ownModel);
    chosen.set(key, outcome.choice);
    return answerOf(asking, outcome.made, outcome);
  };
}

/** Returns the reply of the last model that was asked; throws its failure. */
function answerOf(
  { onReply }: Asking,
  made: Asked,
  { choice, failures }: Pick<Outcome, 'choice' | 'failures'> = alone,
): ChatReply {
  if (made.type === 'failed') throw failureOf(made.failed, failures);
  const reply = withWarnings(made.reply, choice.warnings);
  onReply(reply);
  return reply;
}

interface Outcome {
  readonly choice: Choice;
  readonly made: Asked;
  /** Failures of the models before it. */
  readonly failures: readonly FailedModelCall[];
}

const alone: Pick<Outcome, 'choice' | 'failures'> = { choice: ownModel, failures: [] };

/** Asks one model after the other, until one of them answers or there is none for the reason that it does not. */
async function askInTurn({ ask, onReply }: Asking, models: Models, first: Choice): Promise<Outcome> {
  const own = models[0].request;
  const failures: FailedModelCall[] = [];
  for (let choice = first; ; ) {
    const { at } = choice;
    const made = await ask(models[at]?.request ?? own, at === 0 ? undefined : own.model);
    const next = nextModel(models, choice, made);
    if (next === undefined) return { choice, made, failures };
    if (made.type === 'reply') onReply(made.reply);
    else failures.push(made.failed);
    choice = next;
  }
}

/** The models of a request, its own first. */
type Models = readonly [FallbackChoice, ...FallbackChoice[]];

interface FallbackChoice {
  readonly request: ChatRequest;
  readonly when: readonly FallbackReason[];
}

/** Returns the requests for all models of a request, none of which has others in its place. */
function modelsOf({ fallback: _others, ...own }: ChatRequest, fallback: NonNullable<ChatRequest['fallback']>): Models {
  const { baseUrl: _address, apiKey: _key, ...common } = own;
  return [
    { request: own, when: [] },
    ...fallback.map(({ when, ...model }) => ({ request: { ...common, ...model }, when })),
  ];
}

/** Returns the model that is asked after this one; undefined if this one has answered, or no other is asked for its reason. */
function nextModel(models: Models, { at: current, warnings }: Choice, made: Asked): Choice | undefined {
  const reason = made.type === 'reply' ? reasonOfReply(made.reply) : reasonsByCode.get(made.failed.code);
  if (reason === undefined) return undefined;
  const at = models.findIndex(({ when }, place) => place > current && when.includes(reason));
  const [given, used] = [models[current], models[at]].map((one) => one?.request.model);
  if (used === undefined) return undefined;
  const why = made.type === 'reply' ? made.reply.end : made.failed.code;
  const message = `The model "${given}" gave no answer (${why}), so "${used}" was asked in its place.`;
  return { at, warnings: [...warnings, { code: 'W_FALLBACK_USED', message }] };
}

/** Returns a reply with further warnings. */
export const withWarnings = (reply: ChatReply, added: readonly Warning[]): ChatReply =>
  added.length === 0 ? reply : { ...reply, warnings: [...(reply.warnings ?? []), ...added] };

/** Returns the failure of the last of several models; a retry may succeed if it may with one of them. */
function failureOf(last: FailedModelCall, before: readonly FailedModelCall[]): NodeError {
  const text =
    before.length === 0 ? '' : ` The models before it gave no answer: ${before.map(({ code }) => code).join(', ')}.`;
  const transient = [...before, last].some((one) => one.transient);
  return new NodeError(last.code, `${last.message}${text}`, { transient });
}
