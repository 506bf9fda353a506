import type {
  ChatMessage,
  ChatReply,
  ConfigProblem,
  Host,
  Message,
  NodeDefinition,
  Outcome,
  StoredTextFile,
  Variables,
} from '@millrace/core';
import {
  contentWithFiles,
  defineNode,
  fillItems,
  mergeVariables,
  NodeError,
  omitUndefined,
  storedTextFilesOf,
  textMessage,
  textOf,
  valueAt,
  withVariables,
} from '@millrace/core';
import { unknownFunction } from '../../functions/call-function.ts';
import type { DetectFunction } from '../../functions/detect-functions.ts';
import { runDetect } from '../../functions/detect-functions.ts';
import { promptReuse } from '../../model-calls/prompt-reuse.ts';
import { askWhole } from '../../model-calls/whole-reply.ts';
import { namesOf, rendererFor, templateFieldProblems, withNames } from '../../templates/template-field.ts';
import { fallbackOf, modelProblems, modelsOf } from '../agent/model-config.ts';
import { retryPolicyOf } from '../retry-config.ts';
import { commandManual, commandTools, decisionSchema } from './commands.ts';
import { ControllerConfig } from './controller-config.ts';
import type { ControllerDecision, ControllerReply } from './decision.ts';
import { commandProblem, parseDecision } from './decision.ts';
import { Rounds, replyMessages, roundMessages, withRound } from './rounds.ts';

/** Branch of an answer that is not a command. */
export const invalidBranch = '$invalid';
/** Branch of an end that a detect function has decided. */
export const exitBranch = '$exit';

/** Returns the node type that lets a model choose one command; these functions may change the effect of the choice. */
export function controller(detects: ReadonlyMap<string, DetectFunction>): NodeDefinition<ControllerConfig> {
  return defineNode({
    type: 'controller',
    summary: 'Lets a model choose one of several commands; its edges follow the command.',
    config: ControllerConfig,
    templates: ['role'],
    secrets: ['api_key', 'fallback.*.api_key'],
    traits: { state: 'controllers' },
    models: (config) => modelsOf(config, config.decision === 'tools' ? { decides: true } : {}),
    outputData: ({ commands }) => ({
      type: 'object',
      properties: { command: { enum: Object.keys(commands) }, command_args: {}, thought: { type: 'string' } },
    }),
    branches: ({ commands }) => [...Object.keys(commands), invalidBranch, exitBranch],
    check: (config) => problemsOf(config, detects),
    execute: (config, input, host) => execute(config, input, { host, detects }),
  });
}

function problemsOf(config: ControllerConfig, detects: ReadonlyMap<string, DetectFunction>): readonly ConfigProblem[] {
  const { first_prompt: first, next_prompt: next, detect } = config;
  const unknown = detect ? unknownFunction(detect.config.name, detects) : [];
  return [
    ...modelProblems(config),
    ...templateFieldProblems(first, ['first_prompt']),
    ...templateFieldProblems(next, ['next_prompt']),
    ...unknown.map((problem) => ({ ...problem, path: ['detect', 'config', ...problem.path] })),
  ];
}

interface ControllerContext {
  readonly host: Host;
  readonly detects: ReadonlyMap<string, DetectFunction>;
}

/** Executes one round: one prompt, one decision. */
async function execute(
  config: ControllerConfig,
  input: readonly Message[],
  { host, detects }: ControllerContext,
): Promise<Outcome> {
  const before = roundsBefore(Rounds.parse(host.state), input);
  const last = input.at(-1);
  const task = before.round === 0 && last !== undefined ? textOf(last) : before.task;
  const files = before.round === 0 ? storedTextFilesOf(input) : before.files;
  const round = before.round + 1;
  const names = withNames(namesOf(input), { task, round, commands: commandManual(config.commands) });
  const prompt = await rendererFor(host).text(before.round === 0 ? config.first_prompt : config.next_prompt, names);
  const { reply, decided } = await askForCommand(config, { host, names, prompt, files, before: roundMessages(before) });
  const known: Variables = { ...mergeVariables(input), task, round };
  const verdict = await outcomeOf(config, { decided, names, known, files, before, host, detects });
  if (verdict.type === 'wrong' && !verdict.observed && config.on_invalid === 'fail')
    throw new NodeError(
      'CONTROLLER_DECISION_INVALID',
      `The model of "${host.node}" has not chosen a valid command: ${verdict.error}`,
    );
  const decision = decided.type === 'decided' ? decided.decision : undefined;
  const state = withRound(
    { ...before, task, files },
    { prompt, reply, chosen: decision?.call, command: decision?.command ?? invalidBranch },
    config.history,
  );
  const output = verdict.type === 'wrong' ? refused(verdict.error, known, host) : verdict.output;
  return { type: 'completed', outputs: [output], state: { read: host.state, write: state } };
}

/**
 * Returns the earlier rounds. A boss that has had no round yet restarts the count; the controller's history is kept if
 * it persists.
 */
const roundsBefore = (rounds: Rounds, input: readonly Message[]): Rounds =>
  mergeVariables(input)['round'] === 0 ? { ...rounds, round: 0, task: '', files: [], commands: [] } : rounds;

interface ConversationState {
  readonly host: Host;
  readonly names: Variables;
  readonly prompt: string;
  readonly files: readonly StoredTextFile[];
  readonly before: readonly ChatMessage[];
}

