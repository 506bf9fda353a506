import { isMapping } from '../document/mapping.ts';
import type { LocatedValue, ReadContext } from '../elements/read-context.ts';
import { readBySchema } from '../elements/read-context.ts';
import { BossArgumentsSchema, BossBranchSchema, BossFinishSchema } from '../schema/boss-schemas.ts';
import type { BossArguments, BossBranch, BossFinish } from './boss.ts';
import type { BossContext } from './sections.ts';
import { field, readBossPart, reportBossProblem, section } from './sections.ts';

/** A command in the form that the controller's schema takes. */
export interface BossCommand {
  readonly description: string;
  readonly args: unknown;
  readonly inject: readonly string[];
  /** The text files of the task are passed along. */
  readonly attachments?: 'text';
}

/** All commands that a controller may choose. */
export interface BossChoices {
  readonly branches: readonly BossBranch[];
  readonly finishes: readonly BossFinish[];
  readonly commands: Readonly<Record<string, BossCommand>>;
}

/** Values that the commands of a boss depend on. */
export interface BranchContext {
  readonly around: BossContext;
  readonly name: string;
  readonly hasPlan: boolean;
  readonly hasPlanner: boolean;
}

const builtins = {
  update_plan: {
    description: 'Replace the plan by a better one.',
    args: { updated_plan: { type: 'string', required: true, description: 'the whole new plan' } },
  },
  ask_user: {
    description: 'Ask a person and wait for the answer.',
    args: { question: { type: 'string', required: true, description: 'what to ask' } },
  },
  re_plan: {
    description: 'Let the planner make a new plan.',
    args: { goal: { type: 'string', required: true, description: 'what is wrong with the plan, and what is wanted' } },
  },
} as const;

const goal = { goal: { type: 'string', required: true, description: 'what to achieve' } };

/** Reads the commands of a boss: those of the executor, and those that end the boss. */
export function readChoices(context: ReadContext, config: LocatedValue, branchContext: BranchContext): BossChoices {
  const finishes = readFinishes(context, config, branchContext.name);
  const executor = section(config, 'executor');
  const nested = field(executor, 'subflows_config');
  const branches = nested.value === undefined ? field(executor, 'branches') : nested;
  const entries = isMapping(branches.value) ? Object.entries(branches.value) : [];
  if (entries.length === 0) {
    const hint = 'Write names with a node each, or `builtin`.';
    reportBossProblem(context, 'E_BOSS_BRANCH', { path: branches.path, message: 'The boss has no commands', hint });
  }
  const commands: Record<string, BossCommand> = {};
  const read = entries.flatMap(([name, value]): BossBranch[] => {
    const located = { value, path: [...branches.path, name] };
    if (!/^[a-z][a-z0-9_]*$/.test(name) || finishes.some((finish) => finish.finish.name === name)) {
      const message = `"${name}" is not a valid name of a command, or is the name of a command that ends the boss`;
      reportBossProblem(context, 'E_BOSS_BRANCH', { path: located.path, message, hint: 'Use a-z, 0-9 and _ only.' });
      return [];
    }
    const branch = readBranch(context, located, { ...branchContext, branch: name });
    if (branch === undefined) return [];
    commands[name] = branch.command;
    return [branch.branch];
  });
  for (const { finish, command } of finishes) commands[finish.name] = command;
  return { branches: read, finishes: finishes.map(({ finish }) => finish), commands };
}

