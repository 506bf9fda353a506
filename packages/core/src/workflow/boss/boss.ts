import type { LogLevel, MemoryStore, Node } from '../document/workflow.ts';

/** A boss as read, before it is expanded into a graph. */
export interface Boss {
  readonly id: string;
  readonly name: string;
  readonly description?: string;
  readonly logLevel: LogLevel;
  readonly stores: readonly MemoryStore[];
  /** Memory file name → path. */
  readonly paths: Readonly<Record<string, string>>;
  readonly reading: 'all' | readonly string[];
  readonly writing?: { readonly store: string; readonly value: string };
  readonly planner?: { readonly node: Node; readonly store: string };
  /** Configuration of the controller as its schema parsed it, commands included. */
  readonly controller: unknown;
  readonly branches: readonly BossBranch[];
  readonly finishes: readonly BossFinish[];
  readonly maxRound: number;
  readonly onMaxRound: {
    readonly action: 'return' | 'fail' | 'ask_user';
    readonly result?: string;
    readonly summary?: string;
  };
  readonly exitKey: string;
  /** The controller keeps its history from one call to the next. */
  readonly lasting: boolean;
  /** Templates of the inputs. */
  readonly inputs: { readonly goal: string; readonly plan?: string; readonly logs?: string };
  /** The steps after the executor, in order. */
  readonly steps: readonly BossStep[];
}

/** A command of a boss. */
export interface BossBranch {
  readonly name: string;
  readonly builtin?: 'update_plan' | 'ask_user' | 're_plan';
  /** Absent for builtins. */
  readonly node?: Node;
  readonly args: BossArguments;
  readonly result?: string;
  readonly summary?: string;
  readonly observesErrors: boolean;
}

/** Arguments of a command, as the controller's schema takes them. */
export type BossArguments = Readonly<Record<string, { readonly type: string; readonly required: boolean }>>;

/** A command that ends a boss. */
export interface BossFinish {
  readonly name: string;
  readonly result: string;
  readonly summary: string;
  readonly status: 'finished' | 'unfinished';
}

/** A step of a round after the executor. */
export type BossStep =
  | { readonly type: 'memory_writing' | 'memory_reading' }
  | {
      readonly type: 'own';
      readonly name: string;
      readonly node: Node;
      /** Templates of the data for the node; absent: the node receives the output of the step before. */
      readonly input?: Readonly<Record<string, string>>;
      /** Templates of the variables that it sets. */
      readonly output: Readonly<Record<string, string>>;
    };
