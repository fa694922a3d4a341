import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { optionName } from '../../../src/cli/commands/control-command';
import { commands } from '../../../src/cli/program';
import { controls } from '../../../src/sandbox/controls/controls';
import { documentedKinds } from '../../../src/service/notifications';
import { openSandbox, readJson } from '../helpers';

const english = readFileSync(new URL('../../../docs/sandbox.md', import.meta.url), 'utf8');
const portuguese = readFileSync(new URL('../../../docs/pt/sandbox.md', import.meta.url), 'utf8');

it('leaves to scripts what nobody would type', () => {
  const left = controls.flatMap(({ name, fields }) =>
    Object.keys(fields).flatMap((field) =>
      fields[field]?.isForScripts === true ? [`${name}: ${field}`] : [],
    ),
  );
  expect(left).toEqual([
    'charge: amount',
    'refund: receipt',
    'pay-out: currency',
    'pay-out: bankDetails',
    'clear-faults: operation',
    'clear-faults: id',
  ]);
});

describe.each(controls.map((control) => [control.name, control] as const))(
  'the control %s',
  (name, control) => {
    const { typed = name, fields, subject, argument, about, label } = control;

    it('has its command in the guide, in both languages', () => {
      for (const page of [english, portuguese]) expect(page).toContain(`\`${typed.split(' ')[0]}\``);
    });

    it('has texts in both languages, for itself and for each field', () => {
      for (const text of [about, label, ...Object.values(fields).map((field) => field.label)]) {
        expect(text[0]).toMatch(/\S/);
        expect(text[1]).toMatch(/\S/);
      }
      expect(about[0]).not.toBe(about[1]);
      // An imperative, in one line without a full stop.
      expect(about[0]).toMatch(/^(?!The |An? )[A-Z][a-z]+ .{0,92}[^.]$/);
      expect(about[1]).toMatch(/^(?!A |O |Uma? ).{0,110}[^.]$/);
    });

    it('has a command, with an option for each field that a person enters', () => {
      const command = commands.find((candidate) => candidate.name === typed.split(' ')[0]);
      expect(command).toBeDefined();
      if (control.typed !== undefined) return;
      const entered = Object.entries(fields).filter(([, { isForScripts }]) => isForScripts !== true);
      const options = entered.filter(([field]) => field !== argument).map(([field]) => optionName(field));
      expect(Object.keys(command?.options ?? {})).toEqual(expect.arrayContaining(options));
      expect(command?.arguments).toHaveLength(subject === undefined && argument === undefined ? 0 : 1);
    });
  },
);

it('each control that changes something has a form on the page', async () => {
  const { call } = await openSandbox();
  const setup = await readJson(await call('GET', '/sandbox/page/setup'));
  const forms = controls.filter(({ method }) => method !== 'GET').map(({ name }) => name);
  expect(setup.controls.map(({ name }: { name: string }) => name)).toEqual(forms);
});

it('each documented kind of notification is sent by a control', async () => {
  const { sandbox, create } = await openSandbox({
    webhookUrl: 'http://127.0.0.1:9/nobody',
    inventions: { saleReversalNotification: true },
  });
  const { uuid } = await create();
  sandbox.pay(uuid);
  for (const { name, subject, example = {}, fields, run } of controls) {
    // Nothing is sent about a hidden journey.
    const isOfSale = (subject === undefined || subject === 'paid-journey') && name !== 'hide';
    const body = { ...example, ...('amount' in fields && subject ? { amount: 1 } : {}) };
    if (isOfSale) await run(sandbox, uuid, JSON.stringify(body));
  }
  const sent = new Set(sandbox.deliveries.map(({ kind }) => kind));
  // Events of a recurrence are not in the document.
  const kinds = documentedKinds.map(({ kind }) => kind).filter((kind) => kind !== 'recurrence');
  expect(kinds.filter((kind) => !sent.has(kind))).toEqual([]);
});
