import type {
  ChatMessage,
  ChatReply,
  ChatRequest,
  ConfigProblem,
  Host,
  KnownTools,
  MemoryStage,
  Message,
  NodeDefinition,
  NodeModel,
  Outcome,
} from '@millrace/core';
import { completed, defineNode, handoffMessage, omitUndefined, stopMessage, textMessage, textOf } from '@millrace/core';
import { addressProblems } from '../../model-calls/address.ts';
import { promptReuse } from '../../model-calls/prompt-reuse.ts';
import { askWhole } from '../../model-calls/whole-reply.ts';
import { describeSchema } from '../../schema/describe-schema.ts';
import { knownSchema, schemaOf } from '../data-output.ts';
import { flatten } from '../flatten.ts';
import { memoryProblems, memoryUses, writtenStores } from '../memory/memory-attachment.ts';
import { retryPolicyOf } from '../retry-config.ts';
import { AgentConfig } from './agent-config.ts';
import { contextOf } from './context-config.ts';
import { buildConversation } from './conversation.ts';
import type { ConversationOptions } from './loop-conversation.ts';
import { openConversation } from './loop-conversation.ts';
import { fallbackOf, modelProblems, modelsOf } from './model-config.ts';
import { outputProblems } from './output-config.ts';
import { skillsOf } from './skill-set.ts';
import type { ToolLoopResult } from './tool-loop.ts';
import { runToolLoop } from './tool-loop.ts';
import type { BoundTool } from './tooling/bound-tool.ts';
import { effectProblems } from './tooling/effects-config.ts';
import type { Functions } from './tooling/function-tools.ts';
import { functionProblems, functionsUseWorkspace, knownFunctions } from './tooling/function-tools.ts';
import { policyFieldProblems } from './tooling/policy-config.ts';
import type { Toolbox } from './tooling/toolbox.ts';
import { openToolbox, toolsByName } from './tooling/toolbox.ts';
import { isWholeReply, typedOutput } from './typed-output.ts';

const defaultToolRounds = 50;

/** Returns the node type that calls a language model, which may call these functions. */
export function agent(functions: Functions): NodeDefinition<AgentConfig> {
  return defineNode({
    type: 'agent',
    summary: 'Calls a language model and emits its answer.',
    config: AgentConfig,
    templates: ['role'],
    traits: { speaks: true },
    secrets: [
      'api_key',
      'fallback.*.api_key',
      'context.summarizer.api_key',
      'tooling.*.config.headers',
      'tooling.*.config.env',
    ],
    handoffs: ({ handoffs }) => handoffs ?? [],
    models: (config) => [...modelsOf(config), ...summarizersOf(config)],
    included: [['output', 'schema']],
    describeData: ({ output }) => (output == null ? undefined : describeSchema(schemaOf(output))),
    outputData: ({ output }) => (output == null ? undefined : knownSchema(output)),
    check: (config) => [
      ...modelProblems(config),
      ...summarizerProblems(config),
      ...outputProblems(config.output, { thinks: Boolean(config.thinking) }),
      ...toolingProblems(config, functions),
      ...memoryProblems(config.memories, { thinks: Boolean(config.thinking) }),
    ],
    tools: ({ tooling }) => knownTools(tooling ?? [], functions),
    usesWorkspace: ({ tooling }) =>
      (tooling ?? []).some((binding) => binding.type === 'function' && functionsUseWorkspace(binding, functions)),
    execute: (config, input, host) => execute(config, input, { host, functions }),
    failureText(config, input, failure) {
      const start = Array.from(flatten(input)).slice(0, 200).join('');
      return `Error calling model ${config.name}: ${failure.message}\n\nOriginal input: ${start}...`;
    },
  });
}

