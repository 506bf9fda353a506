import { visibleText } from '@millrace/core/visible-text';
import type { Logger } from 'pino';
import type { Config } from '../config/settings.ts';
import type { Terminal } from './terminal/terminal.ts';

type LogConfig = Pick<Config, 'logLevel' | 'environment'>;

/** A log line as pino writes it. */
interface LogLine {
  readonly level: number;
  readonly msg: string;
  readonly err?: { readonly message?: string };
  readonly [fact: string]: unknown;
}

/**
 * Opens a log for the person in front of a command: sentences between its other lines, or JSON lines where the
 * environment names a level.
 */
export async function openForegroundLog(
  config: LogConfig,
  { level, terminal }: { readonly level: string; readonly terminal: Pick<Terminal, 'say'> },
): Promise<Logger> {
  if (config.logLevel !== undefined) return openLog(config, level);
  const { pino } = await import('pino');
  return pino(
    { level, hooks: { streamWrite: await lineFilter(config) } },
    { write: (line) => sayLine(terminal, JSON.parse(line)) },
  );
}

/**
 * Opens the log of a command that runs until it is stopped: sentences on a terminal, JSON lines elsewhere, with `json`, and where the
 * environment names a level.
 */
export async function openServiceLog(
  { terminal, config }: { readonly terminal: Terminal; config(): Promise<LogConfig> },
  { level, json = false }: ServiceLog,
): Promise<Logger> {
  const opened = await config();
  return json || terminal.liveArea === undefined
    ? openLog(opened, level)
    : openForegroundLog(opened, { level, terminal });
}

/** Options of the log of a command that runs until it is stopped. */
export interface ServiceLog {
  readonly level: string;
  /** Writes JSON lines also on a terminal. */
  readonly json?: boolean;
}

/** Fields that a person at the terminal does not need. */
const omittedFields: ReadonlySet<string> = new Set(['level', 'time', 'pid', 'hostname', 'tenant', 'run', 'activation']);

/** Level of warnings in the lines of pino. */
const warning = 40;

function sayLine(terminal: Pick<Terminal, 'say'>, line: LogLine): void {
  if (line.level < warning) terminal.say(`· ${sentenceOf(line)}`, 'dim');
  else terminal.say(`! ${sentenceOf(line)}`, 'yellow');
}

/** Returns a line such as `Writer: a model call failed and is retried (attempt 1, seconds 2, code MODEL_RATE_LIMITED)`. */
function sentenceOf({ msg, err, node, ...facts }: LogLine): string {
  const entries = Object.entries(facts).filter(([name]) => !omittedFields.has(name));
  const list = entries.map(([name, value]) => `${name} ${shown(value)}`);
  const reason = err?.message === undefined ? '' : `: ${err.message}`;
  const source = typeof node === 'string' ? `${node}: ` : '';
  return `${source}${msg}${list.length === 0 ? '' : ` (${list.join(', ')})`}${reason}`;
}

function shown(value: unknown): string {
  if (typeof value === 'number') return String(Math.round(value * 10) / 10);
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** Opens the log of this process: JSON lines on stderr, at the level of the environment, or else at the given one. */
export async function openLog(config: LogConfig, otherwise: string): Promise<Logger> {
  const { pino } = await import('pino');
  return pino(
    { level: config.logLevel ?? otherwise, hooks: { streamWrite: await lineFilter(config) } },
    pino.destination({ fd: 2, sync: true }),
  );
}

/** Hides credentials and escapes control characters in every line, including those that libraries log. */
async function lineFilter({ environment }: LogConfig): Promise<(line: string) => string> {
  const { createSecretMask, secretsIn } = await import('@millrace/runtime');
  const mask = createSecretMask(secretsIn(environment));
  return (line) => visibleText(withoutCredentials(mask.hide(line)));
}

/** Names of headers and parameters whose values are credentials. */
const names = String.raw`(?:proxy-)?authorization|(?:set-)?cookie|[\w-]*api[-_]?key|[\w-]*(?:token|secret|password)|webhook-signature`;
/** Pattern of a JSON string, one within a JSON string, or a list of them. */
const value = String.raw`(?:"(?:[^"\\]|\\.)*"|\\"(?:[^"\\]|\\[^"])*\\"|\[[^\]]*\])`;

const hidden = '[hidden]';

/** Patterns of credentials, and their replacements. */
const rules: readonly (readonly [RegExp, string])[] = [
  // {"authorization":"…"}, and the same within a text
  [new RegExp(String.raw`((\\?")(?:${names})\2\s*:\s*)${value}`, 'gi'), `$1$2${hidden}$2`],
  // ["Authorization","…"], the form of raw headers in Node
  [new RegExp(String.raw`("(?:${names})",)"(?:[^"\\]|\\.)*"`, 'gi'), `$1"${hidden}"`],
  // ?api_key=…
  [/([?&;](?:[\w-]*key|[\w-]*token|[\w-]*secret|password|code|signature)=)[^&\s"'\\#]+/gi, `$1${hidden}`],
  // https://ann:secret@example.com
  [/(\w:\/\/)[^\s/"'@\\]*@/g, `$1${hidden}@`],
  [/\b(Bearer|Basic|Token)(?:\s|%20)+(?=[\w.~+/=-]*\d|[\w.~+/=-]{20})[\w.~+/=-]{8,}/gi, `$1 ${hidden}`],
  // An API key of Millrace; its id stays visible.
  [/(mk_[a-z0-9-]{1,32}_[a-z0-9]{12}_)[0-9a-f]{16,}/g, `$1${hidden}`],
  // JSON web tokens, also after an escape such as %20
  [/(?<=^|[^\w-]|%[0-9a-f]{2})eyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]*/g, hidden],
];

/** Hides credentials anywhere in a line of JSON; the line stays valid JSON. */
export const withoutCredentials = (line: string): string =>
  rules.reduce((rest, [pattern, instead]) => rest.replace(pattern, instead), line);
