import type { RunEvent } from '@millrace/client';
import { exactText } from '@millrace/core/visible-text';
import { formatClock, formatCount, formatMoment, formatMoney, oneLine } from '../../kit/values/format.ts';

type JournalEvent = RunEvent['event'];
type Sentences = { readonly [Type in JournalEvent['type']]?: (event: Extract<JournalEvent, { type: Type }>) => string };

interface At {
  readonly nodeId: string;
  readonly unit?: number | undefined;
  readonly iteration?: number | undefined;
}

/** Returns the node of an event with its unit and iteration. */
function nameOf({ nodeId, unit, iteration }: At): string {
  const name = nodeId === '' ? 'The vote' : nodeId;
  return `${name}${unit === undefined ? '' : ` (unit ${unit + 1})`}${iteration === undefined ? '' : ` in iteration ${iteration}`}`;
}

const reservedOf = ({ tokens, microUsd }: { readonly tokens: number; readonly microUsd: number }): string =>
  microUsd > 0 ? formatMoney(microUsd) : `${formatCount(tokens)} tokens`;

/** Ends of runs. */
const endings = {
  completed: 'The run has completed.',
  failed: 'The run has failed.',
  cancelled: 'The run was cancelled.',
  terminated: 'The run was stopped before its end.',
} as const;

/** Reasons for which loops end. */
const loopEnds = {
  exit: 'the run leaves it',
  ended: 'nothing leads back into it',
  limit: 'it has reached its limit',
} as const;

/** Returns what an alarm does, by its id, in words. */
function limitOf(alarm: string): string {
  if (alarm === 'alarm/timeout') return 'the run ends';
  if (alarm.startsWith('alarm/wait-')) return `the wait of ${alarm.slice('alarm/wait-'.length)} ends`;
  if (alarm.startsWith('alarm/drain-')) return 'what a stop waits for is cancelled';
  return 'a part of the graph may stop';
}

const sentences: Sentences = {
  'run.started': () => 'The run has started.',
  'run.failing': ({ error }) => `The run fails: ${error.code} ${error.message}`,
  'run.stopping': ({ stop }) => `The run is stopped: ${stop.text}`,
  'run.paused': () => 'The run is paused.',
  'run.resumed': () => 'The run continues.',
  'run.forked': ({ of, activation }) => `The fork continues from ${activation} of ${of}.`,
  'run.finished': ({ status }) => endings[status],
  'run.budgeted': () => 'The run has a new budget.',
  'graph.entered': ({ graph }) => (graph === '' ? 'The graph is entered.' : `The graph ${graph} is entered.`),
  'graph.left': ({ graph }) => (graph === '' ? 'The graph is left.' : `The graph ${graph} is left.`),
  'cycle.entered': () => 'A loop begins.',
  'cycle.iterated': ({ iteration }) => `Iteration ${iteration} of the loop begins.`,
  'cycle.advanced': () => 'The next nodes of the loop are ready.',
  'cycle.left': ({ reason }) => `The loop ends: ${loopEnds[reason]}.`,
  'units.stored': ({ units }) => `${units.length} units of a fan-out are stored.`,
  'fanout.entered': ({ before = 0, units }) => `A fan-out of ${before + units.length} units begins.`,
  'units.joined': ({ units }) => `The results of ${units} units of a fan-out are in order.`,
  'fanout.layered': () => 'The next layer of the tree begins.',
  'fanout.left': () => 'The fan-out ends.',
  'activation.ready': (event) => `${nameOf(event)} is ready.`,
  'activation.started': (event) => `${nameOf(event)} is started by ${event.worker}, attempt ${event.attempt}.`,
  'activation.postponed': (event) => `${nameOf(event)} waits until ${formatClock(event.until)}.`,
  'activation.suspended': (event) =>
    event.wait.kind === 'event'
      ? `${nameOf(event)} waits for a signal.`
      : event.wait.kind === 'approval'
        ? `${nameOf(event)} waits for the approval of its calls.`
        : `${nameOf(event)} asks: ${event.text ?? ''}`,
  'activation.answered': (event) => `${event.by ?? 'Someone'} answers ${nameOf(event)}: ${event.text ?? ''}`,
  'tool.asked': (event) =>
    `${nameOf(event)} asks whether it may call ${exactText(event.tool)} with ${exactText(event.arguments)}.`,
  'tool.decided': (event) => {
    const { decision, by = 'Someone', place, arguments: sent, reason } = event;
    if (decision === 'expire') return `Call ${place} of ${nameOf(event)} was not decided on in time: it is rejected.`;
    const verb = decision === 'approve' ? 'approves' : 'rejects';
    const changes = sent === undefined ? '' : ` with ${exactText(sent)}`;
    return `${by} ${verb} call ${place} of ${nameOf(event)}${changes}${reason === undefined ? '.' : `: ${reason}`}`;
  },
  'activation.completed': (event) =>
    `${nameOf(event)} says: ${event.text === undefined ? '(nothing that is shown)' : oneLine(event.text)}`,
  'activation.opened': (event) => `${nameOf(event)} opens a graph or a fan-out, or has joined the units of one.`,
  'activation.failed': (event) => `${nameOf(event)} fails: ${event.error.code} ${event.error.message}`,
  'activation.dropped': (event) => `${nameOf(event)} is not started.`,
  'activation.short': (event) => `${nameOf(event)} waits for room in the budget.`,
  'activation.renewed': (event) =>
    `${nameOf(event)} is ready again: it has more input, its calls are decided on, or it is in a fork.`,
  'activation.admitted': (event) => `${nameOf(event)} has the workspace.`,
  'activation.funded': (event) => `${nameOf(event)} has room in the budget.`,
  'step.started': (event) =>
    `${nameOf(event)} calls ${event.name.replace(/^(?=chat |tool )/, 'the ').replace(/^the chat /, 'the model ')}${event.insteadOf === undefined ? '' : ` in place of ${event.insteadOf}`}.`,
  'step.reserved': (event) => `${nameOf(event)} reserves ${reservedOf(event.amount)} for its call.`,
  'step.lost': (event) => `${nameOf(event)} has lost a call: what was reserved for it counts as spent.`,
  'step.completed': (event) => {
    const { usage, recorded, failed } = event;
    const cost = usage?.microUsd === undefined ? '' : ` (${formatMoney(usage.microUsd)})`;
    const source = recorded === undefined ? '' : ' from the recording';
    return `${nameOf(event)} receives ${failed === true ? 'no answer' : 'an answer'}${source}${cost}.`;
  },
  'files.changed': ({ files, node }) => `${node} writes ${files.map(({ path }) => path).join(', ')}.`,
  'alarm.set': ({ alarm, dueAt }) => `A time limit is set: ${limitOf(alarm)} at ${formatMoment(dueAt)}.`,
  'alarm.cleared': ({ alarm }) => `A time limit is over or no longer needed: ${limitOf(alarm)}.`,
  'signal.received': ({ name }) => `The signal ${name} arrives.`,
};

/** Characters of a sentence. */
const longest = 300;

/** Returns an event as a sentence; the types without one say it by their name. */
export function sentenceOf({ event }: RunEvent): string {
  // The table pairs each type with a function of events of that very type.
  const describe = sentences[event.type] as ((event: JournalEvent) => string) | undefined;
  const text = describe?.(event) ?? event.type.replace('.', ' ');
  return text.length > longest ? `${text.slice(0, longest)}…` : text;
}
