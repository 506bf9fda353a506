import type { Session } from '../client/session.ts';
import { withSession } from '../client/session.ts';
import { CommandError, exitCodes } from '../exit/exit.ts';
import { issueText } from '../output/issue-report.ts';
import type { Cli } from '../process/cli.ts';
import { readCompanion, readText } from '../workflow/load-workflow.ts';

/** Text of a file that is published under a name. */
export interface Publication {
  readonly file: string;
  readonly name: string;
  readonly note: string | undefined;
  readonly json: boolean;
}

/** Publishes the text of a file under a name; a text with errors is refused. */
export async function publishWorkflow(cli: Cli, { file, name, note, json }: Publication): Promise<void> {
  const text = readCompanion(file);
  await withSession(cli, {}, async (session) => {
    await assertSound(session, { file, text });
    const { warnings: _told, ...published } = await session.millrace.workflows.publish(name, text, { note });
    cli.terminal.data(json ? JSON.stringify(published, null, 2) : `${name}@${published.hash}`);
    cli.terminal.say(`Start it with: millrace run ${name}`);
  });
}

/** An API looks at what is published itself, with the functions that it has. */
async function assertSound({ cli, machine }: Session, source: { file: string; text: string }): Promise<void> {
  if (machine === undefined) return;
  const { vocabulary } = machine;
  const { workflow, issues } = await readText(source, { vocabulary, mode: 'check', environment: {} });
  for (const issue of issues) cli.terminal.say(issueText(issue));
  if (workflow !== undefined) return;
  throw new CommandError(exitCodes.invalid, `${source.file} has errors; nothing was published.`, { issues });
}
