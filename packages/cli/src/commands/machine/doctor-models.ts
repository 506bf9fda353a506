import type { Issue, LocatedModel, Vocabulary } from '@millrace/core';
import type { Finding } from '@millrace/runtime';
import { withSession } from '../../client/session.ts';
import type { Cli } from '../../process/cli.ts';
import { all } from '../../requests/pages.ts';
import { readText } from '../../workflow/load-workflow.ts';
import { withVocabulary } from '../../workflow/open-vocabulary.ts';
import type { Source } from '../../workflow/source-file.ts';

/** Codes of warnings that concern models and functions of agents. */
const concerned: ReadonlySet<string> = new Set([
  'W_MODEL_RETIRED',
  'W_MODEL_RETIRING',
  'W_PARAM_REFUSED',
  'W_PRICE_ASSUMED',
  'W_TOOL_UNAVAILABLE',
]);

/** Returns what is known of the models that published workflows name, and the warnings about them. */
export const diagnoseModels = (cli: Cli): Promise<readonly Finding[]> =>
  withVocabulary(cli, (vocabulary) =>
    withSession(cli, {}, async ({ millrace }) => {
      const findings: Finding[] = [];
      for (const { name } of await all(millrace.workflows.list())) {
        const { yaml } = await millrace.workflows.get(name);
        for (const finding of await findingsOf({ file: name, text: yaml }, vocabulary)) findings.push(finding);
      }
      return unique(findings);
    }),
  );

async function findingsOf(source: Source, vocabulary: Vocabulary): Promise<readonly Finding[]> {
  const { issues, models = [] } = await readText(source, { vocabulary, mode: 'check', environment: {} });
  return [
    ...issues.filter(({ code }) => concerned.has(code)).map((issue) => warningOf(source.file, issue)),
    ...models.map((model) => knownOf(source.file, model, vocabulary)),
  ];
}

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