/** Calls the model until its answer is a command, as often as the author allows. */
async function askForCommand(
  config: ControllerConfig,
  { host, names, prompt, files, before }: ConversationState,
): Promise<{ readonly reply: ChatReply; readonly decided: ControllerReply }> {
  const role = [fillItems(config.role ?? '', { commands: names['commands'] }), instructions[config.decision]]
    .join('\n\n')
    .trim();
  // Rounds are stored without the files, so that a model receives each of them once.
  const asked: ChatMessage = { role: 'user', content: contentWithFiles(prompt, files) };
  const messages: ChatMessage[] = [{ role: 'system', content: role }, ...before, asked];
  for (let attempt = 0; ; attempt++) {
    const reply = await askWhole(
      {
        host,
        policy: config.on_incomplete,
        params: config.params ?? {},
        ask: (sent, limit) => ask(config, host, { messages: sent, limit }),
      },
      messages,
    );
    const decided = await parseDecision(reply, config.commands);
    if (decided.type === 'decided' || attempt >= config.repair_attempts) return { reply, decided };
    const { error } = decided;
    for (const message of replyMessages({ text: reply.text, calls: reply.toolCalls ?? [] }, () => error))
      messages.push(message);
    messages.push({ role: 'user', content: `${error} Answer again with exactly one command.` });
  }
}

/** Instructions on the form of the answer, which are added to the author's prompt. */
const instructions: Readonly<Record<ControllerConfig['decision'], string>> = {
  tools: '',
  json: 'Answer with JSON only: {"command": "<name>", "command_args": {…}}.',
};

function ask(
  config: ControllerConfig,
  host: Host,
  { messages, limit }: { readonly messages: readonly ChatMessage[]; readonly limit: number | undefined },
): Promise<ChatReply> {
  const tools = config.decision === 'json' ? undefined : commandTools(config.commands);
  return host.chat({
    provider: config.provider,
    model: config.name,
    ...(config.base_url ? { baseUrl: config.base_url } : {}),
    ...(config.api_key ? { apiKey: config.api_key } : {}),
    // A copy, because the list grows with every repair.
    messages: [...messages],
    ...omitUndefined({ limit, tools }),
    ...(tools === undefined ? {} : { toolChoice: 'required' as const }),
    output: { schema: decisionSchema(config.commands), mode: 'if_native' },
    params: config.params ?? {},
    // A controller decides in rounds, with the same commands.
    reuse: promptReuse({
      cache: config.cache,
      isRepeated: true,
      continues: false,
      messages,
      ...omitUndefined({ tools }),
    }),
    retry: retryPolicyOf(config.retry),
    ...fallbackOf(config),
  });
}

interface JudgeInput extends ControllerContext {
  readonly decided: ControllerReply;
  readonly names: Variables;
  readonly known: Variables;
  readonly files: readonly StoredTextFile[];
  readonly before: Rounds;
}

type DecisionOutcome =
  | { readonly type: 'output'; readonly output: Message }
  /** `observed`: a function of the author returned this text for the model; it is not an error. */
  | { readonly type: 'wrong'; readonly error: string; readonly observed?: true };

/** Returns the effect of a decision: the branch of its command, or the result of the author's function. */
async function outcomeOf(config: ControllerConfig, input: JudgeInput): Promise<DecisionOutcome> {
  const { decided, host } = input;
  if (decided.type === 'wrong') return decided;
  if (!config.detect) return { type: 'output', output: chosen(config, decided.decision, input) };
  const { command, args, thought } = decided.decision;
  const { memory } = input.known;
  // What the function does must not follow from a reply that is lost with its worker: the model would be asked again.
  await host.storeResults();
  const detected = await runDetect(input.detects, config.detect.config.name, {
    output: { command, command_args: args, thought },
    context: {
      ...input.names,
      round: input.before.round + 1,
      source: host.node,
      commands: input.before.commands,
      // Memory files are texts by name; memory_read puts them there.
      memory: (memory ?? {}) as Readonly<Record<string, string>>,
    },
  });
  if (detected === undefined)
    return { type: 'wrong', error: 'The detecting function returned neither exit, branch nor observe.' };
  if ('observe' in detected) return { type: 'wrong', error: detected.observe, observed: true };
  if ('exit' in detected) return { type: 'output', output: ended(detected.exit, input) };
  const error = await commandProblem({ command: detected.branch, args: detected.args }, config.commands);
  if (error !== undefined) return { type: 'wrong', error };
  return { type: 'output', output: chosen(config, { command: detected.branch, args: detected.args, thought }, input) };
}

function chosen(
  config: ControllerConfig,
  decision: ControllerDecision,
  { names, known, files, host }: JudgeInput,
): Message {
  const { command, args, thought } = decision;
  const injected = (config.commands[command]?.inject ?? []).map((name) => [
    name.split('.').at(-1),
    valueAt(names, name),
  ]);
  const given = { ...args, ...Object.fromEntries(injected) };
  const data = { command, command_args: given, ...(thought === '' ? {} : { thought }) };
  const text = JSON.stringify({ command, command_args: args });
  const message: Message = {
    role: 'assistant',
    content: [{ type: 'data', data, text }, ...(config.commands[command]?.attachments ? files : [])],
    source: host.node,
    keep: false,
    metadata: { branch: command },
  };
  return withVariables(message, { ...known, command, command_args: given });
}

function ended(
  {
    result,
    summary = result,
    status = 'finished',
  }: { result: string; summary?: string | undefined; status?: string | undefined },
  { known, host }: JudgeInput,
): Message {
  const message = { ...textMessage('assistant', result, host.node), metadata: { branch: exitBranch } };
  return withVariables(message, { ...known, result, summary, status });
}

function refused(error: string, known: Variables, host: Host): Message {
  const message = { ...textMessage('assistant', error, host.node), metadata: { branch: invalidBranch } };
  return withVariables(message, { ...known, command: '', command_args: {}, result: error, summary: error });
}
