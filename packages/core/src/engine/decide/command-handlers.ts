import { handleAlarm } from '../handlers/alarm.ts';
import { answer } from '../handlers/answer.ts';
import { archive } from '../handlers/archive.ts';
import { cancel } from '../handlers/cancel.ts';
import { claim } from '../handlers/claim.ts';
import { decideCall } from '../handlers/decide-call.ts';
import { fail } from '../handlers/fail.ts';
import { fork } from '../handlers/fork.ts';
import { joinUnits } from '../handlers/join-units.ts';
import { pause } from '../handlers/pause.ts';
import { reset } from '../handlers/reset.ts';
import { resume, retry } from '../handlers/resume.ts';
import { settle } from '../handlers/settle.ts';
import { signal } from '../handlers/signal.ts';
import { start } from '../handlers/start.ts';
import { answerBudget } from '../handlers/steps/budget.ts';
import { reuseStep } from '../handlers/steps/reuse-step.ts';
import { completeStep, startStep } from '../handlers/steps/step.ts';
import { lateStep } from '../handlers/steps/unknown-step.ts';
import { stop } from '../handlers/stop.ts';
import { storeUnits } from '../handlers/store-units.ts';
import type { DecisionContext, Refusal } from '../state/decision-context.ts';

/** All commands: the functions that decide them, by their types. */
const handlers = {
  start,
  fork,
  claim,
  settle,
  answer,
  'step.start': startStep,
  'step.complete': completeStep,
  'step.late': lateStep,
  'units.store': storeUnits,
  'units.join': joinUnits,
  'step.reuse': reuseStep,
  budget: answerBudget,
  cancel,
  fail,
  stop,
  pause,
  archive,
  resume,
  reset,
  signal,
  retry,
  alarm: handleAlarm,
  'tool.decide': decideCall,
};

type CommandType = keyof typeof handlers;

/** The command that a handler decides; one that takes no command decides `{ type }` alone. */
type CommandOf<Type extends CommandType> =
  Parameters<(typeof handlers)[Type]> extends readonly [unknown, infer Input]
    ? Extract<Input, { readonly type: Type }>
    : { readonly type: Type };

/** A request to change a run. `decide` turns it into events, or refuses it. */
export type Command = { readonly [Type in CommandType]: CommandOf<Type> }[CommandType];

/** The type of a command that consists of nothing else, such as that of a retry. */
export type PlainCommandType = {
  [Type in CommandType]: keyof CommandOf<Type> extends 'type' ? Type : never;
}[CommandType];

/** Decides a command: emits its events, or returns the reason why it does not apply. */
export function handleCommand(context: DecisionContext, command: Command): Refusal | undefined {
  const handler: (context: DecisionContext, command: never) => Refusal | undefined = handlers[command.type];
  return handler(context, command as never); // `CommandOf` pairs each handler with its command
}
