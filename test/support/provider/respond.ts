import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Address } from './address.ts';
import { addressOf, entryRefusal, keyOf, vendorOf } from './address.ts';
import type { BillLine } from './bill/bill.ts';
import { price } from './bill/bill.ts';
import type { ModelRules } from './bill/models.ts';
import { rulesOf } from './bill/models.ts';
import { openPromptCache } from './bill/prompt-cache.ts';
import type { Issued } from './issued.ts';
import { openIssued } from './issued.ts';
import { embeddings, modelList, textsOf } from './listing.ts';
import { conversationOf } from './quirks/quirks.ts';
import type { Answer, Reply, Said } from './reply.ts';
import { answerOf, defaultReply } from './reply.ts';
import { anthropicRefusal } from './rules/anthropic-rules.ts';
import { compatibleRefusal } from './rules/compatible-rules.ts';
import { contextRefusal } from './rules/context-rules.ts';
import { geminiRefusal } from './rules/gemini-rules.ts';
import { openaiRefusal } from './rules/openai-rules.ts';
import type { Refusal } from './rules/refusal.ts';
import { invalid } from './rules/refusal.ts';
import { dialects, sendAnswer, sendBody, sendEvents, sendRefusal } from './send.ts';
import type { Api, Json, Turn, Vendor } from './turn.ts';

/** Settings that decide what is answered, and what it costs. */
export interface AnswerOptions {
  /** Reply to the n-th request for a reply, counted from 1; undefined leaves it to the quirk and the default. */
  readonly reply?: (turn: Turn, n: number) => Reply | undefined | Promise<Reply | undefined>;
  /** Response to a request for embeddings; undefined gives vectors. */
  readonly embed?: (texts: readonly string[]) => Refusal | { readonly body: unknown } | undefined;
  /** Clock of the caches and of retirements, in milliseconds. */
  readonly now?: () => number;
  /** Bytes that count as a token. */
  readonly bytesPerToken?: number;
  /** Tokens that a prompt of any model may have; those of its vendor by default. */
  readonly context?: number;
  /** Region that requests are bound to, which costs more. */
  readonly region?: string;
}

/** A request that has been read. */
export interface Received {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  /** Undefined if it is no JSON object. */
  readonly body: Json | undefined;
}

/** What is known of a request before it is answered, and how it is answered. */
export interface Plan {
  readonly vendor: Vendor | undefined;
  readonly api: Address['api'] | undefined;
  readonly model: string;
  /** Answers, and returns what was answered in some words. */
  send(outgoing: ServerResponse): string | Promise<string>;
}

/** A request for a reply that broke a rule. */
export interface RefusedRequest {
  readonly model: string;
  readonly api: Api;
  readonly message: string;
}

interface Needs extends AnswerOptions {
  /** Takes a reply from the queue of a model. */
  take(model: string): Reply | undefined;
  charge(line: BillLine): unknown;
  /** Is told of a request that the rules of a vendor or a quirk refuse. */
  refused(request: RefusedRequest): unknown;
}

const refusals: Readonly<Record<Vendor, (turn: Turn, rules: ModelRules, issued: Issued) => Refusal | undefined>> = {
  openai: openaiRefusal,
  anthropic: anthropicRefusal,
  gemini: geminiRefusal,
  compatible: compatibleRefusal,
};

