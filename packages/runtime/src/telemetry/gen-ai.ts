import type { Attributes } from '@opentelemetry/api';
import type { StepBegun, StepEnd } from './instrumentation.ts';

/*
 * Names and attributes by OpenTelemetry's conventions for generative AI. They are in development and will change; only
 * this file knows them, except for those of runs and agents in tracing.ts.
 */

const toolStep = 'tool ';
/** Longer texts are cut. */
const contentLimit = 64_000;

/** Returns the name of a step: `chat MODEL`, `execute_tool TOOL`, or unchanged. */
export const genAiName = ({ name, model }: Pick<StepBegun, 'name' | 'model'>): string =>
  model === undefined && name.startsWith(toolStep) ? `execute_tool ${name.slice(toolStep.length)}` : name;

/** Returns the attributes that are known when a step begins, without contents. */
export function genAiAttributes({ name, model }: Pick<StepBegun, 'name' | 'model'>): Attributes {
  if (model !== undefined) {
    return {
      'gen_ai.operation.name': 'chat',
      'gen_ai.provider.name': model.provider,
      'gen_ai.request.model': model.name,
    };
  }
  if (!name.startsWith(toolStep)) return {};
  return { 'gen_ai.operation.name': 'execute_tool', 'gen_ai.tool.name': name.slice(toolStep.length) };
}

/** Returns the contents of a step, for installations that include them in traces. */
export function contentOfStep({ request, model, name }: StepBegun, { value }: StepEnd): Attributes {
  const isTool = model === undefined && name.startsWith(toolStep);
  if (model === undefined && !isTool) return {};
  const [asked, answered] = isTool
    ? ['gen_ai.tool.call.arguments', 'gen_ai.tool.call.result']
    : ['gen_ai.input.messages', 'gen_ai.output.messages'];
  const messages = model === undefined ? request : (request as { messages?: unknown }).messages; // as nodes ask models
  return { [asked]: textOf(messages), [answered]: textOf(value) };
}

const textOf = (value: unknown): string => (JSON.stringify(value) ?? '').slice(0, contentLimit);
