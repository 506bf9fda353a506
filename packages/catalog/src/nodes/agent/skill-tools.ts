import type { Host } from '@millrace/core';
import { defineTool } from '@millrace/core';
import { z } from 'zod';
import type { Skill } from './skill.ts';
import type { BoundTool } from './tooling/bound-tool.ts';
import { defaultTimeoutSeconds } from './tooling/bound-tool.ts';
import { boundFunction } from './tooling/function-tools.ts';

/** Maximum size of a file of a skill, in bytes: files are instructions, not data. */
const largestFile = 128 * 1024;

/** Schema of the result of activating a skill. */
export const ActivatedSkill = z.object({
  skill_name: z.string(),
  path: z.string(),
  instructions: z.string(),
  allowed_tools: z.array(z.string()),
});
/** Result of activating a skill. */
export type ActivatedSkill = z.infer<typeof ActivatedSkill>;

const skill_name = z.string().describe('Name of the skill, as listed in <available_skills>.');
const ActivateSkill = z.object({ skill_name });
const ReadSkillFile = z.object({
  skill_name,
  relative_path: z.string().describe("Path of the file, from the skill's folder."),
});

/** Returns the tools with which a model activates skills and reads their files. */
export function skillTools(
  skills: readonly Skill[],
  { host, isActive }: { readonly host: Host; readonly isActive: (skill: string) => boolean },
): readonly BoundTool[] {
  const named = (name: string): Skill => {
    const skill = skills.find((one) => one.name === name);
    if (skill !== undefined) return skill;
    throw new Error(`there is no skill "${name}"; there are: ${skills.map((one) => one.name).join(', ')}`);
  };
  const activate = defineTool<z.infer<typeof ActivateSkill>>({
    name: 'activate_skill',
    description: 'Load the full instructions of a skill, which its SKILL.md has.',
    parameters: ActivateSkill,
    async execute(args): Promise<ActivatedSkill> {
      const { name, location, allowedTools } = named(args.skill_name);
      const instructions = await textIn(host, name, 'SKILL.md');
      return { skill_name: name, path: location, instructions, allowed_tools: [...allowedTools] };
    },
  });
  const read = defineTool<z.infer<typeof ReadSkillFile>>({
    name: 'read_skill_file',
    description: 'Read a text file in the folder of a skill that is activated.',
    parameters: ReadSkillFile,
    async execute(args) {
      const { name } = named(args.skill_name);
      if (!isActive(name)) throw new Error(`activate the skill "${name}" before you read its files`);
      return { skill_name: name, path: args.relative_path, content: await textIn(host, name, args.relative_path) };
    },
  });
  return [activate, read].map((tool) => ({
    ...boundFunction(tool, { host, timeoutSeconds: defaultTimeoutSeconds }),
    origin: 'skills',
  }));
}

async function textIn(host: Host, skill: string, path: string): Promise<string> {
  const bytes = await host.skills.read(skill, path);
  if (bytes.length > largestFile)
    throw new Error(`"${path}" has ${bytes.length} bytes; at most ${largestFile} can be read`);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new Error(`"${path}" is not a text in UTF-8`);
  }
}
