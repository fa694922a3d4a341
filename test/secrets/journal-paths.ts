import {
  type JourneyClient,
  JourneyJournal,
  MemoryJourneyRecords,
  SqlJourneyRecords,
} from 'pix-automatic-sdk/journal';
import { fixtures } from 'pix-automatic-sdk/testing';
import { marked } from './marks';
import type { Path } from './path';
import { text } from './webhook-paths';

const { cpf, email } = marked;
const row = { now_ms: text, attempt: email, state: cpf, uuid: text, [cpf]: email };

function journalOver(create: JourneyClient['createRecurringCheckout'], records = new MemoryJourneyRecords()) {
  return new JourneyJournal({ client: { createRecurringCheckout: create }, records, waitMs: 20 });
}

const { referenceCode: _, ...request } = fixtures.recurringCheckoutRequest({ shopper: { name: email } });
const hang = () => new Promise<never>(() => undefined);

export const journalPaths: readonly Path[] = [
  ['new JourneyJournal: text for options', () => new JourneyJournal(text as never)],
  [
    'JourneyJournal: an order key that is none',
    () => journalOver(hang).open({ [cpf]: text } as never, request),
  ],
  ['JourneyJournal: nothing to find', () => journalOver(hang).find({ [cpf]: text } as never)],
  [
    'JourneyJournal: another call is on its way',
    async () => {
      const journal = journalOver(hang);
      void journal.open('order-1', request);
      await journal.open('order-1', request);
    },
  ],
  [
    'JourneyJournal: two requests over different money',
    async () => {
      const journal = journalOver(hang);
      void journal.open('order-1', request);
      await journal.open('order-1', { ...request, amount: 1, shopper: { ...request.shopper, name: cpf } });
    },
  ],
  ['new SqlJourneyRecords: a dialect', () => new SqlJourneyRecords(hang, { dialect: text as never })],
  [
    'SqlJourneyRecords: a row of marks',
    () =>
      journalOver(hang, new SqlJourneyRecords(async () => [row], { dialect: 'mysql' }) as never).open(
        'o',
        request,
      ),
  ],
];
