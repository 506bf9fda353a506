import { omitUndefined } from '../../model/omit-undefined.ts';
import { singleLine } from '../../model/text/field-patterns.ts';
import { isMapping } from '../document/mapping.ts';
import type { Graph, Termination } from '../document/workflow.ts';
import { checkMemoryFiles, checkMemoryReferences } from '../elements/memory.ts';
import type { ParsedNode } from '../elements/node.ts';
import type { LocatedValue, ReadContext } from '../elements/read-context.ts';
import { readBySchema, readFields } from '../elements/read-context.ts';
import { readTermination } from '../elements/termination.ts';
import { BossInputsSchema, BossPlannerSchema, BossSchema } from '../schema/boss-schemas.ts';
import type { Boss } from './boss.ts';
import { readChoices } from './branches.ts';
import { checkVariables } from './check-variables.ts';
import { readController } from './controller.ts';
import { expandBoss } from './expand.ts';
import { checkKnown, readMemoryFiles, readReading, readWriting } from './memory-files.ts';
import { readMaxRound, readOnMaxRound, readSteps } from './rounds.ts';
import type { BossContext } from './sections.ts';
import { asTemplate, readBossPart, reportBossProblem, section } from './sections.ts';

/**
 * Reads a boss and expands it into a graph: a loop of a controller and its commands around memory files. Problems are
 * added to the issues, at their place in the author's text; the result is then undefined.
 */
export function readBoss(context: ReadContext, config: LocatedValue, outside: BossContext): Graph | undefined {
  if (!isMapping(config.value)) return undefined;
  const parts: ParsedNode[] = [];
  const enclosing = collecting(outside, parts);
  const { description, early_exit_key: exitKey } = readFields(context, BossSchema, config);
  const name = readName(context, config, enclosing.id);
  const files = readMemoryFiles(context, config);
  const inputs = readInputs(context, config);
  const planner = readPlanner(context, config, {
    around: enclosing,
    paths: files.paths,
    hasPlan: inputs.plan !== undefined,
  });
  const choices = readChoices(context, config, {
    around: enclosing,
    name,
    hasPlan: planner !== undefined || Object.hasOwn(files.paths, 'plan'),
    hasPlanner: planner !== undefined,
  });
  const writing = readWriting(context, config, files);
  const boss: Boss = {
    id: enclosing.id,
    name,
    logLevel: enclosing.logLevel,
    ...files,
    reading: readReading(context, config, files),
    controller: readController(context, config, choices.commands),
    branches: choices.branches,
    finishes: choices.finishes,
    maxRound: readMaxRound(context, config),
    onMaxRound: readOnMaxRound(context, config),
    exitKey: exitKey ?? 'EARLY_EXIT',
    lasting: readReset(context, config),
    inputs,
    steps: readSteps(context, config, { around: enclosing, writes: writing !== undefined }),
    ...(description ? { description } : {}),
    ...omitUndefined({ writing, planner }),
  };
  checkMemoryFiles(context, parts, files.stores);
  for (const { node, path } of parts) {
    checkMemoryReferences(context, { value: node.config, path: [...path, 'config'] }, files.stores);
  }
  checkVariables(context, config, boss);
  if (context.document.report.failed()) return undefined;
  const graph = expandBoss(boss, context.shared.vocabulary);
  return { ...graph, ...readBossTermination(context, config, { name, graph }) };
}

/** Returns the context extended to collect the nodes that are read. */
const collecting = (enclosing: BossContext, parts: ParsedNode[]): BossContext => ({
  ...enclosing,
  readNode(located) {
    const read = enclosing.readNode(located);
    if (read !== undefined) parts.push(read);
    return read;
  },
});

function readName(context: ReadContext, config: LocatedValue, id: string): string {
  const { value, path } = section(config, 'name');
  if (value === undefined || value === null) return id;
  if (typeof value === 'string' && value.trim() !== '' && value.length <= 64 && singleLine.test(value)) return value;
  reportBossProblem(context, 'E_BOSS_NAME', {
    path,
    message: 'The name of a boss must have 1 to 64 characters, without control characters',
  });
  return id;
}

