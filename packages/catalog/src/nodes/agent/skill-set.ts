import type { Host, Message, ToolAnswer } from '@millrace/core';
import { defineTool } from '@millrace/core';
import { z } from 'zod';
import type { AgentConfig } from './agent-config.ts';
import type { Skill } from './skill.ts';
import { readSkill } from './skill.ts';
import type { BoundTool } from './tooling/bound-tool.ts';
import { defaultTimeoutSeconds } from './tooling/bound-tool.ts';
import { boundFunction } from './tooling/function-tools.ts';
import type { Toolbox } from './tooling/toolbox.ts';

/** Skills of an agent in one execution. */
export interface SkillSet {
  /** Section of the system prompt; empty if skills are off. */
  readonly section: string;
  readonly tools: readonly BoundTool[];
  /** Returns the reason why a tool may not be called while an active skill does not list it. */
  refusal(tool: string): string | undefined;
  /** Returns the messages to the model after an answer that has activated a skill. */
  opened(answer: ToolAnswer): readonly Message[];
}

interface SkillDiscovery {
  readonly skills: readonly Skill[];
  readonly warnings: readonly string[];
}

const noSkills: SkillSet = { section: '', tools: [], refusal: () => undefined, opened: () => [] };

/** Finds the skills that an agent may use: allowed ones that need no tools, or of whose tools the agent has one. */
export async function skillsOf({ skills: skillsConfig }: AgentConfig, host: Host, tools: Toolbox): Promise<SkillSet> {
  if (!skillsConfig?.enabled) return noSkills;
  const allowed = (skillsConfig.allow ?? []).map((entry) => (typeof entry === 'string' ? entry : entry.name));
  const found = await host.step('list skills', { allowed }, () => discover(host, allowed), 'none');
  const names = new Set([...tools.values()].flatMap(({ name, spec: offer }) => [name, offer.name]));
  const usable = found.skills.filter(
    ({ allowedTools: needs }) => needs.length === 0 || needs.some((tool) => names.has(tool)),
  );
  const unusable = found.skills.filter((skill) => !usable.includes(skill));
  const warnings = [
    ...found.warnings,
    ...unusable.map(
      ({ name, allowedTools }) => `${name}: this agent has none of its tools (${allowedTools.join(', ')})`,
    ),
  ];
  const active = new Map<string, readonly string[]>();
  return {
    section: skillSection(usable, warnings),
    tools: usable.length === 0 ? [] : skillTools(usable, { host, isActive: (name) => active.has(name) }),
    refusal: (tool) => refusalOf(tool, active),
    opened(answer) {
      const skill = activatedIn(answer);
      if (skill === undefined) return [];
      active.set(skill.skill_name, skill.allowed_tools);
      return [instructionsOf(skill, host.node)];
    },
  };
}

async function discover(host: Host, allowed: readonly string[]): Promise<SkillDiscovery> {
  const folders = await host.skills.folders();
  const wanted = folders.filter(({ name }) => allowed.length === 0 || allowed.includes(name));
  const read = wanted.map(readSkill);
  return {
    skills: read.filter((skill) => typeof skill !== 'string'),
    warnings: read.filter((skill) => typeof skill === 'string'),
  };
}

function refusalOf(tool: string, active: ReadonlyMap<string, readonly string[]>): string | undefined {
  const limiting = [...active].filter(([, tools]) => tools.length > 0);
  const tools = [...new Set(limiting.flatMap(([, named]) => named))];
  if (limiting.length === 0 || tools.includes(tool)) return undefined;
  const skills = limiting.map(([name]) => `\`${name}\``).join(', ');
  return `Tool ${tool} error: it is not allowed while ${skills} is active; allowed are: ${tools.join(', ')}`;
}

function activatedIn({ content, failed }: ToolAnswer): ActivatedSkill | undefined {
  if (failed || typeof content !== 'string') return undefined;
  // The answers of the skill tools are JSON that these tools create.
  return ActivatedSkill.safeParse(JSON.parse(content)).data;
}

const instructionsOf = ({ skill_name, instructions }: ActivatedSkill, source: string): Message => ({
  role: 'system',
  content: `Activated Agent Skill \`${skill_name}\`. Follow its instructions for the current task until they are completed or no longer relevant.\n\n${instructions}`,
  source,
  keep: false,
  metadata: { skill_name, skill_activation: true },
});

const shownWarnings = 5;

/** Returns the section of the system prompt about the available skills. */
function skillSection(skills: readonly Skill[], warnings: readonly string[]): string {
  if (skills.length > 0)
    return [...introduction, '<available_skills>', ...skills.flatMap(listed), '</available_skills>'].join('\n');
  return [...none, ...warnings.slice(0, shownWarnings).map((warning) => `- ${warning}`)].join('\n');
}

const introduction = [
  'You have access to Agent Skills.',
  'Use `activate_skill` to load the full SKILL.md instructions for a relevant skill before following it.',
  'Use `read_skill_file` to read supporting files from that skill directory when the instructions reference them.',
  "Do not assume a skill's contents until you load it.",
];

const none = [
  'Agent Skills are enabled for this node, but no compatible skills are currently available.',
  'Do not claim to use or load any skill unless it appears in <available_skills>.',
];

const listed = ({ name, description, location, allowedTools }: Skill): string[] => [
  '  <skill>',
  `    <name>${escaped(name)}</name>`,
  `    <description>${escaped(description)}</description>`,
  `    <location>${escaped(location)}</location>`,
  ...(allowedTools.length === 0 ? [] : ['    <allowed_tools>', ...allowedTools.map(tool), '    </allowed_tools>']),
  '  </skill>',
];

const tool = (name: string): string => `      <tool>${escaped(name)}</tool>`;

const escaped = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

/** Maximum size of a file of a skill, in bytes: files are instructions, not data. */
const largestFile = 128 * 1024;

/** Schema of the result of activating a skill. */
const ActivatedSkill = z.object({
  skill_name: z.string(),
  path: z.string(),
  instructions: z.string(),
  allowed_tools: z.array(z.string()),
});
/** Result of activating a skill. */
type ActivatedSkill = z.infer<typeof ActivatedSkill>;

const skill_name = z.string().describe('Name of the skill, as listed in <available_skills>.');
const ActivateSkill = z.object({ skill_name });
const ReadSkillFile = z.object({
  skill_name,
  relative_path: z.string().describe("Path of the file, from the skill's folder."),
});

/** Returns the tools with which a model activates skills and reads their files. */
function skillTools(
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
