import { isMapping } from '../document/mapping.ts';
import type { Placed, Reading } from '../elements/read-context.ts';
import { readWith } from '../elements/read-context.ts';
import { WrittenArguments, WrittenBranch, WrittenFinish } from '../schema/boss-schemas.ts';
import type { Arguments, Branch, Finish } from './boss.ts';
import type { Around } from './boss-context.ts';
import { complain, readPart } from './boss-context.ts';
import { field, section } from './sections.ts';

/** A command as the controller's schema takes it. */
export interface Command {
  readonly description: string;
  readonly args: unknown;
  readonly inject: readonly string[];
}

/** Everything that a controller may choose. */
export interface Choices {
  readonly branches: readonly Branch[];
  readonly finishes: readonly Finish[];
  readonly commands: Readonly<Record<string, Command>>;
}

/** What the commands depend on. */
export interface Having {
  readonly around: Around;
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

/** Reads the commands of a boss: those that do something, and those that end it. */
export function readChoices(reading: Reading, config: Placed, having: Having): Choices {
  const finishes = readFinishes(reading, config, having.name);
  const executor = section(config, 'executor');
  const nested = field(executor, 'subflows_config');
  const branches = nested.value === undefined ? field(executor, 'branches') : nested;
  const entries = isMapping(branches.value) ? Object.entries(branches.value) : [];
  if (entries.length === 0) {
    const hint = 'Write names with a node each, or `builtin`.';
    complain(reading, 'E_BOSS_BRANCH', { path: branches.path, message: 'The boss has no commands', hint });
  }
  const commands: Record<string, Command> = {};
  const read = entries.flatMap(([name, value]): Branch[] => {
    const placed = { value, path: [...branches.path, name] };
    if (!/^[a-z][a-z0-9_]*$/.test(name) || finishes.some((finish) => finish.finish.name === name)) {
      const message = `"${name}" is no name for a command, or the name of one that ends the boss`;
      complain(reading, 'E_BOSS_BRANCH', { path: placed.path, message, hint: 'Use a-z, 0-9 and _ only.' });
      return [];
    }
    const branch = readBranch(reading, placed, { ...having, branch: name });
    if (branch === undefined) return [];
    commands[name] = branch.command;
    return [branch.branch];
  });
  for (const { finish, command } of finishes) commands[finish.name] = command;
  return { branches: read, finishes: finishes.map(({ finish }) => finish), commands };
}

function readBranch(
  reading: Reading,
  placed: Placed,
  having: Having & { readonly branch: string },
): { readonly branch: Branch; readonly command: Command } | undefined {
  const written = readWith(reading, WrittenBranch, placed)?.value;
  if (written === undefined) return undefined;
  const { builtin } = written;
  const problem = branchProblem(written, having);
  if (problem !== undefined) {
    complain(reading, 'E_BOSS_BRANCH', { path: placed.path, ...problem });
    return undefined;
  }
  const read = builtin ? undefined : readPart(having.around, placed, `executor/${having.branch}`);
  if (read?.definition?.traits?.guard === true) {
    const message = `A ${read.node.type} is silent most of the time, and a command must have a result`;
    complain(reading, 'E_BOSS_BRANCH', { path: [...placed.path, 'type'], message });
  }
  const args = readArguments(reading, field(placed, 'args'), builtin ? builtins[builtin].args : goal);
  const description =
    written.description || describedIn(placed.value) || (builtin ? builtins[builtin].description : '');
  if (description === '') {
    const hint = 'Write a "description" that tells the model when to choose it.';
    complain(reading, 'E_BOSS_BRANCH', { path: placed.path, message: `"${having.branch}" has no description`, hint });
  }
  const branch: Branch = {
    name: having.branch,
    args,
    observesErrors: written.on_error === 'observe',
    ...(builtin ? { builtin } : {}),
    ...(read === undefined ? {} : { node: read.node }),
    ...(written.result ? { result: written.result } : {}),
    ...(written.summary ? { summary: written.summary } : {}),
  };
  return { branch, command: { description, args, inject: written.inject } };
}

function branchProblem(
  {
    type,
    builtin,
  }: { readonly type?: string | null | undefined; readonly builtin?: keyof typeof builtins | null | undefined },
  { branch, hasPlan, hasPlanner }: Having & { readonly branch: string },
): { readonly message: string; readonly hint: string } | undefined {
  if ((type === undefined || type === null) === !builtin) {
    return {
      message: `"${branch}" needs either a node or "builtin"`,
      hint: 'Write `type` and `config`, or `builtin`.',
    };
  }
  if (builtin === 're_plan' && !hasPlanner)
    return { message: 'Without a planner there is nobody to plan anew', hint: 'Add a "planner".' };
  if (builtin === 'update_plan' && !hasPlan)
    return { message: 'There is no memory file for the plan', hint: 'Add `plan` to "memory_files".' };
  return undefined;
}

/** A boss as a command describes itself. */
function describedIn(value: unknown): string {
  const config = isMapping(value) ? value.config : undefined;
  return isMapping(config) && typeof config.description === 'string' ? config.description : '';
}

function readArguments(reading: Reading, { value, path }: Placed, otherwise: Arguments): Arguments {
  if (value === undefined || value === null) return otherwise;
  const { data } = WrittenArguments.safeParse(value);
  if (data !== undefined) return data;
  const hint = 'Write a mapping of names to `type`, `required` and `description`; types are those of JSON.';
  complain(reading, 'E_BOSS_ARGS', { path, message: 'The arguments of a command cannot be read', hint });
  return otherwise;
}

interface ReadFinish {
  readonly finish: Finish;
  readonly command: Command;
}

const summary = { summary: { type: 'string', required: true, description: 'what was achieved' } };

function readFinishes(reading: Reading, config: Placed, name: string): readonly ReadFinish[] {
  const placed = section(config, 'finish');
  const value = placed.value ?? { finish: { args: summary } };
  const entries = isMapping(value) ? Object.entries(value) : [];
  if (entries.length === 0) {
    const hint = 'Write a name with `description`, `args` and `result`, or leave "finish" out.';
    complain(reading, 'E_BOSS_FINISH', { path: placed.path, message: 'No command ends the boss', hint });
  }
  return entries.flatMap(([command, written]): ReadFinish[] => {
    const at = { value: written ?? {}, path: [...placed.path, command] };
    if (!/^[a-z][a-z0-9_]*$/.test(command)) {
      const message = `"${command}" is no name for a command`;
      complain(reading, 'E_BOSS_FINISH', { path: at.path, message, hint: 'Use a-z, 0-9 and _ only.' });
      return [];
    }
    const read = readWith(reading, WrittenFinish, at)?.value;
    if (read === undefined) return [];
    const { description, result, status } = read;
    const args = readArguments(reading, field(at, 'args'), read.result === '{{ args.summary }}' ? summary : {});
    const told = read.summary ?? `${name}: ${result}`;
    return [{ finish: { name: command, result, summary: told, status }, command: { description, args, inject: [] } }];
  });
}
