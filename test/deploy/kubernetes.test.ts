import { readdirSync, readFileSync } from 'node:fs';
import { createMetrics } from '@millrace/runtime';
import { beforeAll, describe, expect, it } from 'vitest';
import { parseConfig } from '../../packages/cli/src/config/parse-config.ts';
import { parseQuery, queriesIn } from './queries.ts';
import type { Container, Manifest } from './render.ts';
import { directory, render, workloadsIn } from './render.ts';
import { problemsOf } from './schemas.ts';

const overlays = ['production', 'development'] as const;
let rendered: ReadonlyMap<string, readonly Manifest[]>;
let all: readonly Manifest[];

beforeAll(async () => {
  rendered = new Map(
    await Promise.all(overlays.map(async (overlay) => [overlay, await render(`overlays/${overlay}`)] as const)),
  );
  all = [...rendered.values()].flat();
});

const nameOf = ({ kind, metadata }: Manifest): string => `${kind} ${metadata.name}`;
const fieldsOf = (manifest: Manifest, path: readonly string[]): unknown =>
  path.reduce<unknown>((value, key) => (value as Record<string, unknown> | undefined)?.[key], manifest);

/** The containers that run Millrace, with the settings that they get from the ConfigMap. */
function millraceIn(manifests: readonly Manifest[]) {
  return workloadsIn(manifests).flatMap(({ spec: { template } }) =>
    template.spec.containers
      .filter(({ args }) => ['serve', 'worker'].includes(args[0] ?? ''))
      .map((container) => ({ container, template, settings: settingsOf(container, manifests) })),
  );
}

function settingsOf({ envFrom = [] }: Container, manifests: readonly Manifest[]): Record<string, string> {
  const names = envFrom.flatMap(({ configMapRef }) => configMapRef?.name ?? []);
  const maps = manifests.filter(({ kind, metadata }) => kind === 'ConfigMap' && names.includes(metadata.name));
  return Object.assign({}, ...maps.map(({ data }) => data));
}

/** Keys of the secret for object storage. */
const storageKeys = { AWS_ACCESS_KEY_ID: 'key', AWS_SECRET_ACCESS_KEY: 'secret' };