async function execute(
  config: AgentConfig,
  input: readonly Message[],
  { host, functions }: { readonly host: Host; readonly functions: Functions },
): Promise<Outcome> {
  const { compat, node } = host;
  const memories = agentMemoryOf(config, input, host);
  const bound = await openToolbox(config.tooling ?? [], { functions, host });
  const skills = await skillsOf(config, host, bound);
  const tools = toolsByName([...bound.values(), ...skills.tools, ...endingTools(config)], node);
  const asking = (continues: boolean) => createAsk(config, { host, tools, continues });
  const early = await memories.retrieve('pre_gen_thinking');
  // The original engine reads memories before an agent thinks, but does not use them.
  const kept = compat ? undefined : early;
  const recent = await memories.retrieve('gen');
  const memory = config.thinking ? recent : joined(kept, recent);
  const start = buildConversation({ config, input, skills: skills.section, memory, compat });
  const conversed = await runToolLoop({
    host,
    input,
    tools,
    skills,
    limit: roundsOf(config),
    onLimit: config.on_tool_limit ?? (compat ? 'accept' : 'answer'),
    conversation: openConversation({
      host,
      start,
      context: contextOf(config.context, compat),
      ask: asking(tools.size > 0),
      summarize: createSummarize(config, host, tools),
    }),
  });
  if (conversed.type === 'suspended') return conversed;
  if (!config.thinking) {
    const { answer, context } = await typed(conversed, {
      config,
      host,
      tools,
      ask: (...sent) => asking(true)(...sent),
    });
    await memories.remember(answer);
    return context === undefined ? completed([answer]) : { type: 'completed', outputs: [answer], context };
  }
  const text = await reflect({
    prompt: config.thinking.config.reflection_prompt,
    role: config.role,
    input,
    memory: joined(kept, await memories.retrieve('post_gen_thinking')),
    answer: conversed.answer,
    ask: asking(false),
  });
  host.note({ kind: 'thought', text: textOf(conversed.answer) });
  const thought = textMessage('assistant', text, node);
  await memories.remember(thought);
  return completed([thought]);
}

interface TypedInput {
  readonly config: AgentConfig;
  readonly host: Host;
  readonly tools: Toolbox;
  readonly ask: ConversationOptions['ask'];
}

type Conversed = Extract<ToolLoopResult, { type: 'answered' }>;

/** Returns an answer with its data, if the agent's answers have a form and no tool has ended the conversation. */
async function typed(
  conversed: Conversed,
  { config: { output }, host, tools, ask }: TypedInput,
): Promise<Pick<Conversed, 'answer' | 'context'>> {
  const { answer, context, last } = conversed;
  if (output == null || last === undefined) return conversed;
  const message = await typedOutput(
    { host, output, ask: (messages) => ask(messages, tools.size === 0 ? undefined : 'none') },
    { message: answer, conversation: last.asked, isWhole: isWholeReply(last.reply) },
  );
  return context === undefined ? { answer: message } : { answer: message, context: [...context.slice(0, -1), message] };
}

const joined = (...parts: readonly (string | undefined)[]): string | undefined =>
  parts.filter((part) => part !== undefined).join('\n\n') || undefined;

interface Asking {
  readonly host: Host;
  readonly tools: Toolbox;
  /** The next request likely begins with what this one consists of. */
  readonly continues: boolean;
}

/** Returns the function that calls the agent's model with its tools. */
function createAsk(config: AgentConfig, { host, tools, continues }: Asking): ConversationOptions['ask'] {
  const request = requestOf(config, tools);
  const { tools: offered = [] } = request;
  const reuseOf = (messages: readonly ChatMessage[]) =>
    promptReuse({ cache: config.cache, isRepeated: host.isRepeated, continues, messages, tools: offered });
  return (messages, toolChoice) =>
    askWhole(
      {
        // The original engine has no types: what it accepts would be no answer.
        host: config.output == null ? host : { compat: false, warn: host.warn },
        policy: config.on_incomplete,
        params: config.params ?? {},
        isTyped: config.output != null,
        ask: (sent, limit) =>
          host.chat({ messages: sent, reuse: reuseOf(sent), ...request, ...omitUndefined({ toolChoice, limit }) }),
      },
      messages,
    );
}

