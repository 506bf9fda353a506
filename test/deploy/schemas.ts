import type { Manifest } from './render.ts';

/** Class of kubernetes-models for one kind: it checks the types of fields and that required ones are there. */
type Kind = new (manifest: unknown) => { validate(): void };

/** Modules with the kinds of an API, by its version. */
const modules: Readonly<Record<string, () => Promise<object>>> = {
  v1: () => import('kubernetes-models/v1'),
  'apps/v1': () => import('kubernetes-models/apps/v1'),
  'autoscaling/v2': () => import('kubernetes-models/autoscaling/v2'),
  'networking.k8s.io/v1': () => import('kubernetes-models/networking.k8s.io/v1'),
  'policy/v1': () => import('kubernetes-models/policy/v1'),
  'keda.sh/v1alpha1': () => import('@kubernetes-models/keda/keda.sh/v1alpha1'),
  'monitoring.coreos.com/v1': () => import('@kubernetes-models/prometheus-operator/monitoring.coreos.com/v1'),
};

/** Returns the problems that the schema of a manifest finds, unknown fields included. */
export async function problemsOf(manifest: Manifest): Promise<readonly string[]> {
  const kinds = new Map(Object.entries((await modules[manifest.apiVersion]?.()) ?? {}));
  const Kind = kinds.get(manifest.kind) as Kind | undefined;
  if (Kind === undefined) return [`no schema for ${manifest.apiVersion} ${manifest.kind}`];
  const problem = validate(Kind, manifest);
  return problem === undefined ? unknownFields(Kind, manifest) : [problem];
}

function validate(Kind: Kind, manifest: unknown): string | undefined {
  try {
    new Kind(manifest).validate();
    return undefined;
  } catch (error) {
    return String(error);
  }
}

/** A value of a type that no field has. */
const unfit = () => undefined;

/**
 * The validators ignore fields that they do not know. So each field is replaced by a value of a wrong type: the field is
 * unknown if no schema objects.
 */
function unknownFields(Kind: Kind, manifest: Manifest): readonly string[] {
  return pathsIn(manifest).flatMap((path) =>
    validate(Kind, replaced(manifest, path, unfit)) === undefined ? [`unknown field ${path.join('.')}`] : [],
  );
}

type Path = readonly (string | number)[];

function pathsIn(value: unknown, path: Path = []): readonly Path[] {
  if (Array.isArray(value)) return value.flatMap((item, index) => pathsIn(item, [...path, index]));
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, field]) => {
    const inner = [...path, key];
    return [inner, ...pathsIn(field, inner)];
  });
}

function replaced(value: unknown, [key, ...rest]: Path, by: unknown): unknown {
  if (key === undefined) return by;
  if (Array.isArray(value)) return value.map((item, index) => (index === key ? replaced(item, rest, by) : item));
  const fields = value as Record<string, unknown>;
  return { ...fields, [key]: replaced(fields[key], rest, by) };
}
