import { isMapping } from '../document/mapping.ts';
import type { Graph } from '../document/workflow.ts';
import { checkMemoryFiles, checkMemoryReferences } from '../elements/memory.ts';
import type { ReadNode } from '../elements/node.ts';
import type { Placed, Reading } from '../elements/read-context.ts';
import { readFields, readWith } from '../elements/read-context.ts';
import { WrittenBoss, WrittenInputs, WrittenPlanner } from '../schema/boss-schemas.ts';
import type { Boss } from './boss.ts';
import type { Around } from './boss-context.ts';
import { asTemplate, complain, readPart } from './boss-context.ts';
import { readStops } from './boss-termination.ts';
import { readChoices } from './branches.ts';
import { checkVariables } from './check-variables.ts';
import { readController } from './controller.ts';
import { expand } from './expand.ts';
import { checkKnown, readMemoryFiles, readReading, readWriting } from './memory-files.ts';
import { readMaxRound, readOnMaxRound, readSteps } from './rounds.ts';
import { section } from './sections.ts';

/**
 * Reads a boss as the graph that it stands for: a loop of a controller and its commands around memory files. What is
 * wrong is among the issues, at its place in the author's text, and then the result is not to be used.
 */
export function readBoss(reading: Reading, config: Placed, outside: Around): Graph | undefined {
  if (!isMapping(config.value)) return undefined;
  const parts: ReadNode[] = [];
  const around = collecting(outside, parts);
  const { description, early_exit_key: exitKey } = readFields(reading, WrittenBoss, config);
  const name = readName(reading, config, around.id);
  const files = readMemoryFiles(reading, config);
  const inputs = readInputs(reading, config);
  const planner = readPlanner(reading, config, { around, paths: files.paths, hasPlan: inputs.plan !== undefined });
  const choices = readChoices(reading, config, {
    around,
    name,
    hasPlan: planner !== undefined || Object.hasOwn(files.paths, 'plan'),
    hasPlanner: planner !== undefined,
  });
  const writing = readWriting(reading, config, files);
  const boss: Boss = {
    id: around.id,
    name,
    logLevel: around.logLevel,
    ...files,
    reading: readReading(reading, config, files),
    controller: readController(reading, config, choices.commands),
    branches: choices.branches,
    finishes: choices.finishes,
    maxRound: readMaxRound(reading, config),
    onMaxRound: readOnMaxRound(reading, config),
    exitKey: exitKey ?? 'EARLY_EXIT',
    lasting: readReset(reading, config),
    inputs,
    steps: readSteps(reading, config, { around, writes: writing !== undefined }),
    ...(description ? { description } : {}),
    ...(writing === undefined ? {} : { writing }),
    ...(planner === undefined ? {} : { planner }),
  };
  checkMemoryFiles(reading, parts, files.stores);
  for (const { node, path } of parts) {
    checkMemoryReferences(reading, { value: node.config, path: [...path, 'config'] }, files.stores);
  }
  checkVariables(reading, config, boss);
  if (reading.document.report.failed()) return undefined;
  const graph = expand(boss, reading.shared.vocabulary);
  return { ...graph, ...readStops(reading, config, { name, graph }) };
}

/** The same, noting the nodes that were read. */
const collecting = (around: Around, parts: ReadNode[]): Around => ({
  ...around,
  readNode(placed) {
    const read = around.readNode(placed);
    if (read !== undefined) parts.push(read);
    return read;
  },
});

function readName(reading: Reading, config: Placed, id: string): string {
  const { value, path } = section(config, 'name');
  if (value === undefined || value === null) return id;
  if (typeof value === 'string' && value.trim() !== '' && value.length <= 64) return value;
  complain(reading, 'E_BOSS_NAME', { path, message: 'The name of a boss is a text of 1 to 64 characters' });
  return id;
}

function readInputs(reading: Reading, config: Placed): Boss['inputs'] {
  const placed = section(config, 'inputs');
  const read = readWith(reading, WrittenInputs, { ...placed, value: placed.value ?? {} })?.value;
  const { goal, plan, logs } = read ?? {};
  const given = "{{ inputs | map(attribute='text') | join('\n\n') }}";
  return {
    goal: goal ? asTemplate(goal) : `{% if data.goal is defined %}{{ data.goal }}{% else %}${given}{% endif %}`,
    ...(plan ? { plan: asTemplate(plan) } : {}),
    ...(logs ? { logs: asTemplate(logs) } : {}),
  };
}

interface PlannerNeeds {
  readonly around: Around;
  readonly paths: Boss['paths'];
  readonly hasPlan: boolean;
}

function readPlanner(reading: Reading, config: Placed, { around, paths, hasPlan }: PlannerNeeds): Boss['planner'] {
  const placed = section(config, 'planner');
  if (placed.value === undefined || placed.value === null) {
    if (hasPlan || Object.hasOwn(paths, 'plan')) return undefined;
    const message = 'Nobody plans: there is no planner, no plan in "inputs" and no memory file for it';
    complain(reading, 'E_BOSS_PLANNER', {
      path: placed.path,
      message,
      hint: 'Add a "planner", or `plan` to "memory_files".',
    });
    return undefined;
  }
  const written = readWith(reading, WrittenPlanner, placed)?.value;
  const read = readPart(around, placed, 'planner');
  if (written === undefined || read === undefined) return undefined;
  if (read.definition?.traits?.guard === true) {
    const message = `A ${read.node.type} makes no plans`;
    complain(reading, 'E_BOSS_PLANNER', { path: [...placed.path, 'type'], message });
  }
  checkKnown(reading, { value: written.store, path: [...placed.path, 'store'] }, paths);
  return { node: read.node, store: written.store };
}

function readReset(reading: Reading, config: Placed): boolean {
  const { value, path } = section(config, 'reset');
  if (value === 'never') return true;
  if (value === undefined || value === null || value === 'per_call') return false;
  const message = 'What a controller has said is forgotten with each call, or never';
  reading.document.report.add('E_FIELD_INVALID', { path, message, hint: 'Write `per_call` or `never`.' });
  return false;
}
