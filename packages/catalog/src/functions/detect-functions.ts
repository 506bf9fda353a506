import type { Variables } from '@millrace/core';
import { NodeError } from '@millrace/core';
import { z } from 'zod';

/** A decision as passed to detect functions. */
export interface DetectedOutput {
  readonly command: string;
  readonly command_args: Readonly<Record<string, unknown>>;
  readonly thought: string;
}

/** Context of a detect function: the names that templates know, and the progress of the controller. */
export interface DetectContext extends Variables {
  readonly round: number;
  /** The controller's node. */
  readonly source: string;
  /** The commands of earlier rounds, oldest first. */
  readonly commands: readonly string[];
  readonly memory: Readonly<Record<string, string>>;
}

const Detected = z.union([
  z.strictObject({
    exit: z.strictObject({ result: z.string(), summary: z.string().optional(), status: z.string().optional() }),
  }),
  z.strictObject({ branch: z.string(), args: z.record(z.string(), z.unknown()).default({}) }),
  z.strictObject({ observe: z.string() }),
]);
/** Effect of a decision: an end, a branch with its arguments, or a text that is the result of the round. */
export type DetectResult = z.input<typeof Detected>;

/** Decides the effect of a controller's decision. It must be pure: it may be called again after a crash. */
export type DetectFunction = (output: DetectedOutput, context: DetectContext) => DetectResult | Promise<DetectResult>;

/** Calls the detect function of that name. Throws a {@link NodeError} if it is unknown or throws. */
export async function runDetect(
  detects: ReadonlyMap<string, DetectFunction>,
  name: string,
  { output, context }: { readonly output: DetectedOutput; readonly context: DetectContext },
): Promise<z.output<typeof Detected> | undefined> {
  const detect = detects.get(name);
  if (detect === undefined)
    throw new NodeError('FUNCTION_MISSING', `This worker does not have the detect function "${name}".`);
  let made: unknown;
  try {
    made = await detect(output, context);
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new NodeError('DETECT_FAILED', `The detect function "${name}" failed: ${reason}`, { cause });
  }
  return Detected.safeParse(made).data;
}
