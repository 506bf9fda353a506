import { z } from 'zod';
import type { VariableDescription } from './variable.ts';

const text = (description: string, about: Pick<VariableDescription, 'format' | 'otherwise'>) =>
  z
    .string()
    .default('')
    .meta({ description, ...about, readBy: 'processes with Redis' });

/** Standard environment variables that enable traces; the exporter itself reads their destination and other settings. */
export const tracingVariables = {
  OTEL_EXPORTER_OTLP_ENDPOINT: text(
    'Collector that [traces](../guide/observability.md#traces) are sent to by OTLP over HTTP.',
    {
      format: '`http://` or `https://` address',
      otherwise: 'No traces are made, and OpenTelemetry is not loaded.',
    },
  ),
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: text('Address for traces, in place of `OTEL_EXPORTER_OTLP_ENDPOINT`.', {
    format: '`http://` or `https://` address with its path',
    otherwise: '`OTEL_EXPORTER_OTLP_ENDPOINT` with `/v1/traces`',
  }),
  OTEL_SDK_DISABLED: text('Turns traces off.', { format: '`true`', otherwise: 'on, if there is a collector' }),
  OTEL_TRACES_EXPORTER: text('`none` turns traces off.', { format: '`none` or `otlp`', otherwise: '`otlp`' }),
  OTEL_SEMCONV_STABILITY_OPT_IN: text(
    '`gen_ai_latest_experimental` names spans and attributes by the conventions for generative AI, which are not stable yet.',
    { format: 'words separated by commas', otherwise: 'names of Millrace' },
  ),
  OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT: text(
    'Adds the contents of messages to and from models and tools to those spans.',
    { format: '`true`', otherwise: 'Contents are not sent.' },
  ),
};

/** Contents of traces. */
export interface TracingConfig {
  /** Spans and attributes by the conventions for generative AI. */
  readonly genAi: boolean;
  /** Includes messages to and from models. */
  readonly content: boolean;
}

type Variables = { [Name in keyof typeof tracingVariables]: string };

/** Parses the settings of traces. */
export function tracingIn(variables: Variables): { tracing?: TracingConfig } {
  const target = variables.OTEL_EXPORTER_OTLP_ENDPOINT || variables.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT;
  const isOff = variables.OTEL_SDK_DISABLED.toLowerCase() === 'true' || variables.OTEL_TRACES_EXPORTER === 'none';
  if (target === '' || isOff) return {};
  const optedIn = variables.OTEL_SEMCONV_STABILITY_OPT_IN.split(',').map((word) => word.trim());
  const content = variables.OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT.toLowerCase();
  return { tracing: { genAi: optedIn.includes('gen_ai_latest_experimental'), content: content === 'true' } };
}
