import type { JsonSchema, ToolDefinition } from '@millrace/core';
import { defineTool } from '@millrace/core';

/*
 * Functions that workflows of the original engine name and that need programs or services which are not part of Millrace.
 * Such workflows can be read and run; a call of one of these functions fails with this reason, and an installation can
 * register a function of the same name to replace it.
 */

const text = { type: 'string' } as const;
const texts = { type: 'array', items: text } as const;

const object = (properties: JsonSchema, required: readonly string[]): JsonSchema => ({
  type: 'object',
  properties,
  required,
});

interface UnavailableFunction {
  readonly name: string;
  readonly module: string;
  readonly description: string;
  readonly parameters: JsonSchema;
  /** Program or service that the function needs. */
  readonly needs: string;
}

const missing: readonly UnavailableFunction[] = [
  {
    name: 'install_python_packages',
    module: 'uv_related',
    description: 'Install Python packages into the workspace.',
    parameters: object({ packages: texts, upgrade: { type: 'boolean', default: false } }, ['packages']),
    needs: 'installing Python packages',
  },
  {
    name: 'init_python_env',
    module: 'uv_related',
    description: 'Create a Python environment in the workspace.',
    parameters: object({ python_version: text }, []),
    needs: 'making Python environments',
  },
  {
    name: 'uv_run',
    module: 'uv_related',
    description: 'Run a Python module or script in the workspace.',
    parameters: object(
      { module: text, script: text, args: texts, env: { type: 'object' }, timeout_seconds: { type: 'number' } },
      [],
    ),
    needs: 'running programs',
  },
  {
    name: 'web_search',
    module: 'web',
    description: 'Search the web.',
    parameters: object(
      {
        query: text,
        page: { type: 'integer', default: 1 },
        language: { ...text, default: 'en' },
        country: { ...text, default: 'us' },
      },
      ['query'],
    ),
    needs: 'a search service',
  },
  {
    name: 'render_manim',
    module: 'video',
    description: 'Render a Manim script.',
    parameters: object(
      { script_path: text, quality: { ...text, default: 'h' }, preview: { type: 'boolean', default: true } },
      ['script_path'],
    ),
    needs: 'Manim',
  },
  {
    name: 'concat_videos',
    module: 'video',
    description: 'Join videos into one.',
    parameters: object({ video_paths: texts }, ['video_paths']),
    needs: 'FFmpeg',
  },
  {
    name: 'report_export_pdf',
    module: 'deep_research',
    description: 'Export the report as PDF.',
    parameters: object({}, []),
    needs: 'a PDF writer; the report is at deep_research/report.md, as Markdown',
  },
];

/** Functions that can be named and that fail when they are called, with what they need. */
export const unavailableTools: readonly ToolDefinition[] = missing.map(({ needs, ...facts }) =>
  defineTool({
    ...facts,
    unavailable: needs,
    execute() {
      throw new Error(`this installation does not have it: it needs ${needs}`);
    },
  }),
);
