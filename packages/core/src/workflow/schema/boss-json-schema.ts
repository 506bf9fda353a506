import type { Vocabulary } from '../../definitions/define.ts';
import { isMapping, mapEntries } from '../document/mapping.ts';
import {
  BossArgumentSchema,
  BossBranchSchema,
  BossFinishSchema,
  BossInputsSchema,
  BossMaxRoundSchema,
  BossMemoryReadingSchema,
  BossMemoryWritingSchema,
  BossPlannerSchema,
  BossSchema,
  BossStepSchema,
} from './boss-schemas.ts';
import type { JsonSchema } from './json-schema-parts.ts';
import { described, inputSchemaOf, orNull, ref, withFields } from './json-schema-parts.ts';

/** Returns the schemas of a boss and its parts, by their names among the definitions of the document's schema. */
export function bossSchemas(vocabulary: Vocabulary): JsonSchema {
  const { controller, detect } = controllerSchemas(vocabulary);
  const command = { type: orNull(kind), config: { type: ['object', 'null'] }, args: argumentsSchema() };
  const rounds = { ...roundFields(), detect };
  return {
    boss: described(
      'A boss: a model that works on a goal in rounds, with commands.',
      withFields(
        inputSchemaOf(BossSchema),
        { ...fields(), ...rounds, memory_files: filesSchema(vocabulary), subflows_config: nestedSchema(rounds) },
        [],
      ),
    ),
    bossPlanner: described('The node that makes the plan.', partSchema(inputSchemaOf(BossPlannerSchema))),
    bossController: described('The model that chooses one command in each round.', controller),
    bossExecutor: described('The commands of a boss.', {
      type: 'object',
      properties: {
        branches: described('Commands by their names.', commands),
        subflows_config: described('Another spelling of branches.', commands),
      },
    }),
    bossCommand: {
      description: 'A command: a node that the controller can choose.',
      ...withFields(inputSchemaOf(BossBranchSchema), command, []),
      allOf: [ref('settings')],
    },
  };
}

// Schemas of zod are translated when the schema is asked for: most processes load this module and never ask.
const kind = { $ref: '#/$defs/node/properties/type' };
const argumentsSchema = () =>
  orNull({
    type: 'object',
    additionalProperties: described('An argument of the command.', inputSchemaOf(BossArgumentSchema)),
  });
const reading = () => orNull(inputSchemaOf(BossMemoryReadingSchema));
const writing = () => orNull(inputSchemaOf(BossMemoryWritingSchema));
const planner = orNull(ref('bossPlanner'));
const commands = { type: 'object', minProperties: 1, additionalProperties: ref('bossCommand') };

/** Returns the schema of a node without an id, which is not a node of the graph. */
const partSchema = (schema: JsonSchema): JsonSchema => ({
  ...withFields(schema, { type: kind, config: { type: 'object' } }, ['type', 'config']),
  allOf: [ref('settings')],
});

/** Schema of a number of rounds, or of a variable for it. */
const rounds = { anyOf: [{ type: ['integer', 'null'], minimum: 1 }, ref('placeholder')] };

const step = {
  description: 'Name of a step, or a mapping with `flow`.',
  type: ['string', 'object'],
  properties: { flow: { description: 'Name of the step.', type: 'string' } },
};

/** Schemas of the fields that the nested spelling has one level down. */
const roundFields = () => ({
  max_round: rounds,
  max_rounds: rounds,
  on_max_round: orNull(inputSchemaOf(BossMaxRoundSchema)),
  finish: orNull({
    type: 'object',
    minProperties: 1,
    additionalProperties: described(
      'A command that ends the boss.',
      orNull(withFields(inputSchemaOf(BossFinishSchema), { args: argumentsSchema() }, [])),
    ),
  }),
  topology: orNull({ type: 'array', items: step }),
  steps: orNull({
    type: 'object',
    additionalProperties: described('A further step of each round.', partSchema(inputSchemaOf(BossStepSchema))),
  }),
});

const fields = () => ({
  name: { type: ['string', 'null'], minLength: 1, maxLength: 64 },
  memory_reading: reading(),
  planner,
  controller: ref('bossController'),
  executor: ref('bossExecutor'),
  memory_writing: writing(),
  inputs: orNull(inputSchemaOf(BossInputsSchema)),
  termination: ref('termination'),
  reset: { enum: ['per_call', 'never', null] },
});

function nestedSchema(fieldsOfRounds: JsonSchema): JsonSchema {
  const inner = {
    Controller: ref('bossController'),
    Executor: ref('bossExecutor'),
    MemoryWriting: described('Entry that is written after each round.', writing()),
    MemoryReading: described('Memory files that are read before each round.', reading()),
  };
  const object = (properties: JsonSchema) => ({ type: 'object', properties });
  // The fields of rounds have the same descriptions one level up.
  const { properties } = withFields(inputSchemaOf(BossSchema), fieldsOfRounds, []);
  const outer = mapEntries(fieldsOfRounds, (name) => (isMapping(properties) ? properties[name] : {}));
  const parts = described('Controller, executor and memory files of each round.', object(inner));
  const whole = described('The rounds.', object({ ...outer, subflows_config: parts }));
  const plan = described('The node that makes the plan before the first round.', planner);
  return orNull(object({ ...inner, Planner: plan, CtrlExMem: whole }));
}

function filesSchema({ memories }: Vocabulary): JsonSchema {
  const file = memories.get('memory_file')?.config;
  const settings = file === undefined ? { type: 'object' } : withFields(inputSchemaOf(file), {}, ['path']);
  return {
    type: 'object',
    minProperties: 1,
    additionalProperties: described('The path of a memory file, or its settings.', {
      anyOf: [{ type: 'string' }, settings],
    }),
  };
}

/** Fields of a controller that a boss has beside the settings of its model, with their defaults. */
const controllerFields: JsonSchema = {
  decision: {},
  repair_attempts: {},
  on_invalid: {},
  history: {},
  first_prompt: { default: '{{ goal }}' },
  next_prompt: { default: '{{ result }}' },
};

/**
 * Returns the schema of a controller in two levels, without fields that a boss has elsewhere, and the schema of
 * `detect`.
 */
function controllerSchemas({ nodes }: Vocabulary): { readonly controller: JsonSchema; readonly detect: unknown } {
  const definition = nodes.get('controller');
  const { properties } = definition === undefined ? {} : inputSchemaOf(definition.config);
  const { commands: _own, detect = {}, ...known } = isMapping(properties) ? properties : {};
  const outer = Object.entries(controllerFields).map(([name, changed]) => {
    const field = known[name];
    return [name, { ...(isMapping(field) ? field : {}), ...(isMapping(changed) ? changed : {}) }];
  });
  const config = described('Settings of the model.', {
    type: 'object',
    properties: known,
    required: ['provider', 'name'],
  });
  return {
    controller: { type: 'object', properties: { config, ...Object.fromEntries(outer) }, required: ['config'] },
    detect,
  };
}
