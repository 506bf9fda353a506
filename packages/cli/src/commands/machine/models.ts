import type { AskedModel, ModelLookup } from '@millrace/core';
import type { Command } from 'commander';
import { CommandError, exitCodes } from '../../exit/exit.ts';
import { printList } from '../../output/print-list.ts';
import type { Cli } from '../../process/cli.ts';
import { withVocabulary } from '../../workflow/open-vocabulary.ts';

interface ModelsOptions {
  readonly provider?: string;
  readonly baseUrl?: string;
  readonly json?: boolean;
}

/** `millrace models`: shows what is known of models. */
export function addModels(program: Command, cli: Cli): void {
  program
    .command('models')
    .description('show what is known of models: prices, limits, retirements, and what a request contains')
    .argument('[name]', 'name of a model; all models if omitted')
    .option('--provider <name>', 'provider of the node (default: by the name of the model)')
    .option('--base-url <url>', 'address of the server, if it is not the own one of the vendor')
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExample:\n  millrace models gpt-6-sol')
    .action((name: string | undefined, options: ModelsOptions) =>
      withVocabulary(cli, async (vocabulary) => {
        const lookup = vocabulary.models();
        if (name === undefined) await listModels(cli, lookup, options);
        else await showModel(cli, lookup, { name, ...options });
      }),
    );
}

async function listModels(cli: Cli, lookup: ModelLookup, { json }: ModelsOptions): Promise<void> {
  const models = lookup.names().map((name) => describe(lookup, askedModel(name, {})));
  await printList(cli.terminal, models, {
    json,
    empty: 'There are no models in the table.',
    head: ['MODEL', 'INPUT', 'CACHED', 'OUTPUT', 'CONTEXT', 'RETIRES'],
    row: ({ name, price, profile }) => [
      name,
      dollars(price?.price.input),
      dollars(price?.price.cached_input),
      dollars(price?.price.output),
      profile.context === undefined ? '' : String(profile.context),
      profile.retires ?? '',
    ],
  });
  if (json !== true)
    cli.terminal.say('Prices are US dollars per million tokens. `millrace models NAME` shows one model.');
}

interface NamedModel extends ModelsOptions {
  readonly name: string;
}

async function showModel(
  { terminal }: Cli,
  lookup: ModelLookup,
  { name, json, ...options }: NamedModel,
): Promise<void> {
  const asked = askedModel(name, options);
  const { profile, price } = describe(lookup, asked);
  const [{ describeAdditions }, { ratesOf }] = await Promise.all([
    import('@millrace/catalog'),
    import('@millrace/core'),
  ]);
  const added = describeAdditions(asked, profile);
  // What the price leaves out follows from what it says.
  const charged = price && ratesOf(price.price, asked.provider);
  if (json) {
    terminal.data(
      JSON.stringify(
        { name, provider: asked.provider, profile, price: price ?? null, charged: charged ?? null, added },
        null,
        2,
      ),
    );
    return;
  }
  if (!profile.known && price === undefined)
    terminal.say(`Nothing is known of "${name}", so requests contain only what every server takes.`);
  const { known: _known, ownHost: _own, aliases: _aliases, ...facts } = profile;
  const lines = {
    provider: asked.provider,
    ...facts,
    price: price === undefined ? 'unknown' : `${priceText(price.price)} (${price.rates})`,
    ...(charged && { 'a million tokens cost': priceText(charged) }),
    'a request adds': JSON.stringify(added),
  };
  for (const [field, value] of Object.entries(lines)) {
    if (value !== undefined && value !== null)
      terminal.data(`${field.padEnd(22)}${Array.isArray(value) ? value.join(', ') : String(value)}`);
  }
}

/** Returns a price in words: `input 2, output 10, long above 272000: input 4`. */
const priceText = (price: object): string =>
  Object.entries(price)
    .filter(([, value]) => value !== undefined)
    .map(([field, value]) =>
      typeof value === 'object' && value !== null ? `${field} (${priceText(value)})` : `${field} ${value}`,
    )
    .join(', ');

const describe = (lookup: ModelLookup, asked: AskedModel) => ({
  name: asked.model,
  profile: lookup.profile(asked),
  price: lookup.price(asked),
});

/** Returns the model as a node would ask it; DeepSeek and others have the API of OpenAI on hosts of their own. */
function askedModel(model: string, { provider, baseUrl }: ModelsOptions): AskedModel {
  const known = ['openai', 'anthropic', 'gemini'];
  if (provider !== undefined && !known.includes(provider))
    throw new CommandError(
      exitCodes.invalid,
      `There are no facts for the provider "${provider}". Name one of: ${known.join(', ')}.`,
    );
  const byName = model.startsWith('claude') ? 'anthropic' : model.startsWith('gemini') ? 'gemini' : 'openai';
  const own = model.startsWith('deepseek') ? 'https://api.deepseek.com/v1' : undefined;
  return { provider: provider ?? byName, model, baseUrl: baseUrl ?? own };
}

const dollars = (amount: number | undefined): string => (amount === undefined ? '' : String(amount));
