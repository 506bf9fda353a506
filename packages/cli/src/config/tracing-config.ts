import { z } from 'zod';

const text = z.string().default('');

/** The standard variables that say whether there are traces; the exporter reads where they go to, and much else, itself. */
export const tracingVariables = {
  OTEL_EXPORTER_OTLP_ENDPOINT: text,
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: text,
  OTEL_SDK_DISABLED: text,
  OTEL_TRACES_EXPORTER: text,
  OTEL_SEMCONV_STABILITY_OPT_IN: text,
  OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT: text,
};

/** Contents of traces. */
export interface TracingConfig {
  /** Spans and attributes by the conventions for generative AI. */
  readonly genAi: boolean;
  /** Includes messages to and from models. */
  readonly content: boolean;
}

type Variables = { [Name in keyof typeof tracingVariables]: string };

/** Reads whether traces are sent. */
export function tracingIn(variables: Variables): { tracing?: TracingConfig } {
  const target = variables.OTEL_EXPORTER_OTLP_ENDPOINT || variables.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT;
  const isOff = variables.OTEL_SDK_DISABLED.toLowerCase() === 'true' || variables.OTEL_TRACES_EXPORTER === 'none';
  if (target === '' || isOff) return {};
  const optedIn = variables.OTEL_SEMCONV_STABILITY_OPT_IN.split(',').map((word) => word.trim());
  const content = variables.OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT.toLowerCase();
  return { tracing: { genAi: optedIn.includes('gen_ai_latest_experimental'), content: content === 'true' } };
}