/** Returns the function that asks for a summary: the agent's model, or the one that summarises for it. */
function createSummarize(config: AgentConfig, host: Host, tools: Toolbox): ConversationOptions['summarize'] {
  return (messages) => {
    const summarizing = { ...config, ...summarizerOf(config), output: null, on_incomplete: null };
    const ask = createAsk(summarizing, { host, tools, continues: false });
    // The tools stay: providers refuse calls of tools that they do not know, and cache them with the conversation.
    return ask(messages, tools.size === 0 ? undefined : 'none');
  };
}

/** Returns the model that summarises, if it is another one than that of the agent. */
const summarizersOf = (config: AgentConfig): readonly NodeModel[] =>
  config.context?.summarizer == null
    ? []
    : modelsOf({ ...config, ...summarizerOf(config), fallback: null }).map((model) => ({
        ...model,
        path: ['context', 'summarizer'],
        ...(config.context?.summarizer?.provider == null ? { sharesProvider: true as const } : {}),
      }));

/** Returns what is wrong with the model that summarises; what it takes from the agent is reported there. */
function summarizerProblems({ provider, context }: AgentConfig): readonly ConfigProblem[] {
  const other = context?.summarizer;
  if (other == null) return [];
  return modelProblems({ ...other, provider: other.provider ?? provider })
    .filter(({ path }) => other.provider != null || path[0] !== 'provider')
    .map((problem) => ({ ...problem, path: ['context', 'summarizer', ...problem.path] }));
}

/** Returns what is asked for summaries in place of the agent's model. */
function summarizerOf({ provider, base_url, api_key, context }: AgentConfig): Partial<AgentConfig> {
  const other = context?.summarizer;
  if (other == null) return {};
  const isOfSameProvider = other.provider == null || other.provider === provider;
  return {
    name: other.name,
    provider: other.provider ?? provider,
    base_url: other.base_url ?? (isOfSameProvider ? base_url : undefined),
    api_key: other.api_key ?? (isOfSameProvider ? api_key : undefined),
    params: other.params ?? {},
  };
}

const requestOf = (config: AgentConfig, tools: Toolbox): Omit<ChatRequest, 'messages'> => ({
  provider: config.provider,
  model: config.name,
  ...(config.base_url ? { baseUrl: config.base_url } : {}),
  ...(config.api_key ? { apiKey: config.api_key } : {}),
  ...(tools.size === 0 ? {} : { tools: [...tools.values()].map(({ spec: offer }) => offer) }),
  ...(config.output == null ? {} : { output: { schema: schemaOf(config.output), mode: config.output.mode } }),
  params: config.params ?? {},
  retry: retryPolicyOf(config.retry),
  ...fallbackOf(config),
  ...(config.rate_limit ? { rateLimit: config.rate_limit } : {}),
});

/**
 * Returns the limit of consecutive rounds of tool calls: the param `tool_loop_limit` if it is a whole number above 0.
 */
function roundsOf({ params }: AgentConfig): number {
  const limit = params?.['tool_loop_limit'];
  return typeof limit === 'number' && Number.isInteger(limit) && limit > 0 ? limit : defaultToolRounds;
}

const toolingProblems = ({ tooling }: AgentConfig, functions: Functions): readonly ConfigProblem[] =>
  (tooling ?? []).flatMap((binding, at) =>
    problemsOfBinding(binding, functions).map((problem) => ({ ...problem, path: ['tooling', at, ...problem.path] })),
  );

/** Returns the tools that entries bind; undefined where only servers know them. */
function knownTools(bindings: NonNullable<AgentConfig['tooling']>, functions: Functions): KnownTools | undefined {
  const known = bindings.map((binding) =>
    binding.type === 'function' ? knownFunctions(binding, functions) : undefined,
  );
  return known.includes(undefined) ? undefined : new Map(known.flatMap((tools) => [...(tools ?? [])]));
}

