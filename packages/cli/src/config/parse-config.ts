import { omitUndefined } from '@millrace/core/omit-undefined';
import { z } from 'zod';
import { CommandError, exitCodes } from '../exit/exit.ts';
import { apiIn, commandVariables, redisIn, redisVariables } from './connection-config.ts';
import { dataDirectory } from './data-directory.ts';
import { httpLimitsIn, httpVariables } from './http-config.ts';
import type { Config } from './settings.ts';
import { keptIn, s3Variables, storageIn, storageVariables } from './storage-config.ts';
import type { TokenConfig } from './token-config.ts';
import { readTokenConfig, tokenVariables } from './token-config.ts';
import { tracingIn, tracingVariables } from './tracing-config.ts';
import { runLimitsIn, runLimitVariables, workerVariables, workIn } from './worker-config.ts';

/** Schemas of all settings by subject. */
export const variableGroups = {
  Redis: redisVariables,
  Commands: commandVariables,
  Storage: storageVariables,
  S3: s3Variables,
  Workers: workerVariables,
  'Limits of a run': runLimitVariables,
  Servers: httpVariables,
  'Tokens of an identity provider': tokenVariables,
  Traces: tracingVariables,
};

const Environment = z.object({
  ...redisVariables,
  ...commandVariables,
  ...storageVariables,
  ...s3Variables,
  ...workerVariables,
  ...runLimitVariables,
  ...httpVariables,
  ...tokenVariables,
  ...tracingVariables,
});

/** Parses the settings from environment variables; reports all problems together. */
export function parseConfig(variables: Readonly<Record<string, string | undefined>>): Config {
  // To compile a parser takes longer than to parse once without it.
  const parsed = Environment.safeParse(variables, { jitless: true });
  if (!parsed.success) {
    throw unusable(parsed.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`));
  }
  const { data } = parsed;
  return {
    ...apiIn(data),
    ...redisIn(data),
    ...stored(data),
    ...keptIn(data),
    ...dataDirectory(data),
    ...workIn(data),
    ...runLimitsIn(data),
    ...tokensIn(data),
    ...tracingIn(data),
    ...omitUndefined({
      logLevel: data.MILLRACE_LOG_LEVEL,
      journalWindow: data.MILLRACE_JOURNAL_WINDOW,
      secret: data.MILLRACE_SECRET,
      webhookRestMs: data.MILLRACE_WEBHOOK_REST_MS,
    }),
    stopGraceMs: data.MILLRACE_STOP_GRACE,
    httpLimits: httpLimitsIn(data),
    environment: Object.fromEntries(
      Object.entries(variables).filter((entry): entry is [string, string] => entry[1] !== undefined),
    ),
  };
}

function stored(variables: z.output<typeof Environment>): Pick<Config, 'blobs' | 'archive'> {
  const found = storageIn(variables);
  if ('length' in found) throw unusable(found);
  return found;
}

function tokensIn(variables: z.infer<typeof Environment>): { tokens?: TokenConfig } {
  const tokens = readTokenConfig(variables);
  if (typeof tokens === 'string') throw unusable([tokens]);
  return tokens === undefined ? {} : { tokens };
}

const unusable = (problems: readonly string[]): CommandError =>
  new CommandError(
    exitCodes.invalid,
    ['The environment is not usable:', ...problems.map((one) => `  ${one}`)].join('\n'),
  );
