import { createHash } from 'node:crypto';
import type { RunId } from '@millrace/core';
import { loadOptional, tenantOf } from '@millrace/core';
import type { Attributes, Context, Span, SpanContext, SpanOptions } from '@opentelemetry/api';
import type { IdGenerator } from '@opentelemetry/sdk-trace-base';
import type { AppliedCommit, Attempt, Instrumentation, StepBegun, StepEnd } from './instrumentation.ts';

/** Settings of traces. Their destination and sampling are read from the standard variables OTEL_… */
export interface TracingOptions {
  /** Name of this process unless OTEL_SERVICE_NAME is set. */
  readonly service: string;
  /** Names and attributes of spans by the conventions for generative AI, which are still in development. */
  readonly genAi: boolean;
  /** Includes messages to and from models in attributes. */
  readonly content: boolean;
}

/** An HTTP request in progress. */
export interface TracedRequest {
  /** W3C `traceparent` of its span, for the runs that it starts. */
  readonly traceparent: string;
  end(status: number): void;
}

/** The traces of a process. */
export interface Tracing {
  readonly instrumentation: Instrumentation;
  request(asked: {
    readonly method: string;
    readonly route: string;
    readonly traceparent?: string | undefined;
  }): TracedRequest;
  /** Sends the remaining spans. */
  close(): Promise<void>;
}

const openTelemetry = {
  neededBy: 'Tracing (OTEL_EXPORTER_OTLP_ENDPOINT)',
  install: [
    '@opentelemetry/api@1.9',
    '@opentelemetry/sdk-trace-base@2',
    '@opentelemetry/exporter-trace-otlp-http@0.223',
    '@opentelemetry/resources@2',
  ],
};

/**
 * Creates traces, one for each run, whichever processes execute it: its id is that of the caller that started the run,
 * or else derived from the run's own. The span of the run, which is sent by the process that commits its end, has a
 * derived id as well, so that the spans of its activations are below it from the start. Loads OpenTelemetry.
 */
export async function createTracing({ service, genAi, content }: TracingOptions): Promise<Tracing> {
  const [api, base, { OTLPTraceExporter }, { detectResources, envDetector, resourceFromAttributes }] =
    await loadOptional(openTelemetry, () =>
      Promise.all([
        import('@opentelemetry/api'),
        import('@opentelemetry/sdk-trace-base'),
        import('@opentelemetry/exporter-trace-otlp-http'),
        import('@opentelemetry/resources'),
      ]),
    );
  const ids = new RunIds(new base.RandomIdGenerator());
  const provider = new base.BasicTracerProvider({
    idGenerator: ids,
    resource: resourceFromAttributes({ 'service.name': service }).merge(detectResources({ detectors: [envDetector] })),
    spanProcessors: [new base.BatchSpanProcessor(new OTLPTraceExporter())],
  });
  const tracer = provider.getTracer('millrace');
  const below = (parent: SpanContext): Context => api.trace.setSpanContext(api.ROOT_CONTEXT, parent);
  const begin: StartSpan = (name, options, parent) =>
    tracer.startSpan(name, options, parent === undefined ? api.ROOT_CONTEXT : below(parent));
  const failed = (span: Span, code: string) => span.setStatus({ code: api.SpanStatusCode.ERROR, message: code });
  const spans: SpanFactory = { begin, failed, ids, kinds: api.SpanKind, genAi, content };
  return {
    instrumentation: {
      committed: (commit) => runsTraced(spans, commit),
      attempt: (attempt) => attemptTraced(spans, attempt),
      step: (step) => stepTraced(spans, step),
      mark: ({ run, trace }) => ({ trace_id: parsed(trace)?.traceId ?? traceIdOf(run) }),
    },
    request({ method, route, traceparent }) {
      const attributes = { 'http.request.method': method, 'http.route': route };
      const span = begin(`${method} ${route}`, { kind: api.SpanKind.SERVER, attributes }, parsed(traceparent));
      return {
        traceparent: written(span.spanContext()),
        end(status) {
          span.setAttribute('http.response.status_code', status);
          if (status >= 500) failed(span, String(status));
          span.end();
        },
      };
    },
    close: () => provider.shutdown(),
  };
}

type StartSpan = (name: string, options: SpanOptions, parent?: SpanContext) => Span;

interface SpanFactory {
  readonly begin: StartSpan;
  readonly failed: (span: Span, code: string) => void;
  readonly ids: RunIds;
  readonly kinds: typeof import('@opentelemetry/api').SpanKind;
  readonly genAi: boolean;
  readonly content: boolean;
}

/** Returns the context of the span of a run, sent or not. */
function spanContextOf({ run, segment, trace }: Pick<Attempt, 'run' | 'segment' | 'trace'>): SpanContext {
  const parent = parsed(trace);
  return {
    traceId: parent?.traceId ?? traceIdOf(run),
    spanId: runSpanId(run, segment),
    traceFlags: parent?.traceFlags ?? 1,
    isRemote: true,
  };
}

function runsTraced({ begin, failed, ids, genAi }: SpanFactory, { run, events, state }: AppliedCommit): void {
  const finished = events.find(({ type }) => type === 'run.finished');
  const record = state.get('run');
  if (finished?.type !== 'run.finished' || record === undefined) return;
  const origin = state.get('origin');
  const place = { run, segment: record.segment, trace: origin?.trace };
  const { workflow = '' } = origin ?? {};
  const attributes = {
    ...idsOf(run),
    'millrace.workflow': workflow,
    'millrace.status': finished.status,
    ...(genAi ? { 'gen_ai.operation.name': 'invoke_workflow', 'gen_ai.workflow.name': workflow } : {}),
  };
  const options = { startTime: record.startedAt, attributes };
  const name = `${genAi ? 'invoke_workflow' : 'run'} ${workflow}`;
  const span = ids.as(spanContextOf(place), () => begin(name, options, parsed(place.trace)));
  if (finished.status === 'failed') failed(span, finished.error?.code ?? 'failed');
  span.end(record.finishedAt);
}

