import type { EventOperations, OperationInput, OperationName, routes } from '@millrace/client';
import type { Equivalent } from './equivalent.ts';

/** Operations that change something. */
type ChangingOperation = {
  [N in OperationName]: (typeof routes)[N]['method'] extends 'GET' ? never : N;
}[OperationName];

/** Operations that change something and are no actions of the dashboard, with the reasons. */
export const noActions = {
  'runs.signal': 'Signals come from other programs.',
  'runs.remove': 'Ended runs are removed after their retention time.',
  'runs.resetTerminations': 'A resumed run resets its terminations.',
  'files.upload': 'Files are uploaded with the task or the answer that they belong to.',
  'workflows.validate': 'The editor checks a text while it is typed.',
  'schedules.preview': 'The form of a schedule shows its next times while they are typed.',
  'batches.preview': 'A new batch shows its table as soon as it is chosen.',
} as const satisfies { readonly [N in ChangingOperation]?: string };

/** Operations that are actions of the dashboard: an operation without a definition, or a reason for none, is an error of types. */
export type ActionName = Exclude<ChangingOperation, keyof typeof noActions>;

/** Operations that are copied where their results are shown. */
export type QueryName =
  | 'runs.get'
  | 'runs.events'
  | 'keys.list'
  | 'operations.read'
  | 'limits.list'
  | 'webhooks.list'
  | 'usage.read';

/** Input of an operation. */
export type InputOf<N extends ActionName | QueryName> = N extends OperationName
  ? OperationInput<N>
  : N extends keyof EventOperations
    ? EventOperations[N]['input']
    : never;

/** Properties of a call beside the input of the operation. */
export interface Call {
  /** Name of the file that is sent with the fields of a form. */
  readonly file?: string;
}

/** An operation that is copied. */
export interface Query<N extends ActionName | QueryName> {
  /** Returns the equivalent command with its input; without a command, only requests are copied. */
  readonly cli: (input: InputOf<N>, call: Call) => Pick<Equivalent, 'command' | 'stdin' | 'file'>;
}

/** Something that people do with the dashboard. */
export interface Action<N extends ActionName> extends Query<N> {
  /** Verb and object, as the palette shows it. */
  readonly title: string;
  /** Screen of the action, as a path below `/ui`. */
  readonly at: string;
}

/** Mark of definitions of operations. */
export const copied: unique symbol = Symbol('copied');

/** An operation as a command and as a request, for copying. Only `copyOf` creates it, so that both derive from its definition. */
export type Copied = Equivalent & { readonly [copied]: true };
