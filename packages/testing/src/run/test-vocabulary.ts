import { scriptedInTests, withTools } from '@millrace/catalog';
import type { ChatRequest, ProviderDefinition, ToolDefinition, Vocabulary } from '@millrace/core';
import { NodeError } from '@millrace/core';
import { isPartOf } from '../expect/check-text.ts';
import type { TestCase, ToolReplies } from '../files/test-file.ts';

/** A call that a test does not answer. */
export interface UnexpectedCall {
  /** Field of the test that would have to answer it. */
  readonly field: 'script' | 'tools' | 'network';
  readonly message: string;
}

/** Time that a call of a model takes in a test that names none, in milliseconds. */
const defaultCallMs = 1000;

/**
 * Returns the vocabulary of a test: models are answered by its script alone, and tools by what it says of them. Each call that
 * it does not answer fails, and is noted.
 */
export function testVocabulary(
  vocabulary: Vocabulary,
  { call_time: callMs = defaultCallMs, tools = {} }: Pick<TestCase, 'call_time' | 'tools'>,
  note: (call: UnexpectedCall) => void,
): Vocabulary {
  const refuse = (call: UnexpectedCall): NodeError => {
    note(call);
    return new NodeError('TEST_CALL_UNEXPECTED', call.message);
  };
  const refuseChat = (request: ChatRequest) => refuse({ field: 'script', message: unansweredText(request) });
  const providers = [...vocabulary.providers].map(([type, provider]): [string, ProviderDefinition] => [
    type,
    type === 'scripted'
      ? scriptedInTests({ callMs, refuse: refuseChat })
      : { ...provider, chat: async (request) => Promise.reject(refuseChat(request)) },
  ]);
  const replaced = [...vocabulary.tools].map(([name, tool]): [string, ToolDefinition] => [
    name,
    toolInTest(tool, tools[name], (message) => refuse({ field: 'tools', message })),
  ]);
  return withTools({ ...vocabulary, providers: new Map(providers) }, new Map(replaced));
}

/** Longest message that is quoted of a request, in characters. */
const longestQuote = 2000;

function unansweredText({ model, messages }: ChatRequest): string {
  const shown = messages.map(({ role, content }) => `  ${role.padEnd(9)} ${shortened(textIn(content))}`);
  return [`The model "${model}" was asked what no rule of the script answers:`, ...shown].join('\n');
}

const textIn = (content: ChatRequest['messages'][number]['content']): string =>
  typeof content === 'string' ? content : JSON.stringify(content);

const shortened = (text: string): string => (text.length > longestQuote ? `${text.slice(0, longestQuote)}…` : text);

function toolInTest(
  tool: ToolDefinition,
  replies: ToolReplies | undefined,
  refuse: (message: string) => NodeError,
): ToolDefinition {
  // A question is answered by a person.
  if (replies === 'real' || 'question' in tool) return tool;
  const { unavailable: _why, ...others } = tool;
  return {
    ...others,
    async execute(args: unknown) {
      const rule = replies?.find(({ when }) => when === undefined || isPartOf(when, args));
      if (rule === undefined) throw refuse(uncalledText(tool.name, args, replies !== undefined));
      if (rule.error !== undefined) throw new Error(rule.error);
      return rule.result;
    },
  };
}

const uncalledText = (name: string, args: unknown, isKnown: boolean): string =>
  `The tool "${name}" was called with ${shortened(JSON.stringify(args))}, ${isKnown ? 'which no rule under `tools` of the test answers' : 'but the test says nothing of it. Write what it returns under `tools`, or `real` to execute it'}.`;
