interface Section {
  title?: string;
  body: string;
}

const credentials: Section = {
  title: 'Credentials',
  body: lines(
    'PAYMENTS_API_KEY and PAYMENTS_API_TOKEN in the environment, never an argument, and never printed.',
    "Without them the sandbox's own pair is used, for this machine only. They are sent over https, or to",
    'this machine.',
  ),
};

const effects: Section = {
  title: 'Effects',
  body: lines(
    'Whether a listener acted once, or at all, shows nowhere from outside. Give your listener, in a test',
    'environment that gets no other notifications, a URL that answers GET with how many actions it has taken',
    'so far: a JSON number such as 12, or an object of numbers such as {"payment": 7, "refund": 5}, which are',
    'added up. No credentials are sent there. Without it, what depends on it is reported as not checked.',
  ),
};

/** What the help of a command says beside its options; by the command's name, empty for the program. */
export const notes: Readonly<Record<string, readonly Section[]>> = {
  '': [credentials],
  sandbox: [
    credentials,
    {
      title: 'Control calls',
      body: lines('Printed at the start: pay, refund, reverse, pay out, inject faults, see deliveries.'),
    },
  ],
  trigger: [credentials],
  verify: [effects, credentials],
};

const statuses: Readonly<Record<string, readonly [zero: string, one: string]>> = {
  '': ['it went well', 'it did not; see the help of each command'],
  sandbox: ['ended by SIGINT or SIGTERM', 'it cannot listen there'],
  trigger: ['every answer was 200', 'some answer was not 200, or did not come'],
  verify: ['no check failed; the report says which could not be made', 'a check failed'],
};

export function exitStatuses(command: string): Section {
  const [zero, one] = statuses[command] ?? ['', ''];
  return {
    title: 'Exit status',
    body: lines(`0  ${zero}`, `1  ${one}`, '2  not called right; nothing was sent'),
  };
}

/** The parser leaves room for a default behind each option. */
export function withoutTrailingSpace<Given extends Section>(section: Given): Given {
  return { ...section, body: section.body.replaceAll(/ +$/gm, '') };
}

function lines(...texts: string[]): string {
  return texts.map((text) => `  ${text}`).join('\n');
}
