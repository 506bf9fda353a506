import type { Host, Message, ToolAnswer } from '@millrace/core';
import type { AgentConfig } from './agent-config.ts';
import type { Skill } from './skill.ts';
import { readSkill } from './skill.ts';
import { skillSection } from './skill-section.ts';
import { ActivatedSkill, skillTools } from './skill-tools.ts';
import type { BoundTool } from './tooling/bound-tool.ts';
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
  const found = await host.step('list skills', { allowed }, () => discover(host, allowed));
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
