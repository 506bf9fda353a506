import type { TestSpecification } from 'vitest/node';
import { BaseSequencer } from 'vitest/node';

/** Files whose tests take long although the files are short: killed processes that are waited for, and generated cases. */
const long = /\/test\/(?:chaos\/|conformance\/conformance\.)/;

/**
 * Starts the long files of each project first. A machine that knows no earlier durations would start them last, by their size,
 * and one core would wait for the other one at the end.
 */
export class LongFilesFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const projects = new Map<string, TestSpecification[]>();
    for (const file of sorted) {
      const { name } = file.project;
      const ofProject = projects.get(name) ?? [];
      projects.set(name, ofProject);
      ofProject.push(file);
    }
    return [...projects.values()].flatMap((ofProject) => [
      ...ofProject.filter(({ moduleId }) => long.test(moduleId)),
      ...ofProject.filter(({ moduleId }) => !long.test(moduleId)),
    ]);
  }
}
