import { createHash } from 'node:crypto';
import type { ChatReply, ChatRequest, ProviderCall, ProviderDefinition, ToolCall } from '@millrace/core';
import { defineProvider } from '@millrace/core';
import { contentText } from '../model-calls/content.ts';
import { ModelError, modelErrorCode } from '../model-calls/model-error.ts';
import type { ScriptedReply, ScriptedRequest } from './script.ts';
import {
  countsRequests,
  fillPlaceholders,
  ModelScript,
  matchingRule,
  scriptedRequestOf,
  scriptProblems,
} from './script.ts';

/**
 * Model that answers by a script, for demos and tests. The script is in `params`; see script.ts. Its answers depend
 * only on the request and on two kinds of tallies of the run: the number of requests to this model with this system
 * prompt (`{n}`, `call`), and the number of matches of a rule with several replies. Tallies that a script does not use
 * are not kept, so parallel requests need not wait for each other.
 */
export const scripted = defineProvider({
  type: 'scripted',
  summary: 'Answers by the script in its params; for demos and tests.',
  tallies(request, read) {
    const script = scriptOf(request);
    const asked = scriptedRequestOf(request);
    const counts: Record<string, number> = {};
    const requests = countsRequests(script) ? requestsKey(asked) : undefined;
    if (requests !== undefined) counts[requests] = read(requests);
    const rule = matchingRule(script, asked, (requests === undefined ? 0 : (counts[requests] ?? 0)) + 1);
    const key = hitsKey(script, rule);
    if (key !== undefined) counts[key] = read(key);
    return counts;
  },
  chat: reply,
});

/** How the scripted model answers in a test. */
export interface TestAnswering {
  /** Time that a reply without `delay_ms` takes, in milliseconds. */
  readonly callMs: number;
  /** Returns the error of a call that no rule answers and whose script has no default of its own. */
  readonly refuse: (request: ChatRequest) => Error;
}

/** Returns the scripted model of a test: its replies take time, and it makes up none. */
export const scriptedInTests = (answering: TestAnswering): ProviderDefinition => ({
  ...scripted,
  chat: (request, call) => reply(request, call, answering),
});

async function reply(request: ChatRequest, call: ProviderCall, answering?: TestAnswering): Promise<ChatReply> {
  const script = scriptOf(request);
  const asked = scriptedRequestOf(request);
  const n = countsRequests(script) ? (call.counts[requestsKey(asked)] ?? 1) : 1;
  const rule = matchingRule(script, asked, n);
  if (answering !== undefined && rule === undefined && request.params['default'] === undefined)
    throw answering.refuse(request);
  const given = chosen(script, rule, call);
  const { text = '', chunks, delay_ms, error } = typeof given === 'string' ? { text: given, ...plainReply } : given;
  const calls = typeof given === 'string' ? [] : toolCalls(given);
  const ms = delay_ms > 0 ? delay_ms : (answering?.callMs ?? 0);
  if (chunks === undefined) await delay(ms, call);
  const parts = chunks?.map((chunk) => fillPlaceholders(chunk, asked, n));
  for (const part of parts ?? []) {
    call.emit?.(part);
    await delay(ms, call);
  }
  if (error !== undefined) {
    const { type, status, message } = error;
    throw new ModelError(modelErrorCode(type, status), message, { type, status, free: status !== undefined });
  }
  if (parts !== undefined) return answered(request, parts.join(''), calls);
  return spoken(answered(request, fillPlaceholders(text, asked, n), calls), call);
}

const plainReply = { chunks: undefined, delay_ms: 0, error: undefined };

const scripts = new WeakMap<object, ModelScript>();

function scriptOf({ params }: ChatRequest): ModelScript {
  const known = scripts.get(params);
  if (known !== undefined) return known;
  const [problem] = scriptProblems(params);
  if (problem !== undefined) {
    const where = ['params', ...problem.path].join('.');
    throw new ModelError(
      'MODEL_BAD_REQUEST',
      `The script of the provider "scripted" is wrong at ${where}: ${problem.message}`,
      {
        type: 'ValueError',
      },
    );
  }
  const script = ModelScript.parse(params);
  scripts.set(params, script);
  return script;
}

const requestsKey = ({ model, system }: ScriptedRequest): string => `scripted/requests/${model}/${digest(system)}`;

// The key contains the text of the rule, so that agents with different scripts have different tallies.
function hitsKey(script: ModelScript, index: number | undefined): string | undefined {
  const rule = index === undefined ? undefined : script.rules[index];
  return rule?.replies === undefined ? undefined : `scripted/hits/${index}/${digest(JSON.stringify(rule))}`;
}

const digest = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 12);

function chosen(script: ModelScript, index: number | undefined, call: ProviderCall): ScriptedReply {
  const rule = index === undefined ? undefined : script.rules[index];
  const key = hitsKey(script, index);
  if (rule?.replies === undefined || key === undefined) return rule?.reply ?? script.default;
  const hit = Math.min(call.counts[key] ?? 1, rule.replies.length);
  return rule.replies[hit - 1] ?? script.default;
}

async function delay(ms: number, { signal, sleep }: ProviderCall): Promise<void> {
  signal.throwIfAborted();
  if (ms > 0) await sleep(ms, signal);
}

const toolCalls = (reply: Exclude<ScriptedReply, string>): ToolCall[] =>
  reply.tool_calls.map((call, index) => ({
    id: call.id ?? `call_${index + 1}`,
    name: call.name,
    arguments: typeof call.arguments === 'string' ? call.arguments : JSON.stringify(call.arguments),
  }));

function answered(request: ChatRequest, text: string, calls: readonly ToolCall[]): ChatReply {
  return {
    text,
    ...(calls.length === 0 ? {} : { toolCalls: calls }),
    usage: { promptTokens: words(request.messages.map(contentText).join(' ')), completionTokens: words(text) },
    end: calls.length === 0 ? 'stop' : 'calls',
    finishReason: calls.length === 0 ? 'stop' : 'tool_calls',
  };
}

function spoken(reply: ChatReply, { emit }: ProviderCall): ChatReply {
  if (reply.text !== '') emit?.(reply.text);
  return reply;
}

/** Counts words, without a list of them: a conversation may have megabytes. */
function words(text: string): number {
  let count = 0;
  const word = /\S+/g;
  while (word.test(text)) count += 1;
  return count;
}
