import { createServer } from 'node:http';
import { json } from 'node:stream/consumers';
import { listen } from './listen.ts';

/** A span as OTLP over HTTP carries it in JSON. */
export interface Span {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly attributes: Readonly<Record<string, unknown>>;
  /** The process that sent it. */
  readonly process: string;
}

interface Attribute {
  readonly key: string;
  readonly value: Readonly<Record<string, unknown>>;
}

interface Export {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: readonly Attribute[] };
    readonly scopeSpans: readonly {
      readonly spans: readonly (Omit<Span, 'attributes'> & { attributes: Attribute[] })[];
    }[];
  }[];
}

/** Takes traces in, as a collector does. */
export interface TraceCollector {
  /** For OTEL_EXPORTER_OTLP_ENDPOINT. */
  readonly url: string;
  readonly spans: readonly Span[];
  /** Resolves when the spans that have come satisfy a condition. */
  until(holds: (spans: readonly Span[]) => boolean): Promise<readonly Span[]>;
  close(): void;
}

/** Starts a collector on this machine. */
export async function startCollector(): Promise<TraceCollector> {
  const spans: Span[] = [];
  const looks = new Set<() => void>();
  const server = createServer(async (request, response) => {
    const { resourceSpans } = (await json(request)) as Export; // what the exporter sends
    for (const { resource, scopeSpans } of resourceSpans) {
      const process = String(valuesOf(resource.attributes)['service.name']);
      for (const { attributes, ...span } of scopeSpans.flatMap((scope) => scope.spans)) {
        spans.push({ ...span, attributes: valuesOf(attributes), process });
      }
    }
    response.setHeader('content-type', 'application/json').end('{}');
    for (const look of looks) look();
  });
  const port = await listen(server);
  return {
    url: `http://127.0.0.1:${port}`,
    spans,
    until: (holds) =>
      new Promise((resolve) => {
        const look = () => {
          if (!holds(spans)) return;
          looks.delete(look);
          resolve(spans);
        };
        looks.add(look);
        look();
      }),
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}

const valuesOf = (attributes: readonly Attribute[]): Record<string, unknown> =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]));