/** Opens what answers the requests of a provider. */
export function openResponder(needs: Needs): (received: Received) => Plan {
  const { take, charge, refused, reply: scripted, embed, region, now = Date.now, bytesPerToken = 4, context } = needs;
  const tokensOf = (bytes: number) => Math.ceil(bytes / bytesPerToken);
  const promptTokensOf = ({ segments }: Turn) =>
    tokensOf(segments.reduce((bytes, { text }) => bytes + Buffer.byteLength(text), 0));
  const cache = openPromptCache(bytesPerToken, now);
  const issued = openIssued();
  const asked = new Map<string, number>();
  let n = 0;

  /** Returns the reply to a turn: scripted, of its quirk, or the default. */
  async function replyTo(turn: Turn, { quirk, quirkName }: Address): Promise<Reply> {
    const count = () => {
      const conversation = `${quirkName} ${turn.api} ${turn.model} ${conversationOf(turn)}`;
      const times = turn.rounds === 0 ? 1 : (asked.get(conversation) ?? 0) + 1;
      asked.set(conversation, times);
      return times;
    };
    return take(turn.model) ?? (await scripted?.(turn, n)) ?? quirk.reply?.(turn, count()) ?? defaultReply(turn);
  }

  /** Completes what the model says, and charges it. */
  function answerTo(
    turn: Turn,
    said: Said,
    { rules, model, always }: Answering & { readonly always: boolean },
  ): Answer {
    const answer = answerOf(
      { ...said, model: said.model ?? model },
      {
        turn,
        prompt: cache.take(turn, rules.cache),
        n,
        tokensOf,
        output: rules.output,
        thinks: always && rules.thinking.default,
        ...(region !== undefined && { region }),
      },
    );
    issued.add(answer, turn);
    const { rates } = rulesOf(turn.vendor, answer.model);
    charge({ model: answer.model, usage: answer.usage, picodollars: rates && price(rates, answer.usage) });
    return answer;
  }

  function refusalOf(turn: Turn, { quirk, named }: Address, { asked: rules }: Answering): Refusal | undefined {
    return (
      quirk.refuse?.(turn, issued) ??
      (named && refusals[named](turn, rules, issued)) ??
      contextRefusal(turn, { prompt: promptTokensOf(turn), context: context ?? rules.context })
    );
  }

  async function send(turn: Turn, address: Address, outgoing: ServerResponse): Promise<string> {
    const { quirk, named } = address;
    const answering = answeringOf(turn.vendor, turn.model, now());
    const refusal = refusalOf(turn, address, answering);
    if (refusal !== undefined) {
      refused({ model: turn.model, api: turn.api, message: refusal.message });
      return sendRefusal(outgoing, turn.api, refusal);
    }
    n += 1;
    const reply = await replyTo(turn, address);
    const unsaid = typeof reply === 'object' && (await sendUnsaid(outgoing, turn.api, reply));
    if (unsaid) return unsaid;
    const half = typeof reply === 'object' && 'hangUp' in reply;
    const said = saidIn(reply);
    if (said.afterMs !== undefined) await sleep(said.afterMs);
    const answer = answerTo(turn, said, { ...answering, always: named !== undefined });
    const form = turn.api === 'chat' ? quirk.form : undefined;
    sendAnswer(outgoing, answer, { turn, form, headers: said.headers ?? {}, half });
    return `200 ${half ? 'half, ' : ''}${answer.end}, ${answer.usage.input} + ${answer.usage.output} tokens`;
  }

  function sendVectors(body: Json, outgoing: ServerResponse): string {
    const given = embed?.(textsOf(body)) ?? { body: embeddings(body, tokensOf) };
    return 'refuse' in given ? sendRefusal(outgoing, 'chat', given) : sendBody(outgoing, given);
  }

  return ({ path, headers, body }) => {
    const address = addressOf(path, body ?? {});
    if (typeof address === 'string') {
      const nowhere: Refusal = { refuse: 404, message: address };
      return {
        vendor: undefined,
        api: undefined,
        model: '',
        send: (outgoing) => sendRefusal(outgoing, 'chat', nowhere),
      };
    }
    const { api, model, stream } = address;
    const vendor = vendorOf(address);
    return {
      vendor,
      api,
      model,
      send(outgoing) {
        const refusal = entryRefusal(address, headers);
        if (refusal !== undefined) return sendRefusal(outgoing, shapes[vendor], refusal);
        if (body === undefined) return sendRefusal(outgoing, shapes[vendor], invalid('The body is not a JSON object.'));
        if (api === 'models') return sendBody(outgoing, { body: modelList(vendor) });
        if (api === 'embeddings') return sendVectors(body, outgoing);
        const turn = { ...dialects[api].read(body), api, vendor, model, key: keyOf(headers), body, stream };
        return send(turn, address, outgoing);
      },
    };
  };
}

/** APIs in whose shape a vendor refuses what is no request for a reply. */
const shapes: Readonly<Record<Vendor, Api>> = {
  openai: 'chat',
  compatible: 'chat',
  anthropic: 'messages',
  gemini: 'content',
};

/** Sends a reply in which the model says nothing; returns undefined for others. */
async function sendUnsaid(
  outgoing: ServerResponse,
  api: Api,
  reply: Exclude<Reply, string>,
): Promise<string | undefined> {
  if ('respond' in reply) {
    await reply.respond(outgoing);
    return 'as the test says';
  }
  if ('refuse' in reply) return sendRefusal(outgoing, api, reply);
  if ('body' in reply) return sendBody(outgoing, reply);
  if ('events' in reply) return sendEvents(outgoing, reply.events);
  if ('silence' in reply) return 'silence';
  if (!('hangUp' in reply) || reply.hangUp === 'middle') return undefined;
  outgoing.destroy();
  return 'hung up';
}

/** Returns what the model says in a reply; the half of a reply is that of a text. */
function saidIn(reply: Reply): Said {
  if (typeof reply === 'string') return { text: reply };
  return 'hangUp' in reply ||
    'refuse' in reply ||
    'body' in reply ||
    'events' in reply ||
    'silence' in reply ||
    'respond' in reply
    ? { text: 'This is the first half.' }
    : reply;
}

interface Answering {
  /** Rules of the model that was asked. */
  readonly asked: ModelRules;
  /** Model that answers, and its rules. */
  readonly model: string;
  readonly rules: ModelRules;
}

function answeringOf(vendor: Vendor, model: string, now: number): Answering {
  const asked = rulesOf(vendor, model);
  const { answeredBy } = asked;
  if (answeredBy === undefined || now < Date.parse(answeredBy.from)) return { asked, model, rules: asked };
  return { asked, model: answeredBy.model, rules: rulesOf(vendor, answeredBy.model) };
}