describe('the manifests for Kubernetes', () => {
  it('use every component and queue in an overlay', () => {
    const used = overlays.map((name) => readFileSync(`${directory}overlays/${name}/kustomization.yaml`, 'utf8')).join();

    for (const folder of ['components', 'queues'])
      for (const name of readdirSync(`${directory}${folder}`)) expect(used).toContain(`../../${folder}/${name}`);
  });

  it('have only fields that the schemas of their kinds know, with values that fit', async () => {
    const problems = await Promise.all(
      all.map(async (manifest) => (await problemsOf(manifest)).map((problem) => `${nameOf(manifest)}: ${problem}`)),
    );

    expect(all.length).toBeGreaterThan(20);
    expect(problems.flat()).toEqual([]);
  });

  it('refuse a misspelt field', async () => {
    const [deployment] = workloadsIn(all);
    const misspelt = { ...deployment, spec: { ...deployment?.spec, replica: 2 } } as unknown as Manifest;

    expect(await problemsOf(misspelt)).toEqual(['unknown field spec.replica']);
  });

  it('confine every pod: no root, no token, no capabilities, and nothing is written but volumes', () => {
    for (const { spec } of workloadsIn(all)) {
      expect(spec.template.spec).toMatchObject({
        automountServiceAccountToken: false,
        securityContext: { runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } },
      });
      for (const { securityContext } of spec.template.spec.containers)
        expect(securityContext).toEqual({
          allowPrivilegeEscalation: false,
          readOnlyRootFilesystem: true,
          capabilities: { drop: ['ALL'] },
        });
    }
  });

  it('give every container probes, requests and a limit of memory', () => {
    for (const { spec } of workloadsIn(all))
      for (const container of spec.template.spec.containers) {
        expect(container).toMatchObject({
          startupProbe: expect.anything(),
          livenessProbe: expect.anything(),
          readinessProbe: expect.anything(),
          resources: { requests: { cpu: expect.any(String), memory: expect.any(String) } },
        });
        expect(Object.keys(container.resources.limits)).toEqual(['memory']);
      }
  });

  it('let pods stop for longer than Millrace needs', () => {
    const pods = millraceIn(all);

    expect(pods.length).toBe(5);
    for (const { template, settings } of pods) {
      const { stopGraceMs } = parseConfig({ ...settings, ...storageKeys });
      expect(template.spec.terminationGracePeriodSeconds).toBeGreaterThan(stopGraceMs / 1000 + 5);
    }
  });

  it('name only settings that exist, with values that Millrace accepts', () => {
    const known = readdirSync(new URL('../../packages/cli/src/config/', import.meta.url))
      .filter((name) => name.endsWith('.ts'))
      .map((name) => readFileSync(new URL(`../../packages/cli/src/config/${name}`, import.meta.url), 'utf8'))
      .flatMap((text) => [...text.matchAll(/^ {2}((?:MILLRACE|OTEL|REDIS)_\w+):/gm)].map(([, name]) => name));
    for (const { container, settings } of millraceIn(all)) {
      const names = [...Object.keys(settings), ...(container.env ?? []).map(({ name }) => name)];
      expect(names.filter((name) => !known.includes(name))).toEqual([]);
      expect(() => parseConfig({ ...settings, ...storageKeys })).not.toThrow();
    }
  });

  it('call commands and options that exist', () => {
    const commands = readFileSync(new URL('../../docs/reference/commands.md', import.meta.url), 'utf8');
    for (const { container } of millraceIn(all)) {
      const [command, ...options] = container.args;
      const help = commands.split(`\n### millrace ${command}\n`)[1]?.split('\n### ')[0] ?? '';
      const known = [...help.matchAll(/^ {2}(--[\w-]+)/gm)].map(([, option = '']) => option);
      expect(known).toEqual(expect.arrayContaining(options.filter((one) => one.startsWith('--'))));
    }
  });

  it('query with expressions that Prometheus can parse, and only metrics and labels that a process serves', async () => {
    const queries = queriesIn(all).map((query) => ({ query, ...parseQuery(query) }));
    const selectors = queries.flatMap((one) => one.selectors);
    const refuse = () => Promise.reject(new Error('Redis does not answer.'));
    const metrics = await createMetrics({
      gauges: refuse,
      queueAdmin: new Proxy({} as never, { get: () => refuse }),
    });
    const served = new Set([...(await metrics.text()).matchAll(/^# TYPE (\w+)/gm)].map(([, name = '']) => name));
    const parts = (name: string): string[] => [name, name.replace(/_(bucket|count|sum)$/, '')];
    const reference = readFileSync(new URL('../../docs/reference/metrics.md', import.meta.url), 'utf8');
    const labelsOf = (name: string): string =>
      parts(name)
        .flatMap((one) => reference.split(`\n### \`${one}\`\n`)[1]?.split('\n### ')[0] ?? [])
        .join();

    expect(queries.filter(({ problem }) => problem !== undefined)).toEqual([]);
    expect(new Set(selectors.map(({ metric }) => metric)).size).toBeGreaterThan(12);
    expect(selectors.filter(({ metric }) => !parts(metric).some((name) => served.has(name)))).toEqual([]);
    for (const { metric, labels } of selectors)
      expect(labels.filter((label) => !labelsOf(metric).includes(`\`${label}\``))).toEqual([]);
  });

  it.each([
    ['sum(rate(a_total[5m])', ''],
    ['sum by (a (b)', '(b)'],
    ['histogram_quantil(0.9, b)', '(0.9, b)'],
    ['a >', ''],
  ])('are refused with the query %s', (query, problem) => {
    expect(parseQuery(query).problem).toBe(problem);
  });

  it('give every alert a severity, a sentence and a line in the guide', () => {
    const guide = readFileSync(new URL('../../docs/guide/production.md', import.meta.url), 'utf8');
    const rules = all
      .filter(({ kind }) => kind === 'PrometheusRule')
      .flatMap((one) => fieldsOf(one, ['spec', 'groups']) as { rules: { alert: string }[] }[])
      .flatMap((group) => group.rules);

    expect(rules.length).toBeGreaterThan(8);
    expect(rules.map(({ alert }) => alert).filter((alert) => !guide.includes(`\`${alert}\``))).toEqual([]);
    for (const rule of rules)
      expect(rule).toMatchObject({
        for: expect.any(String),
        labels: { severity: expect.stringMatching(/^(critical|warning|info)$/) },
        annotations: { summary: expect.stringMatching(/\.$/) },
      });
  });

  it.each(overlays)('refer to objects and ports that the overlay %s has', (overlay) => {
    const manifests = rendered.get(overlay) ?? [];
    const workloads = workloadsIn(manifests);
    const labelled = (labels: Record<string, string>) =>
      workloads.filter(({ spec }) =>
        Object.entries(labels).every(([key, value]) => spec.template.metadata.labels[key] === value),
      );
    for (const { spec } of workloads) expect(labelled(spec.selector.matchLabels)).toHaveLength(1);
    for (const service of manifests.filter(({ kind }) => kind === 'Service')) {
      const chosen = labelled(fieldsOf(service, ['spec', 'selector']) as Record<string, string>);
      const ports = chosen.flatMap(({ spec }) => spec.template.spec.containers.flatMap(({ ports: own }) => own));
      expect(chosen).toHaveLength(1);
      for (const { targetPort } of fieldsOf(service, ['spec', 'ports']) as { targetPort: string }[])
        expect(ports.map(({ name }) => name)).toContain(targetPort);
    }
    const scaled = manifests.flatMap((one) => fieldsOf(one, ['spec', 'scaleTargetRef', 'name']) ?? []);
    expect(workloads.map(({ metadata }) => metadata.name)).toEqual(expect.arrayContaining(scaled));
  });
});
