import type { ActivationDetail, CallDetail } from '@millrace/client';
import { formatDollars } from '@millrace/core/budget';
import { tokensOf } from '@millrace/core/usage';
import { visibleText } from '@millrace/core/visible-text';
import { savedText } from './saved-text.ts';

/** Returns an activation as a page: its input, each call with what was asked and what came back, and its output. */
export function activationText(activation: ActivationDetail, calls: readonly CallDetail[]): string {
  const { id, node, graph, state, error, input, output } = activation;
  const name = graph === '' ? node : `${graph}/${node}`;
  const parts = [
    `${id}  ${name}  ${state}${error === undefined ? '' : `: ${error.message} [${error.code}]`}`,
    section(
      'Input',
      input.map(({ role, source, text }) => `${role} from ${source}\n${indented(text)}`),
    ),
    ...calls.map(callText),
    section(
      'Output',
      output.map(({ text }) => indented(text)),
    ),
  ];
  return visibleText(parts.filter((part) => part !== '').join('\n\n'));
}

/** Returns a call as a page: the whole request to the model, its reply, and what it took. */
export function callPage(call: CallDetail): string {
  return visibleText(callText(call));
}

const section = (title: string, entries: readonly string[]): string =>
  entries.length === 0 ? '' : [`${title}:`, ...entries.map(indented)].join('\n');

function callText({ step, name, request, reply, text, error, isRecorded, ...facts }: CallDetail): string {
  const missing = name.startsWith('chat ') && !isRecorded ? ['The request was not recorded.'] : [];
  return [
    `Call ${step}: ${name}${factsText(facts)}`,
    indented([...missing, ...(request === undefined ? [] : askedLines(request))].join('\n')),
    ...(reply === undefined ? [] : [indented(replyLines(reply).join('\n'))]),
    ...(text === undefined ? [] : [indented(`Result:\n${indented(text)}`)]),
    ...(error === undefined ? [] : [indented(`Error: ${error.message} [${error.code}]`)]),
  ]
    .filter((part) => part !== '')
    .join('\n');
}

type Facts = Pick<CallDetail, 'usage' | 'insteadOf' | 'startedAt' | 'completedAt' | 'failed' | 'unknown' | 'late'>;

function factsText({ usage, insteadOf, startedAt, completedAt, failed, unknown, late }: Facts): string {
  const facts = [
    ...(insteadOf === undefined ? [] : [`in place of ${insteadOf}`]),
    ...(failed ? ['failed'] : []),
    ...(unknown === undefined ? [] : [`outcome unknown: ${unknown}`]),
    ...(late ? ['a result came too late'] : []),
    completedAt === undefined ? 'executing' : `${((completedAt - startedAt) / 1000).toFixed(1)}s`,
    ...(usage === undefined ? [] : [`${tokensOf(usage)} tokens`]),
    ...(usage?.cachedTokens === undefined ? [] : [`${usage.cachedTokens} of them read from a cache`]),
    ...(usage?.cacheWriteTokens === undefined ? [] : [`${usage.cacheWriteTokens} written to it`]),
    ...(usage?.microUsd === undefined ? [] : [formatDollars(usage.microUsd)]),
    ...savedText(usage ?? {}),
  ];
  return ` (${facts.join(', ')})`;
}

function askedLines({
  provider,
  model,
  params,
  limit,
  tools,
  messages,
}: NonNullable<CallDetail['request']>): readonly string[] {
  return [
    `Asked ${model} of ${provider}`,
    ...paramsLines(params),
    ...(limit === undefined ? [] : [`Limit: ${limit} tokens`]),
    ...(tools.length === 0 ? [] : [`Tools: ${tools.map(({ name }) => name).join(', ')}`]),
    ...messages.flatMap(({ role, text, toolCalls = [], toolCallId }) => [
      `${role}${toolCallId === undefined ? '' : `, result of ${toolCallId}`}:`,
      ...(text === '' ? [] : [indented(text)]),
      ...toolCalls.map(({ id, name, arguments: written }) => indented(`→ ${name} ${written} (${id})`)),
    ]),
  ];
}

/** Maximum length in characters of params on one line. */
const longestParams = 60;

/** Returns params on one line, or indented below a title if they are long. */
function paramsLines(params: NonNullable<CallDetail['request']>['params']): readonly string[] {
  if (Object.keys(params).length === 0) return [];
  const line = JSON.stringify(params);
  return line.length <= longestParams ? [`Params: ${line}`] : ['Params:', indented(JSON.stringify(params, null, 2))];
}

const replyLines = ({
  text,
  thoughts,
  end,
  finishReason,
  toolCalls = [],
}: NonNullable<CallDetail['reply']>): readonly string[] => [
  `Reply (${finishReason ?? end}):`,
  ...(thoughts === undefined ? [] : [indented('Thoughts:'), indented(indented(thoughts))]),
  ...(text === '' ? [] : [indented(text)]),
  ...toolCalls.map(({ id, name, arguments: written }) => indented(`→ ${name} ${written} (${id})`)),
];

const indented = (text: string): string => text.replace(/^(?=.)/gm, '  ');
