import { parser } from '@prometheus-io/lezer-promql';
import type { Manifest } from './render.ts';

/** Series that a query selects. */
export interface Selector {
  readonly metric: string;
  /** Labels whose values it compares. */
  readonly labels: readonly string[];
}

/** A query that has been parsed. */
export interface ParsedQuery {
  /** Text from the first place at which it is no PromQL; undefined if it is. */
  readonly problem: string | undefined;
  readonly selectors: readonly Selector[];
}

/** Parses a query with the grammar of Prometheus. */
export function parseQuery(query: string): ParsedQuery {
  let problem: string | undefined;
  const selectors: { readonly metric: string; readonly labels: string[] }[] = [];
  parser.parse(query).iterate({
    enter({ type, from, to }) {
      const text = query.slice(from, to);
      if (type.isError) problem ??= query.slice(from);
      else if (type.name === 'Identifier') selectors.push({ metric: text, labels: [] });
      else if (type.name === 'UnquotedLabelMatcher') selectors.at(-1)?.labels.push(text.replace(/\s*[=!].*/s, ''));
    },
  });
  return { problem, selectors };
}

/** Returns the queries of alert rules, triggers of KEDA and dashboards of Grafana. */
export function queriesIn(manifests: readonly Manifest[]): readonly string[] {
  return manifests.flatMap((manifest) => {
    if (manifest.kind === 'PrometheusRule') return fieldsNamed('expr', manifest);
    if (manifest.kind === 'ScaledObject') return fieldsNamed('query', manifest);
    if (manifest.kind !== 'ConfigMap') return [];
    const files = Object.entries((manifest['data'] ?? {}) as Record<string, string>);
    return files.flatMap(([name, text]) => (name.endsWith('.json') ? fieldsNamed('expr', JSON.parse(text)) : []));
  });
}

function fieldsNamed(name: string, value: unknown): readonly string[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, field]) =>
    key === name && typeof field === 'string' ? [field] : fieldsNamed(name, field),
  );
}
