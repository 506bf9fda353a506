import type { Finding } from '@millrace/runtime';
import type { Command } from 'commander';
import { provideRedisOfMachine } from '../../client/find-redis.ts';
import { assertLocal } from '../../client/session.ts';
import { exitCodes } from '../../exit/exit.ts';
import { findingText } from '../../output/finding-text.ts';
import type { Cli } from '../../process/cli.ts';
import { withVocabulary } from '../../workflow/open-vocabulary.ts';

interface DoctorOptions {
  readonly models?: boolean;
  readonly ask?: boolean;
  readonly json?: boolean;
}

/** `millrace doctor`: checks this machine, its Redis and the durability of runs. */
export function addDoctor(program: Command, cli: Cli): void {
  program
    .command('doctor')
    .description('check Redis, Node.js, Python, the sandbox and the stores of files, and report what can be lost')
    .addHelpText('after', '\nExample:\n  millrace doctor')
    .option('--models', 'report only what is known of the models that workflows, schedules and unfinished runs name')
    .option('--ask', 'the same, and ask each provider whose key is set a small question and for its list of models')
    .option('--json', 'print the findings as a JSON array')
    .action((options: DoctorOptions) => examine(cli, options));
}

async function examine(cli: Cli, { models, ask = false, json }: DoctorOptions): Promise<void> {
  await assertLocal(cli, 'doctor');
  const findings = models || ask ? await modelFindings(cli, ask) : await allFindings(cli);
  if (json) cli.terminal.data(JSON.stringify(findings, null, 2));
  else for (const finding of findings) cli.terminal.report(findingText(finding, cli.terminal.columns));
  if (findings.some(({ level }) => level === 'bad')) cli.exit = exitCodes.failed;
}

async function modelFindings(cli: Cli, ask: boolean): Promise<readonly Finding[]> {
  const { diagnoseModels } = await import('./doctor-models.ts');
  const findings = await diagnoseModels(cli, { ask });
  if (findings.length === 0) cli.terminal.say('No workflow, schedule or unfinished run names a model.');
  return findings;
}

const allFindings = async (cli: Cli): Promise<readonly Finding[]> => [
  node(),
  ...(await redis(cli)),
  ...(await storage(cli)),
  ...(await machine(cli)),
  await vocabulary(cli),
];

const leastNode = [20, 20] as const;

function node(): Finding {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  const isOld = major < leastNode[0] || (major === leastNode[0] && minor < leastNode[1]);
  return {
    level: isOld ? 'bad' : 'good',
    subject: 'Node.js',
    message: process.versions.node,
    ...(isOld ? { cure: `Install ${leastNode.join('.')} or later.` } : {}),
  };
}

async function redis(cli: Cli): Promise<readonly Finding[]> {
  const { diagnoseQueues, diagnoseRedis } = await import('@millrace/runtime');
  const { prefix } = await cli.config();
  try {
    const provided = await provideRedisOfMachine(cli);
    const tag = prefix === undefined ? undefined : `{${prefix}}`;
    const findings = await diagnoseRedis(provided.url, tag);
    const broken = findings.some(({ level }) => level === 'bad');
    const queues = broken ? [] : await diagnoseQueues(provided.url, tag);
    await provided.release();
    return [...findings, ...queues];
  } catch (error) {
    return [{ level: 'bad', subject: 'Redis', message: reasonOf(error) }];
  }
}

async function storage(cli: Cli): Promise<readonly Finding[]> {
  const { diagnoseStorage } = await import('@millrace/runtime');
  return diagnoseStorage(await cli.config());
}

async function machine(cli: Cli): Promise<readonly Finding[]> {
  const { diagnoseMachine } = await import('@millrace/worker');
  return diagnoseMachine((await cli.config()).sandbox);
}

/** Loads the extensions of the installation as a worker does. */
async function vocabulary(cli: Cli): Promise<Finding> {
  const subject = 'functions';
  try {
    const tools = await withVocabulary(cli, async ({ tools: all }) => all.size);
    return { level: 'good', subject, message: `extensions load; ${tools} tools` };
  } catch (error) {
    return { level: 'bad', subject, message: reasonOf(error) };
  }
}

const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
