import type { Skill } from './skill.ts';

const shownWarnings = 5;

/** Returns the section of the system prompt about the available skills. */
export function skillSection(skills: readonly Skill[], warnings: readonly string[]): string {
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
