import type { Activation, Run, RunGraphs, Task } from '@millrace/client';
import { formatDollars } from '@millrace/core/budget';
import { omitUndefined } from '@millrace/core/omit-undefined';
import { tokensOf } from '@millrace/core/usage';
import { visibleText } from '@millrace/core/visible-text';
import { answerCommand, callText } from './question-text.ts';
import { resultJson } from './run-result.ts';
import { savedText } from './saved-text.ts';
import { ageText, shortLine } from './short-text.ts';
import { wrapped } from './terminal/wrapped.ts';

type GraphNode = RunGraphs['graphs'][number]['nodes'][number];

/** State of a node of a run; a node of a subgraph has the name `<graph>/<node>`. */
export interface NodeState {
  readonly node: string;
  readonly status: GraphNode['status'];
  /** Reason why it waits, and since when. */
  readonly waitsFor?: NonNullable<GraphNode['waitsFor']>;
}

/** Failure of an activation. */
export interface ActivationFailure extends Pick<Activation, 'node' | 'settledAt'> {
  readonly activation: string;
  readonly code: string;
  readonly message: string;
}

/** Summary of a run: its state, its nodes, its failures and its open questions. */
export interface RunOverview {
  readonly run: Run;
  readonly nodes: readonly NodeState[];
  /** Last failures of activations, newest first. */
  readonly errors: readonly ActivationFailure[];
  readonly tasks: readonly (Task & { readonly askedAt: number })[];
}

/** Returns an overview for `--json`: the result of the run, and the content of the page. */
export function overviewJson({ run, nodes, errors, tasks }: RunOverview): object {
  const { workflow, startedAt, finishedAt, tags } = run;
  return {
    ...(resultJson(run) as object), // it is made as one
    workflow,
    startedAt,
    ...omitUndefined({ finishedAt }),
    tags,
    nodes,
    errors,
    tasks,
  };
}

/** Maximum number of nodes of one status that are named. */
const namedNodes = 10;

/** Returns an overview as a page; with a width, long lines are wrapped to it. `now` is in milliseconds since 1970. */
export function overviewText(
  overview: RunOverview,
  { now, width }: { readonly now: number; readonly width: number | undefined },
): string {
  const { run, errors, tasks } = overview;
  const lines: (readonly [string, string])[] = [
    ['Run', run.runId],
    ['Workflow', run.workflow],
    ...(run.title === undefined ? [] : [['Title', shortLine(run.title)] as const]),
    ['Status', statusText(run)],
    ['Started', `${new Date(run.startedAt).toISOString()}, ${ageText(now - run.startedAt)} ago`],
    ...(run.finishedAt === undefined
      ? []
      : [
          [
            'Ended',
            `${new Date(run.finishedAt).toISOString()}, after ${secondsOf(run.finishedAt - run.startedAt)}`,
          ] as const,
        ]),
    ...(run.tags.length === 0 ? [] : [['Tags', run.tags.join(', ')] as const]),
    ['Nodes', nodesText(overview)],
    ...waitsOf(overview, now).map((text) => ['Waits', text] as const),
    ['Cost', costText(run)],
    ...(run.recorded === undefined ? [] : [['Recorded', recordedText(run.recorded)] as const]),
    ...run.warnings.latest.map(({ node, code, message }) => ['Warning', `${node}: ${message} [${code}]`] as const),
    ...(run.warnings.count > run.warnings.latest.length ? [['Warnings', `${run.warnings.count} in all`] as const] : []),
    ...errors.map((error) => ['Error', errorText(error)] as const),
    ...tasks.map((task) => ['Question', questionText(task, now)] as const),
    ...(run.output === null ? [] : [['Output', shortLine(run.output)] as const]),
  ];
  return page(lines, width);
}

const secondsOf = (ms: number): string => `${(ms / 1000).toFixed(1)}s`;

function statusText({ status, error, stop }: Run): string {
  if (error !== null) {
    const place = error.node === undefined ? '' : ` (at ${error.node})`;
    return `${status}: ${error.message} [${error.code}]${place}`;
  }
  return stop === null ? status : `${status}: ${stop.text}`;
}

const active = ['working', 'waiting', 'ready', 'failed'] as const;

