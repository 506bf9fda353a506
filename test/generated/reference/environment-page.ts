import { createVocabulary } from '@millrace/catalog';
import { z } from 'zod';
import { variableGroups } from '../../../packages/cli/src/config/parse-config.ts';
import type { VariableDescription } from '../../../packages/cli/src/config/variable.ts';
import type { JsonSchema } from './schema-tables.ts';
import { pageOf } from './schema-tables.ts';

const introduction = `# Environment variables

Every environment variable that Millrace reads. A \`.env\` file in the working directory sets variables that the environment does not
set. An empty value is the same as none, unless its description says otherwise.

Every command checks all settings before it does anything else, and prints all problems at once with exit code 2, also those of
settings that it does not need. What a setting refers to, such as a file or a bucket, is checked when it is used first;
\`millrace doctor\` checks stores, functions and the sandbox at once.

*Workers* are \`worker\`, \`up\`, and commands that execute runs themselves, such as \`run\` and \`dev\`. *Servers* are \`serve\` and
\`up --port\`. *Processes with Redis* are all of these, and every command without \`MILLRACE_URL\`. Commands that read workflow files, such as \`check\`, also
read the functions and limits of workers.

Workflows read variables as well: \`\${NAME}\` in a workflow file stands for the variable \`NAME\` of the process that reads the file
([variables](../guide/command-line.md#input-variables-answers-and-scripts)), and in a secret field, such as \`api_key\`, for that of
the worker that makes the call.
`;

const readers = {
  'all commands': 'all commands',
  'commands over HTTP': 'commands with `MILLRACE_URL`',
  'processes with Redis': 'processes with Redis',
  workers: 'workers',
  servers: 'servers',
  both: 'workers and servers',
} as const satisfies Record<VariableDescription['readBy'], string>;

/** Variables that libraries, the platform and Docker Compose define; nothing checks them but their readers. */
const others = {
  'Keys of model providers': {
    text: 'Read by workers at each call, if the workflow names no key (`api_key`). The provider checks the key; without any, the call fails.',
    rows: {
      OPENAI_BASE_URL: ['address of the API, if the workflow names none (`base_url`)', 'that of OpenAI'],
      'OPENAI_ORG_ID`, `OPENAI_PROJECT_ID': ['organization and project of the calls of `openai`', 'those of the key'],
    },
  },
  'More variables of OpenTelemetry': {
    text: 'Read by the packages of OpenTelemetry in every process that sends [traces](../guide/observability.md#traces), with their own defaults and checks. Others of its [standard variables](https://opentelemetry.io/docs/specs/otel/configuration/sdk-environment-variables/) work as well.',
    rows: {
      OTEL_SERVICE_NAME: ['name of the process in traces', '`millrace`'],
      OTEL_RESOURCE_ATTRIBUTES: ['further attributes of the process, as in `deployment.environment=prod`', 'none'],
      OTEL_EXPORTER_OTLP_HEADERS: ['headers of requests to the collector, as in `api-key=…`', 'none'],
      'OTEL_TRACES_SAMPLER`, `OTEL_TRACES_SAMPLER_ARG': ['share of the runs that is traced', 'all'],
    },
  },
  'Terminal and system': {
    text: 'Read when a command needs them; values that make no sense are ignored.',
    rows: {
      'NO_COLOR`, `NODE_DISABLE_COLORS': ['no colours, with any value', 'colours in terminals that have them'],
      FORCE_COLOR: [
        'colours in terminals: `1`, `2`, `3`, or `0` for none',
        'as the terminal (`TERM`, `COLORTERM`) can',
      ],
      'DISPLAY`, `WAYLAND_DISPLAY': [
        '`open` shows a page only where one of them is set, on Linux',
        'It prints the address.',
      ],
      GITHUB_ACTIONS: ['`true`: the report of `test` is annotations of GitHub Actions, which sets it', 'none'],
      CI: ['with any value, `test` refuses `only` and `--update`; services for continuous integration set it', 'none'],
      GITHUB_WORKSPACE: [
        'folder that the paths of annotations (`check --format github`, `test`) are relative to; GitHub Actions sets it',
        'the working directory',
      ],
      PATH: [
        'folders in which programs are found: `redis-server`, `docker`, `python3`, `bwrap`, servers of tools; programs of workflows get it',
        '`/usr/local/bin:/usr/bin:/bin` for programs of workflows',
      ],
      'HOME`, `LANG': ['passed to programs of workflows; `~` of local data', '`/`, `C.UTF-8`'],
      NODE_EXTRA_CA_CERTS: [
        'file with further certificate authorities for TLS to Redis, S3 and models, read by Node.js',
        'none',
      ],
    },
  },
  'Set by Millrace': {
    text: 'Not to be set by people.',
    rows: {
      MILLRACE_PROGRAM: [
        'mark by which workers find the [processes of a program](../guide/python-nodes.md#confinement)',
        '',
      ],
    },
  },
  'Docker Compose': {
    text: 'Read by `docker compose` from the environment or `.env`, for `docker-compose.yml`. It also passes `MILLRACE_SECRET`, `OPENAI_API_KEY`, `MILLRACE_OUTBOUND_ALLOW` and `MILLRACE_SANDBOX` to the containers.',
    rows: {
      MILLRACE_IMAGE: ['image of server and workers', '`millrace`, built from the clone'],
      MILLRACE_NODE_IMAGE: ['base of that image', '`node:24-bookworm-slim`'],
      MILLRACE_REDIS_IMAGE: ['image of Redis', '`redis:7-alpine`'],
      MILLRACE_PORT: ['port of the HTTP API on this machine', '`4700`'],
      MILLRACE_REDIS_PORT: ['port of Redis on this machine', '`6379`'],
      MILLRACE_REDIS_PASSWORD: ['password of Redis, of letters and digits', 'required'],
    },
  },
} as const;