const open = new WeakMap<Attempt, Span>();

function attemptTraced({ begin, failed, genAi }: SpanFactory, attempt: Attempt) {
  const { run, activation, node, type = 'votes' } = attempt;
  const isAgent = genAi && type === 'agent';
  const span = begin(
    isAgent ? `invoke_agent ${node}` : `${type} ${node}`,
    {
      attributes: {
        ...idsOf(run),
        'millrace.activation': activation,
        'millrace.node': node,
        'millrace.node.type': type,
        ...(isAgent ? { 'gen_ai.operation.name': 'invoke_agent', 'gen_ai.agent.name': node } : {}),
      },
    },
    spanContextOf(attempt),
  );
  open.set(attempt, span);
  return (end: Parameters<ReturnType<Required<Instrumentation>['attempt']>>[0]) => {
    span.setAttribute('millrace.outcome', end.outcome);
    if (end.outcome === 'failed') failed(span, end.code);
    span.end();
  };
}

function stepTraced({ begin, failed, kinds, genAi, content }: SpanFactory, step: StepBegun) {
  const { name, model, attempt } = step;
  const span = begin(
    genAi ? genAiName(step) : name,
    {
      kind: model === undefined ? kinds.INTERNAL : kinds.CLIENT,
      attributes: { ...idsOf(attempt.run), 'millrace.step': name, ...(genAi ? genAiAttributes(step) : {}) },
    },
    open.get(attempt)?.spanContext() ?? spanContextOf(attempt),
  );
  return (end: Parameters<ReturnType<Required<Instrumentation>['step']>>[0]) => {
    if (genAi && end.usage !== undefined) {
      span.setAttribute('gen_ai.usage.input_tokens', end.usage.promptTokens);
      span.setAttribute('gen_ai.usage.output_tokens', end.usage.completionTokens);
    }
    if (genAi && content) span.setAttributes(contentOfStep(step, end));
    if (end.outcome === 'failed') failed(span, 'failed');
    span.end();
  };
}

const idsOf = (run: RunId) => ({ 'millrace.run': run, 'millrace.tenant': tenantOf(run) });

/** Parses a W3C `traceparent`. */
function parsed(traceparent: string | undefined): SpanContext | undefined {
  const [, traceId, spanId, flags] = /^\w\w-(\w{32})-(\w{16})-(\w\w)$/.exec(traceparent ?? '') ?? [];
  if (traceId === undefined || spanId === undefined || flags === undefined) return undefined;
  return { traceId, spanId, traceFlags: Number.parseInt(flags, 16), isRemote: true };
}

const written = ({ traceId, spanId, traceFlags }: SpanContext): string =>
  `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, '0')}`;

/*
 * Names and attributes by OpenTelemetry's conventions for generative AI. They are in development and will change; only
 * this file knows them, except for those of runs and agents in tracing.ts.
 */

const toolStep = 'tool ';
/** Longer texts are cut. */
const contentLimit = 64_000;

/** Returns the name of a step: `chat MODEL`, `execute_tool TOOL`, or unchanged. */
const genAiName = ({ name, model }: Pick<StepBegun, 'name' | 'model'>): string =>
  model === undefined && name.startsWith(toolStep) ? `execute_tool ${name.slice(toolStep.length)}` : name;

/** Returns the attributes that are known when a step begins, without contents. */
function genAiAttributes({ name, model }: Pick<StepBegun, 'name' | 'model'>): Attributes {
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
function contentOfStep({ request, model, name }: StepBegun, { value }: StepEnd): Attributes {
  const isTool = model === undefined && name.startsWith(toolStep);
  if (model === undefined && !isTool) return {};
  const [asked, answered] = isTool
    ? ['gen_ai.tool.call.arguments', 'gen_ai.tool.call.result']
    : ['gen_ai.input.messages', 'gen_ai.output.messages'];
  const messages = model === undefined ? request : (request as { messages?: unknown }).messages; // as nodes ask models
  return { [asked]: textOf(messages), [answered]: textOf(value) };
}

const textOf = (value: unknown): string => (JSON.stringify(value) ?? '').slice(0, contentLimit);

const digest = (text: string): string => createHash('sha256').update(text).digest('hex');

/** Returns the trace id of a run that was started without one: the same in all processes. */
const traceIdOf = (run: RunId): string => digest(`trace/${run}`).slice(0, 32);

/** Returns the span id of one segment of a run, known before the span is sent. */
const runSpanId = (run: RunId, segment: number): string => digest(`run/${run}/${segment}`).slice(0, 16);

/** Generates random ids of spans, except for given ones. */
class RunIds implements IdGenerator {
  readonly #random: IdGenerator;
  #given: { readonly traceId: string; readonly spanId: string } | undefined;

  constructor(random: IdGenerator) {
    this.#random = random;
  }

  /** Makes one span with these ids. */
  as<T>(given: { readonly traceId: string; readonly spanId: string }, make: () => T): T {
    this.#given = given;
    try {
      return make();
    } finally {
      this.#given = undefined;
    }
  }

  generateTraceId(): string {
    return this.#given?.traceId ?? this.#random.generateTraceId();
  }

  generateSpanId(): string {
    return this.#given?.spanId ?? this.#random.generateSpanId();
  }
}
