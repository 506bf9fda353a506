import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Model } from '@millrace/client';
import type { AskedModel, ModelLookup, Vocabulary } from '@millrace/core';
import type { Command } from 'commander';
import { withMachine, withSession } from '../../client/session.ts';
import type { Config } from '../../config/settings.ts';
import { CommandError, exitCodes } from '../../exit/exit.ts';
import { printList } from '../../output/print-list.ts';
import { wrapped } from '../../output/terminal/wrapped.ts';
import type { Cli } from '../../process/cli.ts';
import { withVocabulary } from '../../workflow/open-vocabulary.ts';
import { addModelsUpdate } from './models-update.ts';

interface ModelsOptions {
  readonly provider?: string;
  readonly baseUrl?: string;
  readonly json?: boolean;
}

/** `millrace models`: shows what is known of models. */
export function addModels(program: Command, cli: Cli): void {
  const models = program
    .command('models')
    .description('show what is known of models: prices, limits, retirements, and what a request contains')
    .argument('[name]', 'name of a model; all models if omitted')
    .option('--provider <name>', 'provider of the node (default: by the name of the model)')
    .option('--base-url <url>', 'address of the server, if it is not the own one of the vendor')
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExample:\n  millrace models gpt-6-sol')
    .action((name: string | undefined, options: ModelsOptions) => showModels(cli, name, options));
  addModelsUpdate(models, cli);
}

async function showModels(cli: Cli, name: string | undefined, options: ModelsOptions): Promise<void> {
  const show = async (vocabulary: Vocabulary) => {
    const lookup = vocabulary.models();
    if (name !== undefined) return showModel(cli, lookup, { name, ...options });
    const { modelRows } = await import('@millrace/api');
    return listModels(cli, modelRows(lookup), options);
  };
  const config = await cli.config();
  if (config.api !== undefined) await showOfServer(cli, name, options);
  else if (hasInstallation(config))
    await withMachine(cli, { command: 'models' }, ({ machine }) => show(machine.vocabulary));
  else await withVocabulary(cli, show);
}

/** Returns whether there is a Redis that could have an updated table: the shipped one can be shown without Redis. */
const hasInstallation = ({ redisUrl, directory }: Config): boolean =>
  redisUrl !== undefined || existsSync(join(directory, 'redis', 'redis.conf'));

/** Shows what a server knows; it alone knows what its requests contain. */
const showOfServer = (cli: Cli, name: string | undefined, options: ModelsOptions): Promise<void> =>
  withSession(cli, {}, async ({ millrace }) => {
    const rows = await millrace.models.list();
    if (name === undefined) return listModels(cli, rows, options);
    const row = rows.find((one) => one.name === name);
    if (row === undefined) throw new CommandError(exitCodes.notFound, `The server knows no model "${name}".`);
    if (options.json) return cli.terminal.data(JSON.stringify(row, null, 2));
    const { price, rates, ...facts } = row;
    printFacts(cli, {
      ...facts,
      price: price === undefined ? 'unknown' : `${priceText(price)} (${rates})`,
    });
  });

async function listModels(cli: Cli, models: readonly Model[], { json }: ModelsOptions): Promise<void> {
  await printList(cli.terminal, models, {
    json,
    empty: 'There are no models in the table.',
    head: ['MODEL', 'INPUT', 'CACHED', 'OUTPUT', 'CONTEXT', 'RETIRES'],
    fit: { shrink: {}, optional: ['CACHED', 'CONTEXT', 'RETIRES'] },
    row: ({ name, price, context, retires }) => [
      name,
      dollars(price?.input),
      dollars(price?.cached_input),
      dollars(price?.output),
      context === undefined ? '' : String(context),
      retires ?? '',
    ],
  });
  if (json !== true)
    cli.terminal.say('Prices are US dollars per million tokens. `millrace models NAME` shows one model.');
}

interface NamedModel extends ModelsOptions {
  readonly name: string;
}

async function showModel(cli: Cli, lookup: ModelLookup, { name, json, ...options }: NamedModel): Promise<void> {
  const { terminal } = cli;
  const asked = await askedModel(name, options);
  const profile = lookup.profile(asked);
  const price = lookup.price(asked);
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
  printFacts(cli, {
    provider: asked.provider,
    ...facts,
    price: price === undefined ? 'unknown' : `${priceText(price.price)} (${price.rates})`,
    ...(charged && { 'a million tokens cost': priceText(charged) }),
    'a request adds': JSON.stringify(added),
  });
}

/** Characters before the values. */
const lead = 22;

function printFacts({ terminal }: Cli, facts: object): void {
  for (const [field, value] of Object.entries(facts)) {
    if (value === undefined || value === null) continue;
    const line = `${field.padEnd(lead)}${Array.isArray(value) ? value.join(', ') : String(value)}`;
    terminal.data(wrapped(line, terminal.columns ?? Number.POSITIVE_INFINITY, ' '.repeat(lead)));
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

/** Returns the model as a node would ask it; DeepSeek and others have the API of OpenAI on hosts of their own. */
async function askedModel(model: string, { provider, baseUrl }: ModelsOptions): Promise<AskedModel> {
  const known = ['openai', 'anthropic', 'gemini'];
  if (provider !== undefined && !known.includes(provider))
    throw new CommandError(
      exitCodes.invalid,
      `There are no facts for the provider "${provider}". Name one of: ${known.join(', ')}.`,
    );
  const { onOwnHost } = await import('@millrace/core');
  const own = onOwnHost(model);
  return { model, provider: provider ?? own.provider, baseUrl: baseUrl ?? own.baseUrl };
}

const dollars = (amount: number | undefined): string => (amount === undefined ? '' : String(amount));