/** Returns the names of the executing, waiting, ready and failed nodes, and the number of completed ones. */
function nodesText({ nodes }: RunOverview): string {
  const named = active.flatMap((status) => {
    const of = nodes.filter((one) => one.status === status).map(({ node }) => node);
    const more = of.length > namedNodes ? ` and ${of.length - namedNodes} more` : '';
    return of.length === 0 ? [] : [`${status}: ${of.slice(0, namedNodes).join(', ')}${more}`];
  });
  const done = nodes.filter(({ status }) => status === 'done').length;
  return [...named, `${done} of ${nodes.length} done`].join('; ');
}

/** Lists the nodes that wait for events, times or room in a budget; questions to people have a list of their own. */
function waitsOf({ nodes }: RunOverview, now: number): readonly string[] {
  const waits = nodes.flatMap(({ node, waitsFor }) => {
    const text = waitsFor === undefined ? undefined : waitText(waitsFor);
    return text === undefined || waitsFor === undefined
      ? []
      : [`${node} ${text}, since ${ageText(now - waitsFor.since)}`];
  });
  return waits.length > namedNodes ? [...waits.slice(0, namedNodes), `and ${waits.length - namedNodes} more`] : waits;
}

function waitText(wait: NonNullable<NodeState['waitsFor']>): string | undefined {
  switch (wait.type) {
    case 'person':
      return undefined;
    case 'budget':
      return wait.asks === true ? undefined : 'waits for room in the budget';
    case 'event': {
      const limit = wait.until === undefined ? '' : ` until ${new Date(wait.until).toISOString()}`;
      return `waits for the event ${wait.event}${limit}`;
    }
    case 'time':
      return `waits until ${new Date(wait.until).toISOString()}`;
  }
}

/** Returns the calls whose results a replay took from its recording. */
function recordedText({ calls, microUsd, ...tokens }: NonNullable<Run['recorded']>): string {
  const cost = microUsd === undefined ? '' : `${formatDollars(microUsd)}, `;
  return `${cost}${callsText(calls)}, ${tokensOf(tokens)} tokens from the recording, not charged`;
}

const callsText = (calls: number): string => (calls === 1 ? '1 model call' : `${calls} model calls`);

/** Returns how caches of prompts were used. */
const cacheFacts = (usage: Run['usage']): readonly string[] => [
  ...(usage.cachedTokens === undefined ? [] : [`${usage.cachedTokens} of them read from caches`]),
  ...(usage.cacheWriteTokens === undefined ? [] : [`${usage.cacheWriteTokens} written to caches`]),
  ...savedText(usage),
];

function costText({ usage, budget }: Run): string {
  const tokens = tokensOf(usage);
  const spent = usage.microUsd === undefined ? [] : [formatDollars(usage.microUsd)];
  const limits = [
    ...(budget?.limit.microUsd === undefined ? [] : [formatDollars(budget.limit.microUsd)]),
    ...(budget?.limit.tokens === undefined ? [] : [`${budget.limit.tokens} tokens`]),
  ];
  const unpriced =
    usage.unpriced === undefined || usage.unpriced === 0 ? [] : [`${usage.unpriced} calls without a known price`];
  const facts = [...spent, callsText(usage.calls), `${tokens} tokens`, ...cacheFacts(usage), ...unpriced].join(', ');
  return limits.length === 0 ? facts : `${facts}; budget ${limits.join(' and ')}`;
}

function errorText({ settledAt, node, activation, code, message }: ActivationFailure): string {
  const at = settledAt === undefined ? '' : `${new Date(settledAt).toISOString()} `;
  return `${at}${node} (${activation}): ${shortLine(message)} [${code}]`;
}

function questionText(task: RunOverview['tasks'][number], now: number): string {
  const { node, prompt, approval, askedAt } = task;
  const asked = approval === undefined ? shortLine(prompt) : `may it call this tool?\n${callText(approval)}`;
  return `${node}, ${ageText(now - askedAt)} ago: ${asked}\n${answerCommand(task)}`;
}

/** Narrowest column of values, in characters. */
const narrowest = 20;

/** Returns labelled lines of a page. Values are broken between words where the terminal has a width; ids and commands stay whole. */
function page(lines: readonly (readonly [label: string, value: string])[], width: number | undefined): string {
  const labels = Math.max(...lines.map(([label]) => label.length)) + 2;
  const room = width === undefined ? Number.POSITIVE_INFINITY : Math.max(width - labels, narrowest);
  return lines
    .flatMap(([label, value]) =>
      wrapped(visibleText(value).replaceAll('\t', ' '), room, '')
        .split('\n')
        .map((line, at) => `${(at === 0 ? label : '').padEnd(labels)}${line}`.trimEnd()),
    )
    .join('\n');
}
