import type { Host, SkillFolder, ToolCall } from '@millrace/core';
import { defineTool, textMessage } from '@millrace/core';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { GivenReply } from '../../../../../test/support/fakes/fake-host.ts';
import { fakeHost } from '../../../../../test/support/fakes/fake-host.ts';
import { agent } from './agent.ts';
import { AgentConfig } from './agent-config.ts';

const folder = (name: string, front: string, body = 'Do it.'): SkillFolder => ({
  name,
  location: `/skills/${name}/SKILL.md`,
  text: `---\n${front}\n---\n\n${body}`,
});
const greet = folder('greet', 'name: greet\ndescription: Greets <people>.');
const count = folder('count', 'name: count\ndescription: Counts.\nallowed-tools: abacus add');

const shelf = (folders: readonly SkillFolder[], files: Record<string, string> = {}): Host['skills'] => ({
  folders: async () => folders,
  read: async (skill, path) =>
    new TextEncoder().encode(files[path] ?? folders.find(({ name }) => name === skill)?.text ?? ''),
});

const tools = ['add', 'subtract'].map((name) =>
  defineTool({ name, description: name, parameters: z.object({}), execute: () => name }),
);
const functions = new Map(tools.map((tool) => [tool.name, tool]));
const tooling = [{ type: 'function', config: { tools: [{ name: 'add' }, { name: 'subtract' }] } }];

const call = (name: string, args: Record<string, unknown> = {}): ToolCall => ({
  id: name,
  name,
  arguments: JSON.stringify(args),
});
const calls = (...wanted: readonly ToolCall[]): GivenReply => ({ text: '', toolCalls: wanted });
const done: GivenReply = { text: 'done' };

async function run(
  skills: Host['skills'],
  { replies = [done], config = {} }: { replies?: readonly GivenReply[]; config?: Record<string, unknown> } = {},
) {
  const host = fakeHost({ replies, skills });
  const parsed = AgentConfig.parse({ provider: 'openai', name: 'm', skills: { enabled: true }, ...config });
  await agent(functions).execute(parsed, [textMessage('user', 'hi', 'TASK')], host);
  const asked = host.asked.map(({ messages }) => messages);
  return { system: String(asked[0]?.[0]?.content), offered: host.asked[0]?.tools?.map(({ name }) => name), asked };
}

describe('the skills of an agent', () => {
  it('are listed in the system prompt and can be opened', async () => {
    const { system, offered } = await run(shelf([greet]));

    expect(system).toContain('    <name>greet</name>\n    <description>Greets &lt;people&gt;.</description>');
    expect(system).toContain('<location>/skills/greet/SKILL.md</location>');
    expect(offered).toEqual(['activate_skill', 'read_skill_file']);
  });

  it('are absent unless they are enabled', async () => {
    const { system, offered } = await run(shelf([greet]), { config: { skills: { enabled: false } } });

    expect(system).toBe('hi');
    expect(offered).toBeUndefined();
  });

  it('are limited to the allowed ones', async () => {
    const other = folder('other', 'name: other\ndescription: Others.');

    const { system } = await run(shelf([greet, other]), {
      config: { skills: { enabled: true, allow: [{ name: 'greet' }] } },
    });

    expect(system).toContain('<name>greet</name>');
    expect(system).not.toContain('<name>other</name>');
  });

  it('require one of their tools', async () => {
    const without = await run(shelf([count]));
    const having = await run(shelf([count]), { config: { tooling } });

    expect(without.system).toContain('- count: this agent has none of its tools (abacus, add)');
    expect(without.offered).toBeUndefined();
    expect(having.system).toContain('      <tool>abacus</tool>\n      <tool>add</tool>');
  });

  it.each([
    [{ name: 'x', location: '', text: 'no front matter' }, 'x: SKILL.md does not start with front matter'],
    [folder('x', 'name: y\ndescription: d'), 'x: its name "y" is not that of its folder'],
    [folder('x', 'name: x\ndescription: "  "'), 'x: description must not be empty'],
    [folder('x', 'name: [x'), 'x: '],
    [folder('x', 'name: x\ndescription: d\nallowed-tools: 3'), 'x: allowed-tools must be a text or a list'],
  ])('omit %j and report the reason', async (broken, why) => {
    const { system } = await run(shelf([broken]));

    expect(system).toContain('no compatible skills are currently available');
    expect(system).toContain(`- ${why}`);
  });

  it('add their instructions after the results of all calls', async () => {
    const opening = calls(call('activate_skill', { skill_name: 'greet' }), call('add'));

    const { asked } = await run(shelf([greet]), { replies: [opening, done], config: { tooling } });

    const [, , , result, sum, instructions] = asked[1] ?? [];
    expect(JSON.parse(String(result?.content))).toEqual({
      skill_name: 'greet',
      path: '/skills/greet/SKILL.md',
      instructions: greet.text,
      allowed_tools: [],
    });
    expect(sum).toMatchObject({ role: 'tool', content: 'add' });
    expect(instructions?.role).toBe('system');
    expect(instructions?.content).toBe(
      `Activated Agent Skill \`greet\`. Follow its instructions for the current task until they are completed or no longer relevant.\n\n${greet.text}`,
    );
  });

  it('forbid other tools while they are active', async () => {
    const { asked } = await run(shelf([count]), {
      replies: [calls(call('activate_skill', { skill_name: 'count' })), calls(call('add'), call('subtract')), done],
      config: { tooling },
    });

    expect(asked[2]?.slice(-2).map(({ content }) => content)).toEqual([
      'add',
      'Tool subtract error: it is not allowed while `count` is active; allowed are: abacus, add',
    ]);
  });

  it('list their files once they are active', async () => {
    const reading = calls(call('read_skill_file', { skill_name: 'greet', relative_path: 'more.md' }));

    const { asked } = await run(shelf([greet], { 'more.md': 'more' }), {
      replies: [reading, calls(call('activate_skill', { skill_name: 'greet' })), reading, done],
    });

    expect(asked[1]?.at(-1)?.content).toBe(
      'Tool read_skill_file error: activate the skill "greet" before you read its files',
    );
    expect(JSON.parse(String(asked[3]?.at(-1)?.content))).toEqual({
      skill_name: 'greet',
      path: 'more.md',
      content: 'more',
    });
  });

  it('are listed in the error about an unknown one', async () => {
    const { asked } = await run(shelf([greet]), {
      replies: [calls(call('activate_skill', { skill_name: 'fly' })), done],
    });

    expect(asked[1]?.at(-1)?.content).toBe('Tool activate_skill error: there is no skill "fly"; there are: greet');
  });
});
