import { createHash } from 'node:crypto';
import type { ChatReply, ChatRequest, ProviderCall, ToolCall } from '@millrace/core';
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
    if (countsRequests(script)) counts[requestsKey(asked)] = read(requestsKey(asked));
    const rule = matchingRule(script, asked, (counts[requestsKey(asked)] ?? 0) + 1);
    const key = hitsKey(script, rule);
    if (key !== undefined) counts[key] = read(key);
    return counts;
  },
  async chat(request, call) {
    const script = scriptOf(request);
    const asked = scriptedRequestOf(request);
    const n = call.counts[requestsKey(asked)] ?? 1;
    const reply = chosen(script, matchingRule(script, asked, n), call);
    if (typeof reply === 'string') return spoken(answered(request, fillPlaceholders(reply, asked, n), []), call);
    if (reply.chunks === undefined) await delay(reply.delay_ms, call);
    const chunks = reply.chunks?.map((chunk) => fillPlaceholders(chunk, asked, n));
    for (const chunk of chunks ?? []) {
      call.emit?.(chunk);
      await delay(reply.delay_ms, call);
    }
    if (reply.error !== undefined) {
      const { type, status, message } = reply.error;
      throw new ModelError(modelErrorCode(type, status), message, { type, status, free: status !== undefined });
    }
    if (chunks !== undefined) return answered(request, chunks.join(''), toolCalls(reply));
    return spoken(answered(request, fillPlaceholders(reply.text, asked, n), toolCalls(reply)), call);
  },
});

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

const words = (text: string): number => text.split(/\s+/).filter((word) => word !== '').length;
