import type { ModelChange } from '@millrace/client';
import type { Command } from 'commander';
import type { Session } from '../../client/session.ts';
import { withSession } from '../../client/session.ts';
import { CommandError, exitCodes } from '../../exit/exit.ts';
import { printList } from '../../output/print-list.ts';
import type { Cli } from '../../process/cli.ts';
import { loadModelList } from '../../workflow/load-model-list.ts';

interface UpdateFlags {
  readonly from: string;
  readonly yes?: boolean;
  readonly acceptDrops?: boolean;
  readonly json?: boolean;
}

/** `millrace models update`: updates the table of models of the installation. */
export function addModelsUpdate(models: Command, cli: Cli): void {
  models
    .command('update')
    .description('update prices, limits and capabilities of models for the whole installation')
    .option('--from <url|file>', 'list of models: the JSON of models.dev, or a file like MILLRACE_MODELS', publicList)
    .option('--yes', 'store the difference without a question')
    .option('--accept-drops', 'accept models that vanish, cost less than half or can do much less')
    .option('--json', 'print {changes, leftOut, stored}')
    .addHelpText('after', '\nExample:\n  millrace models update --yes')
    .action((_flags: UpdateFlags, command: Command) => update(cli, command.optsWithGlobals()));
}

const publicList = 'https://models.dev/api.json';

async function update(cli: Cli, { from, json, acceptDrops, ...flags }: UpdateFlags): Promise<void> {
  const { list, leftOut } = await loadModelList(cli, from);
  await withSession(cli, {}, async (session) => {
    const { models } = session.millrace;
    const changes = await models.update({ list, dryRun: true });
    if (json !== true) await show(cli, { changes, leftOut });
    // Drops that nobody accepts are refused by the installation, whatever the person would answer.
    const isRefused = acceptDrops !== true && changes.some(({ isDrop }) => isDrop);
    const isWanted =
      changes.length > 0 && (isRefused || flags.yes === true || (await confirm(session, changes.length)));
    if (isWanted) await models.update({ list, acceptDrops });
    if (json) cli.terminal.data(JSON.stringify({ changes, leftOut, stored: isWanted }, null, 2));
    else if (isWanted) cli.terminal.say('Stored. Workers and servers use it within a minute.');
  });
}

interface Difference {
  readonly changes: readonly ModelChange[];
  readonly leftOut: readonly string[];
}

async function show({ terminal }: Cli, { changes, leftOut }: Difference): Promise<void> {
  for (const line of leftOut) terminal.say(`! ${line}`, 'dim');
  await printList(terminal, changes, {
    json: false,
    empty: 'Nothing changes: the list says what is known.',
    head: ['MODEL', 'CHANGE', 'FIELDS'],
    row: ({ model, type, fields, isDrop }) => [
      model,
      `${type}${isDrop ? ' (drop)' : ''}`,
      fields.map(fieldText).join(', '),
    ],
  });
}

const fieldText = ({ field, before, after }: ModelChange['fields'][number]): string =>
  before === undefined ? `${field} ${after}` : `${field} ${before} → ${after ?? 'unknown'}`;

async function confirm({ cli }: Session, count: number): Promise<boolean> {
  const { terminal } = cli;
  if (!terminal.interactive) throw new CommandError(exitCodes.invalid, 'Nothing is stored. Confirm it with --yes.');
  const answer = await terminal.choose(`Store ${count} changed models for the whole installation?`, [
    { value: 'yes', hint: 'runs count with these prices from now on' },
    { value: 'no', hint: 'store nothing' },
  ]);
  if (answer === undefined) cli.exit = exitCodes.interrupted;
  return answer === 'yes';
}