function problemsOfBinding(
  binding: NonNullable<AgentConfig['tooling']>[number],
  functions: Functions,
): readonly ConfigProblem[] {
  if (binding.type === 'function') return functionProblems(binding, functions);
  const address = binding.type === 'mcp_remote' ? addressProblems(binding.config.server, ['config', 'server']) : [];
  const facts = { known: undefined, trusted: binding.trust_annotations };
  return [...address, ...effectProblems(binding, undefined), ...policyFieldProblems(binding, facts)];
}

/** Memory of an agent: reading and writing. */
interface AgentMemory {
  /** Returns the memories that match the input at a stage, as text for the model. */
  retrieve(stage: MemoryStage): Promise<string | undefined>;
  /**
   * Adds the agent's result, which its stores receive when the activation completes. Memories that are read at the
   * stage `finished` are only recorded in the journal, for people.
   */
  remember(result: Message): Promise<void>;
}

/** Returns the memory of an agent with this input. */
function agentMemoryOf({ memories, role }: AgentConfig, input: readonly Message[], host: Host): AgentMemory {
  const { compat } = host;
  const query = flatten(input);
  const stores = writtenStores(memories, compat);
  const retrieve = async (stage: MemoryStage): Promise<string | undefined> => {
    const uses = memoryUses(memories, { stages: [stage], compat });
    return uses.length === 0 ? undefined : host.recall({ stage, uses, role: role ?? '', query });
  };
  return {
    retrieve,
    async remember(result) {
      if (!compat) await retrieve('finished');
      if (stores.length === 0) return;
      await host.remember({ role: role ?? '', input: query, output: textOf(result) }, stores);
    },
  };
}

/** Returns the tools with which an agent ends its turn: handoffs and the request to stop. */
const endingTools = ({ handoffs, signals }: AgentConfig): readonly BoundTool[] => [
  ...(handoffs ?? []).map(handoffTool),
  ...((signals ?? []).includes('stop') ? [stopTool] : []),
];

const handoffTool = (target: string): BoundTool => ({
  spec: {
    // Models may only call functions whose names have these characters.
    name: `transfer_to_${target.replace(/[^\w-]+/g, '_')}`,
    description: `Hand the conversation over to ${target}.`,
    parameters: { type: 'object', properties: {} },
  },
  name: `transfer_to_${target}`,
  origin: 'ending',
  work: {
    type: 'end',
    answer: `Transferred to ${target}.`,
    message: (message) => handoffMessage(withFallbackText(message, `Transferred to ${target}.`), target),
  },
});

const stopTool: BoundTool = {
  spec: {
    name: 'request_stop',
    description: 'End the conversation when its goal is reached.',
    parameters: {
      type: 'object',
      properties: { reason: { type: 'string', description: 'Why it can end.' } },
    },
  },
  name: 'request_stop',
  origin: 'ending',
  work: {
    type: 'end',
    answer: 'The end has been requested.',
    message(message, args) {
      const reason = args['reason'];
      return stopMessage(
        withFallbackText(message, typeof reason === 'string' && reason !== '' ? reason : 'The end was requested.'),
      );
    },
  },
};

/** Returns the model's message, with a text if the model only called a function. */
const withFallbackText = (message: Message, otherwise: string): Message =>
  message.content === '' ? { ...message, content: otherwise } : message;

/** Input of a reflection. */
interface ReflectionInput {
  readonly prompt: string;
  readonly role: string | null | undefined;
  readonly input: readonly Message[];
  /** Memories of the agent at this stage, as text. */
  readonly memory: string | undefined;
  readonly answer: Message;
  ask(messages: readonly ChatMessage[]): Promise<ChatReply>;
}

/** Lets the model reflect on its own answer; returns the text that replaces the answer. */
async function reflect({ prompt, role, input, memory, answer, ask }: ReflectionInput): Promise<string> {
  const parts = [
    ...(memory ? [memory] : []),
    ...(role ? [`SYSTEM: ${role}`] : []),
    `USER: ${flatten(input)}`,
    `ASSISTANT: ${textOf(answer)}`,
  ];
  const content = `Here is a conversation between two roles: ${parts.join('\n\n')} ${prompt}`;
  return (await ask([{ role: 'user', content }])).text;
}