function readInputs(context: ReadContext, config: LocatedValue): Boss['inputs'] {
  const located = section(config, 'inputs');
  const read = readBySchema(context, BossInputsSchema, { ...located, value: located.value ?? {} })?.value;
  const { goal, plan, logs } = read ?? {};
  const given = "{{ inputs | map(attribute='text') | join('\n\n') }}";
  return {
    goal: goal ? asTemplate(goal) : `{% if data.goal is defined %}{{ data.goal }}{% else %}${given}{% endif %}`,
    ...(plan ? { plan: asTemplate(plan) } : {}),
    ...(logs ? { logs: asTemplate(logs) } : {}),
  };
}

interface PlannerContext {
  readonly around: BossContext;
  readonly paths: Boss['paths'];
  readonly hasPlan: boolean;
}

function readPlanner(
  context: ReadContext,
  config: LocatedValue,
  { around: enclosing, paths, hasPlan }: PlannerContext,
): Boss['planner'] {
  const located = section(config, 'planner');
  if (located.value === undefined || located.value === null) {
    if (hasPlan || Object.hasOwn(paths, 'plan')) return undefined;
    const message = 'The boss has no plan: it has no planner, no plan in "inputs" and no memory file for one';
    reportBossProblem(context, 'E_BOSS_PLANNER', {
      path: located.path,
      message,
      hint: 'Add a "planner", or `plan` to "memory_files".',
    });
    return undefined;
  }
  const written = readBySchema(context, BossPlannerSchema, located)?.value;
  const read = readBossPart(enclosing, located, 'planner');
  if (written === undefined || read === undefined) return undefined;
  if (read.definition?.traits?.guard === true) {
    const message = `A ${read.node.type} cannot be the planner: it makes no plans`;
    reportBossProblem(context, 'E_BOSS_PLANNER', { path: [...located.path, 'type'], message });
  }
  checkKnown(context, { value: written.store, path: [...located.path, 'store'] }, paths);
  return { node: read.node, store: written.store };
}

function readReset(context: ReadContext, config: LocatedValue): boolean {
  const { value, path } = section(config, 'reset');
  if (value === 'never') return true;
  if (value === undefined || value === null || value === 'per_call') return false;
  const message = 'The controller is reset with each call, or never';
  context.document.report.add('E_FIELD_INVALID', { path, message, hint: 'Write `per_call` or `never`.' });
  return false;
}

/**
 * Reads the termination of a boss. All nodes between the entry and the two ends of the boss form one named scope, so a
 * boss that is stopped still returns a result: the node `stopped` receives the reason and, after it, the result of the
 * latest round. The scope has the name of the boss, so that people can stop it by that name.
 */
function readBossTermination(
  context: ReadContext,
  config: LocatedValue,
  { name, graph: { nodes, start, end } }: { readonly name: string; readonly graph: Graph },
): Pick<Graph, 'scopes'> {
  const located = section(config, 'termination');
  rejectExits(context, located);
  const members = nodes.map(({ id }) => id).filter((id) => !start.includes(id) && !end.includes(id));
  const termination = readTermination(context, located, { nodes, members: new Set(members) }) ?? manualTermination;
  const withExit = { ...termination, exit_to: ['stopped'], carry_last: 'result' };
  return { scopes: [{ id: name, nodes: members, termination: withExit }] };
}

/** A termination whose conditions are never satisfied: only people stop the boss. */
const manualTermination: Termination = { any_of: [], in_flight: 'drain', exit_to: [], carry_last: true };

/** Refuses options that say what follows a stopped boss: the reader sets them. */
function rejectExits(context: ReadContext, { value, path }: LocatedValue): void {
  if (!isMapping(value)) return;
  for (const key of ['exit_to', 'carry_last', 'message'].filter(
    (one) => value[one] !== undefined && value[one] !== null,
  )) {
    const message = `"${key}" has no effect on a boss: a stopped boss always returns its latest result`;
    context.document.report.add('E_TERM_OPTION', { path: [...path, key], message, hint: 'Remove it.' });
  }
}