function readBranch(
  context: ReadContext,
  located: LocatedValue,
  branchContext: BranchContext & { readonly branch: string },
): { readonly branch: BossBranch; readonly command: BossCommand } | undefined {
  const written = readBySchema(context, BossBranchSchema, located)?.value;
  if (written === undefined) return undefined;
  const { builtin } = written;
  const problem = branchProblem(written, branchContext);
  if (problem !== undefined) {
    reportBossProblem(context, 'E_BOSS_BRANCH', { path: located.path, ...problem });
    return undefined;
  }
  const read = builtin ? undefined : readBossPart(branchContext.around, located, `executor/${branchContext.branch}`);
  if (read?.definition?.traits?.guard === true) {
    const message = `A ${read.node.type} has no output in most of its executions, but a command must have a result`;
    reportBossProblem(context, 'E_BOSS_BRANCH', { path: [...located.path, 'type'], message });
  }
  const args = readArguments(context, field(located, 'args'), builtin ? builtins[builtin].args : goal);
  const description =
    written.description || describedIn(located.value) || (builtin ? builtins[builtin].description : '');
  if (description === '') {
    const hint = 'Write a "description" that tells the model when to choose it.';
    reportBossProblem(context, 'E_BOSS_BRANCH', {
      path: located.path,
      message: `"${branchContext.branch}" has no description`,
      hint,
    });
  }
  const branch: BossBranch = {
    name: branchContext.branch,
    args,
    observesErrors: written.on_error === 'observe',
    ...(builtin ? { builtin } : {}),
    ...(read === undefined ? {} : { node: read.node }),
    ...(written.result ? { result: written.result } : {}),
    ...(written.summary ? { summary: written.summary } : {}),
  };
  const command: BossCommand = { description, args, inject: written.inject };
  return { branch, command: builtin === 're_plan' ? { ...command, attachments: 'text' } : command };
}

function branchProblem(
  {
    type,
    builtin,
  }: { readonly type?: string | null | undefined; readonly builtin?: keyof typeof builtins | null | undefined },
  { branch, hasPlan, hasPlanner }: BranchContext & { readonly branch: string },
): { readonly message: string; readonly hint: string } | undefined {
  if ((type === undefined || type === null) === !builtin) {
    return {
      message: `"${branch}" needs either a node or "builtin"`,
      hint: 'Write `type` and `config`, or `builtin`.',
    };
  }
  if (builtin === 're_plan' && !hasPlanner)
    return { message: 'The command "re_plan" needs a planner', hint: 'Add a "planner".' };
  if (builtin === 'update_plan' && !hasPlan)
    return { message: 'The command "update_plan" needs a memory file', hint: 'Add `plan` to "memory_files".' };
  return undefined;
}

/** Returns the description of an inner boss as the description of the command that calls it. */
function describedIn(value: unknown): string {
  const config = isMapping(value) ? value.config : undefined;
  return isMapping(config) && typeof config.description === 'string' ? config.description : '';
}

function readArguments(context: ReadContext, { value, path }: LocatedValue, otherwise: BossArguments): BossArguments {
  if (value === undefined || value === null) return otherwise;
  const { data } = BossArgumentsSchema.safeParse(value);
  if (data !== undefined) return data;
  const hint = 'Write a mapping of names to `type`, `required` and `description`; types are those of JSON.';
  reportBossProblem(context, 'E_BOSS_ARGS', { path, message: 'The arguments of a command cannot be read', hint });
  return otherwise;
}

interface ReadFinish {
  readonly finish: BossFinish;
  readonly command: BossCommand;
}

const summary = { summary: { type: 'string', required: true, description: 'what was achieved' } };

function readFinishes(context: ReadContext, config: LocatedValue, name: string): readonly ReadFinish[] {
  const located = section(config, 'finish');
  const value = located.value ?? { finish: { args: summary } };
  const entries = isMapping(value) ? Object.entries(value) : [];
  if (entries.length === 0) {
    const hint = 'Write a name with `description`, `args` and `result`, or leave "finish" out.';
    reportBossProblem(context, 'E_BOSS_FINISH', { path: located.path, message: 'No command ends the boss', hint });
  }
  return entries.flatMap(([command, written]): ReadFinish[] => {
    const at = { value: written ?? {}, path: [...located.path, command] };
    if (!/^[a-z][a-z0-9_]*$/.test(command)) {
      const message = `"${command}" is not a valid name of a command`;
      reportBossProblem(context, 'E_BOSS_FINISH', { path: at.path, message, hint: 'Use a-z, 0-9 and _ only.' });
      return [];
    }
    const read = readBySchema(context, BossFinishSchema, at)?.value;
    if (read === undefined) return [];
    const { description, result, status } = read;
    const args = readArguments(context, field(at, 'args'), read.result === '{{ args.summary }}' ? summary : {});
    const summaryTemplate = read.summary ?? `${name}: ${result}`;
    return [
      {
        finish: { name: command, result, summary: summaryTemplate, status },
        command: { description, args, inject: [] },
      },
    ];
  });
}
