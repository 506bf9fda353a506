/*
 * Workflows with scripted models: the dashboard shows all kinds of runs with them, without a key, and always the same.
 */

const agent = (id: string, role: string, texts: readonly string[]): string => {
  const replies = texts.map((text) => ({ text, delay_ms: 40 }));
  const params = { rules: [{ replies }], default: { text: texts.at(-1), delay_ms: 40 } };
  return `    - { id: ${id}, type: agent, config: { provider: scripted, name: demo-model, role: ${JSON.stringify(role)}, params: ${JSON.stringify(params)} } }`;
};

const prices = 'prices: { demo-model: { input: 2.5, output: 10 } }';

/** A writer and a critic in a loop, and an editor who decides. */
export const newsroom = `graph:
  id: newsroom
  description: Three agents write an article, and a person accepts it.
  budget: { usd: 0.01 }
  ${prices}
  start: [Researcher]
  end: [Writer]
  nodes:
${agent('Researcher', 'List the facts.', ['- The library on Mill Street opens on Sundays, from 4 May on.\n- It is open from ten to four, and entry is free.'])}
${agent('Writer', 'Write a short article.', ['The library opens on Sundays.', 'Sundays belong to readers. From 4 May on, the library on Mill Street is open from ten to four.', '## Sundays belong to readers\n\nFrom 4 May on, the library on Mill Street and its café are open **from ten to four**. Entry is free.'])}
${agent('Critic', 'Say what should be better, or APPROVE.', ['Say from when on, and at which hours.', 'The café is open as well: say so.', 'APPROVE'])}
    - { id: Editor, type: human, config: { description: "Read the article. Enter ACCEPT, or say what should change." } }
  edges:
    - { from: Researcher, to: Writer }
    - { from: Writer, to: Critic }
    - { from: Writer, to: Editor, trigger: false, clear_context: true }
    - { from: Critic, to: Writer, condition: { type: keyword, config: { none: [APPROVE] } } }
    - { from: Critic, to: Editor, condition: { type: keyword, config: { any: [APPROVE] } }, carry_data: false }
    - { from: Editor, to: Writer, condition: { type: keyword, config: { none: [ACCEPT] } } }
`;

/** One unit for each line of its input, and a summary of all. */
export const survey = `graph:
  id: survey
  description: Reads every answer of a survey, and sums them up.
  ${prices}
  start: [Answers]
  end: [Report]
  nodes:
    - { id: Answers, type: passthrough, config: {} }
${agent('Reader', 'Is the answer positive or negative?', ['Positive: the new opening hours are welcome.'])}
${agent('Report', 'Sum the results up.', ['Most visitors welcome the new opening hours; a third of them asks for longer evenings.'])}
  edges:
    - { from: Answers, to: Reader, dynamic: { type: map, config: { split_type: lines, max_parallel: 20 } } }
    - { from: Reader, to: Report }
`;

/** A graph in a node, and a person who is asked before anything is sent. */
export const onboarding = `graph:
  id: onboarding
  description: Prepares the first day of a new colleague.
  ${prices}
  start: [Request]
  end: [Approval]
  nodes:
    - { id: Request, type: passthrough, config: {} }
    - id: Plan
      type: subgraph
      config:
        type: config
        config:
          id: plan
          start: [Access, Desk]
          end: [Summary]
          nodes:
${agent('Access', 'Which accounts are needed?', ['Mail, calendar, and the catalogue.']).replace(/^/gm, '        ')}
${agent('Desk', 'Which desk is free?', ['Desk 14, by the window.']).replace(/^/gm, '        ')}
${agent('Summary', 'Write a plan of the day.', ['9:00 welcome at desk 14. 10:00 accounts. 12:00 lunch with the team.']).replace(/^/gm, '        ')}
          edges:
            - { from: Access, to: Summary }
            - { from: Desk, to: Summary }
    - { id: Approval, type: human, config: { description: "Is this plan good to be sent?" } }
  edges:
    - { from: Request, to: Plan }
    - { from: Plan, to: Approval }
`;

/** A model that refuses its key. */
export const invoice = `graph:
  id: invoice
  description: Reads an invoice and books it.
  start: [Read]
  nodes:
    - { id: Read, type: agent, config: { provider: scripted, name: demo-model, params: { rules: [{ replies: [{ error: { type: AuthenticationError, status: 401, message: "The API key was refused." } }] }] } } }
    - { id: Book, type: passthrough, config: {} }
  edges: [{ from: Read, to: Book }]
`;

const writer = {
  rules: [
    {
      when: { last_user_contains: 'reader 9' },
      replies: [{ error: { status: 400, message: 'The address is missing.' } }],
    },
  ],
  default: 'Dear reader, your books are due on Friday. You may bring them back on Sunday as well.',
};

/** One letter for each row of a batch; that to reader 9 fails. */
export const letters = `graph:
  id: letters
  description: Writes a letter to a reader.
  ${prices}
  nodes:
    - { id: Letter, type: agent, config: { provider: scripted, name: demo-model, role: Write a short letter., params: ${JSON.stringify(writer)} } }
`;

const looks = { tool_calls: [{ name: 'get_order', arguments: { order: '1001' } }] };
const refunds = { tool_calls: [{ name: 'refund', arguments: { order: '1001', amount: 80 } }] };
const clerk = {
  rules: [
    { when: { last_role: 'user' }, reply: looks },
    { when: { last_contains: 'A lamp' }, reply: refunds },
  ],
  default: 'We have refunded what is due.',
};

/** A clerk whose refunds a person approves; its server is that of the example, which is found from the root folder. */
export const refund = `graph:
  id: refund
  description: Answers customers, and refunds what is due; a person approves what is more than 20 euros.
  ${prices}
  nodes:
    - id: Clerk
      type: agent
      config:
        provider: scripted
        name: demo-model
        role: You answer customers of a shop.
        params: ${JSON.stringify(clerk)}
        tooling:
          - type: mcp_local
            config: { command: node, args: [examples/shop-server.mjs] }
            policy: [{ tool: refund, when: { path: amount, above: 20 }, do: ask, expires: 2d }]
`;
