import type { Millrace } from '@millrace/client';
import type { Issue, LocatedModel, Vocabulary } from '@millrace/core';
import { activeStatuses } from '@millrace/core/run-status';
import type { Finding } from '@millrace/runtime';
import { z } from 'zod';
import type { LocalSession } from '../../client/session.ts';
import { withMachine } from '../../client/session.ts';
import type { Cli } from '../../process/cli.ts';
import { all, first } from '../../requests/pages.ts';
import { readText } from '../../workflow/load-workflow.ts';
import { askProviders } from './doctor-ask.ts';

/** Codes of warnings that concern models and functions of agents. */
const concerned: ReadonlySet<string> = new Set([
  'W_MODEL_RETIRED',
  'W_MODEL_RETIRING',
  'W_PARAM_REFUSED',
  'W_PRICE_ASSUMED',
  'W_PRICE_UNKNOWN',
  'W_TOOL_UNAVAILABLE',
]);

/** Maximum number of unfinished runs of a tenant that are looked at. */
const mostRuns = 1000;

/**
 * Returns what is known of the models that published workflows, schedules and unfinished runs of all tenants name, and the
 * warnings about them; with `ask`, also what the providers answer to one small request each.
 */
export async function diagnoseModels(cli: Cli, { ask }: { readonly ask: boolean }): Promise<readonly Finding[]> {
  const findings: Finding[] = [];
  await withMachine(cli, { command: 'doctor' }, async (session) => {
    const { vocabulary } = session.machine;
    const models: LocatedModel[] = [];
    for await (const source of sourcesOf(session)) {
      const read = await readText({ file: source.name, text: source.yaml }, optionsFor(source, vocabulary));
      for (const finding of findingsOf(source.name, read, vocabulary)) findings.push(finding);
      for (const model of read.models ?? []) models.push(model);
    }
    if (ask) for (const finding of await askProviders(cli, vocabulary, models)) findings.push(finding);
  });
  return unique(findings);
}

/** The text of a workflow that is used, and who uses it. */
interface UsedText {
  readonly name: string;
  readonly yaml: string;
  readonly vars?: Readonly<Record<string, unknown>> | undefined;
}

/** Yields every text once, for each set of variables. */
async function* sourcesOf({ machine, ofTenant }: LocalSession): AsyncGenerator<UsedText> {
  const { createApiKeys } = await import('@millrace/runtime');
  const tenants = await createApiKeys(machine.runtime.store).tenants('', Number.MAX_SAFE_INTEGER);
  for (const tenant of new Set(['default', ...tenants])) {
    const seen = new Set<string>();
    const prefix = tenant === 'default' ? '' : `${tenant}: `;
    for await (const { name, yaml, vars = {} } of textsOf(await ofTenant(tenant))) {
      const key = JSON.stringify([yaml, vars]);
      if (!seen.has(key)) yield { name: `${prefix}${name}`, yaml, vars };
      seen.add(key);
    }
  }
}

/** The parts of a scheduled request that name a text. */
const Scheduled = z.object({
  workflow: z.union([z.string(), z.object({ yaml: z.string() })]),
  vars: z.record(z.string(), z.unknown()).optional(),
});

async function* textsOf({ workflows, schedules, runs }: Millrace): AsyncGenerator<UsedText> {
  for (const { name } of await all(workflows.list())) yield { name, yaml: (await workflows.get(name)).yaml };
  for (const { id, run } of await all(schedules.list())) {
    const { workflow, vars } = Scheduled.parse(run);
    const yaml = typeof workflow === 'string' ? await published(workflows, workflow) : workflow.yaml;
    if (yaml !== undefined) yield { name: `schedule ${id}`, yaml, vars };
  }
  const unfinished = runs.list({ status: [...activeStatuses] });
  const plans = new Set<string>();
  for (const { runId, plan } of await first(mostRuns, unfinished)) {
    if (plans.has(plan)) continue;
    plans.add(plan);
    const { yaml, vars } = await runs.get(runId).workflow();
    if (yaml !== null) yield { name: `run ${runId}`, yaml, vars };
  }
}

/** Returns the text that a schedule names; undefined if it is no longer published. */
const published = (workflows: Millrace['workflows'], reference: string): Promise<string | undefined> =>
  workflows.get(reference).then(
    ({ yaml }) => yaml,
    () => undefined,
  );

const optionsFor = ({ vars = {} }: UsedText, vocabulary: Vocabulary) =>
  ({ vocabulary, mode: 'check', environment: {}, variables: vars }) as const;

const findingsOf = (
  name: string,
  { issues, models = [] }: Awaited<ReturnType<typeof readText>>,
  vocabulary: Vocabulary,
): readonly Finding[] => [
  ...issues.filter(({ code }) => concerned.has(code)).map((issue) => warningOf(name, issue)),
  ...models.map((model) => knownOf(name, model, vocabulary)),
];

const warningOf = (workflow: string, { code, message, hint = '' }: Issue): Finding => ({
  level: 'weak',
  subject: 'models',
  message: `${workflow}: ${message} [${code}]`,
  cure: hint,
});

/** Returns one line on a model: whether it is known, its price, and for bosses whether it can be made to decide. */
function knownOf(workflow: string, model: LocatedModel, { models }: Vocabulary): Finding {
  const lookup = models();
  const profile = lookup.profile(model);
  const price = lookup.price(model);
  const facts = [
    profile.known ? 'known' : 'unknown',
    `price: ${price === undefined ? 'none' : price.rates}`,
    ...(profile.retires == null ? [] : [`retires ${profile.retires}`]),
    ...(model.decides === true ? [`choice of tools: ${profile.tool_choice ?? 'auto'}`] : []),
  ];
  return { level: 'good', subject: 'models', message: `${workflow}: ${model.model} (${facts.join(', ')})` };
}

const unique = (findings: readonly Finding[]): readonly Finding[] => [
  ...new Map(findings.map((finding) => [finding.message, finding])).values(),
];