/** Returns the reference of environment variables. */
export function environmentPage(): string {
  const settings = Object.entries(variableGroups).flatMap(([title, variables]) => [
    `## ${title}`,
    '',
    ...Object.entries(variables).flatMap(([name, schema]) => settingLines(name, schema)),
  ]);
  const rest = Object.entries(others).flatMap(([title, { text, rows }]) => [
    `## ${title}`,
    '',
    text,
    '',
    '| Variable | Meaning | Default |',
    '|---|---|---|',
    ...(title === 'Keys of model providers' ? keyRows() : []),
    ...Object.entries(rows).map(([name, [meaning, otherwise]]) => `| \`${name}\` | ${meaning} | ${otherwise} |`),
    '',
  ]);
  return pageOf([introduction, ...settings, ...rest]);
}

/** Returns the rows of the variables in which each provider looks for its key. */
const keyRows = (): readonly string[] =>
  [...createVocabulary().providers.values()].flatMap(({ type, keyVariables = [] }) =>
    keyVariables.length === 0
      ? []
      : [`| ${keyVariables.map((name) => `\`${name}\``).join(', ')} | key of the provider \`${type}\` | none |`],
  );

function settingLines(name: string, schema: z.ZodType): readonly string[] {
  const meta = schema.meta() as (z.GlobalMeta & VariableDescription) | undefined;
  if (meta?.readBy === undefined) throw new Error(`${name} has no description.`);
  // Each schema is JSON, except for the values that it transforms, which its format describes.
  const shape = z.toJSONSchema(schema, { io: 'output', unrepresentable: 'any' }) as JsonSchema & Bounds;
  const otherwise = meta.otherwise ?? (shape.default === undefined ? '' : `\`${String(shape.default)}\``);
  if (otherwise === '') throw new Error(`${name} has no default.`);
  return [
    `### \`${name}\``,
    '',
    meta.description,
    '',
    `- Values: ${meta.format ?? valuesOf(shape)}`,
    `- Default: ${otherwise}`,
    `- Read by: ${readers[meta.readBy]}`,
    '',
  ];
}

interface Bounds {
  readonly minimum?: number;
  readonly maximum?: number;
}

/** Returns the values that a schema accepts, in words. */
function valuesOf({ type, enum: words, minimum, maximum }: JsonSchema & Bounds): string {
  if (words !== undefined) return words.map((word) => `\`${String(word)}\``).join(', ');
  if (type !== 'integer') return 'text';
  return `whole number from ${minimum} to ${maximum}`;
}
