import { Readable } from 'node:stream';
import type { Context, ReadContext } from '@millrace/api';
import { handleOf, inspect, publishedNameIn, readDefinition, runOf, StartRun, WaitSeconds } from '@millrace/api';
import { messageWithAttachments, omitUndefined, RequestError } from '@millrace/core';
import type { PublishedWorkflow, TenantRuntime } from '@millrace/runtime';
import { LruMap } from '@millrace/runtime';
import { z } from 'zod';
import type { OfferedTool } from './tool.ts';
import { schemaOf } from './tool.ts';

/** Prefix of the names of workflow tools, because a workflow may have the name of another tool. */
const prefix = 'run_';
const pageSize = 50;
/** Texts that are read at a time: the reader lets few of a tenant wait, and refuses further ones. */
const atOnce = 5;

const Attachments = z
  .array(
    z
      .object({ name: z.string().min(1).max(200), text: z.string().optional(), base64: z.base64().optional() })
      .refine(({ text, base64 }) => (text === undefined) !== (base64 === undefined), 'give either text or base64'),
  )
  .max(20)
  .describe('Files for the run, each as text or in Base64.');

const Input = z.object({
  task: z.string().default('').describe('What is to be done.'),
  vars: z.record(z.string(), z.unknown()).optional().describe('Values for variables of the workflow.'),
  attachments: Attachments.optional(),
  waitSeconds: WaitSeconds,
});

/** Returns a page of the published workflows as tools, after `after`. */
export async function workflowTools(
  { tenant, reader }: ReadContext,
  after: string,
): Promise<{ readonly tools: readonly OfferedTool[]; readonly next?: string }> {
  const found = await tenant.workflows.list(after, pageSize + 1);
  const page = found.slice(0, pageSize);
  const toolOf = async ({ name, hash }: PublishedWorkflow): Promise<OfferedTool> => {
    // The description depends only on the text.
    const description = await described.of(hash, async () => {
      const { yaml } = await tenant.workflows.read(name, hash);
      return describe(yaml, { tenant, reader });
    });
    return { name: `${prefix}${name}`, ...description };
  };
  const offered = page.filter(({ archivedAt }) => archivedAt === undefined);
  const tools: OfferedTool[] = [];
  for (let from = 0; from < offered.length; from += atOnce) {
    for (const tool of await Promise.all(offered.slice(from, from + atOnce).map(toolOf))) tools.push(tool);
  }
  const last = page.at(-1);
  return { tools, ...(found.length > pageSize && last ? { next: last.name } : {}) };
}

type ToolDescription = Omit<OfferedTool, 'name'>;
const described = new LruMap<ToolDescription>({ forMs: 60 * 60 * 1000, limit: 500 });

async function describe(yaml: string, around: ReadContext): Promise<ToolDescription> {
  const { workflow, variables: names = [] } = await inspect({ yaml }, around);
  const graph = workflow?.graph;
  const sentences = [
    graph?.description ?? 'A workflow.',
    graph?.initialInstruction,
    'Starts a run of it, waits for a while, and returns its output, or a handle for get_run.',
  ];
  const schema = schemaOf(Input);
  const { vars, ...properties } = schema['properties'] as Record<string, object>; // those of Input
  const known = { ...vars, properties: Object.fromEntries(names.map((name) => [name, {}])) };
  return {
    description: sentences.filter((one) => one !== undefined).join('\n'),
    inputSchema: { ...schema, properties: names.length === 0 ? properties : { ...properties, vars: known } },
  };
}

/** Stores a file and returns its id. */
async function uploaded(
  tenantRuntime: TenantRuntime,
  { name, text, base64 }: z.infer<typeof Attachments>[number],
): Promise<string> {
  const bytes = text === undefined ? Buffer.from(base64 ?? '', 'base64') : Buffer.from(text);
  const pieces = Readable.from([bytes]);
  return (await tenantRuntime.files.add({ name, pieces })).id;
}

/** Starts a run of the workflow of a tool; undefined if the tool is not a workflow. Throws RequestError. */
export async function callWorkflow(
  context: Context,
  tool: string,
  given: unknown,
): Promise<Record<string, unknown> | undefined> {
  if (!tool.startsWith(prefix)) return undefined;
  const { task, vars, attachments = [], waitSeconds } = Input.parse(given ?? {});
  const request = StartRun.safeParse({ workflow: tool.slice(prefix.length), vars });
  if (!request.success)
    throw new RequestError('WORKFLOW_UNKNOWN', `There is no workflow ${tool.slice(prefix.length)}.`);
  const read = await readDefinition(request.data, context);
  const { tenant: tenantRuntime, trace } = context;
  const files = await tenantRuntime.files.attachments(
    await Promise.all(attachments.map((one) => uploaded(tenantRuntime, one))),
  );
  const name = publishedNameIn(request.data);
  const run = await tenantRuntime.start({
    ...read,
    startedBy: { type: 'mcp', of: tool },
    ...omitUndefined({ name, trace }),
    input: files.length === 0 ? task : [messageWithAttachments(task, files, 'TASK')],
  });
  return handleOf(runOf(await context.awaitRun(run, { until: 'idle', waitMs: waitSeconds * 1000 })));
}
